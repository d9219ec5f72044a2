"""The scatter operators behave in dygraph like operators that Paddle generates.

Each scenario runs an operator and returns results that do not depend on it: error
types, flags and whether numbers are equal. They must be the same for a new operator
and one of Paddle's own. native/tests/test_native_autograd.py tests the nodes of the
backward graph.
"""

import os
import tempfile
from dataclasses import dataclass
from typing import Callable

import numpy as np
import pytest
from programs import flag, static_mode

import paddle
from paddle import profiler
from paddle.base import core

SHAPE = [3, 3]


def mask():
    return paddle.to_tensor([[True, False, True]] * 3)


def index():
    return paddle.to_tensor([2, 0, 1])


@dataclass
class Op:
    """call(function, x, part, saved) writes `part` into `x`, both of SHAPE.

    saved: creates the argument that the gradient reads, or returns None.
    function: the name of the function of Paddle, if it differs from the operator's.
    """

    name: str
    call: Callable
    saved: Callable = lambda: None
    function: str = ''

    @property
    def changes_x(self):
        return self.name.endswith('_')

    def run(self, x, part, saved=None):
        function = getattr(paddle, self.function or self.name)
        return self.call(
            function, x, part, self.saved() if saved is None else saved
        )


def scatter(reduce):
    return lambda function, x, part, saved: function(
        x, saved, part, overwrite=False, axis=0, reduce=reduce
    )


STOCK = Op('where', lambda where, x, part, saved: where(saved, x, part), mask)
OPS = [
    Op('masked_scatter', lambda f, x, part, saved: f(x, saved, part), mask),
    Op('masked_fill', lambda f, x, part, saved: f(x, saved, part[0, 0]), mask),
    Op('select_scatter', lambda f, x, part, saved: f(x, part[0], 0, 1)),
    Op('diagonal_scatter', lambda f, x, part, saved: f(x, part[0])),
    Op('index_scatter', scatter('mean'), index, 'scatter'),
    Op('index_reduce', scatter('amax'), index, 'scatter'),
]
STOCK_INPLACE = Op(
    'index_add_', lambda f, x, part, saved: f(x, saved, 0, part), index
)
OPS_INPLACE = [
    Op(op.name + '_', op.call, op.saved, op.function and op.function + '_')
    for op in OPS
    if op.saved() is not None
]


def outcome(function):
    """Return the result of a call, 'a value' for Tensors, or its error type."""
    try:
        results = function()
        plain = isinstance(results, (bool, int, float, str, tuple))
        return results if plain else 'a value'
    except Exception as error:
        return type(error).__name__


def leaf(stop_gradient=False):
    x = paddle.to_tensor(np.arange(2, 20, 2).reshape(SHAPE), 'float32')
    x.stop_gradient = stop_gradient
    return x


def operands(op, *stops):
    """Return x, part and the x of the call, which must be no leaf if in place."""
    x, part = (leaf(stop) for stop in stops or (False, False))
    return x, part, (x * 1 if op.changes_x and not x.stop_gradient else x)


def gradients(op):
    x, part, base = operands(op)
    op.run(base, part).sum().backward()
    return [x.grad.numpy(), part.grad.numpy()]


def all_equal(results, expected):
    return all(np.array_equal(a, b) for a, b in zip(results, expected))


def stop_gradient_of_gradients(op):
    """Return stop_gradient of the gradients, in hooks and after backward."""
    x, part, base = operands(op)
    stops = []
    for tensor in (x, part):
        tensor.register_hook(lambda grad: stops.append(grad.stop_gradient))
    op.run(base, part).sum().backward()
    return [*stops, x.grad.stop_gradient, part.grad.stop_gradient]


def modify_saved_tensor(op):
    saved = op.saved()
    x, part, base = operands(op)
    y = op.run(base, part, saved)
    saved.logical_not_() if saved.dtype == paddle.bool else saved.add_(saved)
    return outcome(lambda: y.sum().backward())


def propagate_stop_gradient(op):
    results = []
    for stops in ((True, True), (True, False), (False, True)):
        x, part, base = operands(op, *stops)
        y = op.run(base, part)
        if not y.stop_gradient:
            y.sum().backward()
        results.append(
            (y.stop_gradient, y.is_leaf, x.grad is None, part.grad is None)
        )
    return results


def recompute_gradients(op):
    from paddle.distributed.fleet.utils import recompute

    x, part, _ = operands(op)
    y = recompute(lambda x, part: op.run(x * 1, part), x, part)
    y.sum().backward()
    return all_equal([x.grad.numpy(), part.grad.numpy()], gradients(op))


def run_in_forked_process(op):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        results = outcome(lambda: op.run(leaf(True), leaf(True)).sum().item())
        os.write(writer, repr(results).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(reader, 100).decode() == repr(
        op.run(leaf(True), leaf(True)).sum().item()
    )


def check_nan_inf(op):
    bad = paddle.full(SHAPE, float('nan'))
    x, part, base = operands(op)
    y = op.run(base, part)
    with flag('FLAGS_check_nan_inf', True):
        results = [
            outcome(lambda: op.run(leaf(True), leaf(True)).stop_gradient),
            outcome(lambda: op.run(bad.clone(), bad)),
            outcome(lambda: op.run(leaf() * 1, bad)),
            outcome(lambda: paddle.grad([y], [x], [bad])),
        ]
    op.run(bad.clone(), bad)
    return results


def _names(node):
    yield node.name
    for child in node.children_node:
        yield from _names(child)


def profile_events(op):
    """Return which of the expected profiler events occur."""
    camel = ''.join(word.capitalize() for word in op.name.strip('_').split('_'))
    x, part, base = operands(op)
    with profiler.Profiler(
        targets=[profiler.ProfilerTarget.CPU], on_trace_ready=lambda p: None
    ) as run:
        op.run(base, part).sum().backward()
    events = run.profiler_result.get_data().values()
    names = {name for root in events for name in _names(root)}
    plain = op.name.strip('_')
    expected = [
        f'{op.name} dygraph',
        f'{plain} infer_meta',
        f'{plain} kernel launch',
        f'{plain}_grad kernel launch',
        f'Global_{camel}GradNode',
    ]
    return [name in names for name in expected]


def count_calls(op):
    """Return the statistics of operators: calls by dtype."""
    core.clear_low_precision_op_list()
    x, part, base = operands(op)
    with flag('FLAGS_low_precision_op_list', 1):
        y = op.run(base, part)
        op.run(leaf(True), leaf(True))
        y.sum().backward()
    results = core.get_low_precision_op_list()
    plain = op.name.strip('_')
    return results.get(plain), [k for k in results if k == plain + '_grad']


def report_benchmark(op):
    with tempfile.TemporaryFile() as file:
        stdout = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            with flag('FLAGS_benchmark', True):
                op.run(leaf(True), leaf(True))
        finally:
            os.dup2(stdout, 1)
            os.close(stdout)
        file.seek(0)
        lines = file.read().decode().splitlines()
    return f'{op.name.strip("_")} kernel run finish.' in lines


def modify_in_place(op):
    """Return the properties that x keeps, and which hooks run."""
    x, part, y = operands(op)
    y.retain_grads()
    y.persistable = True
    log = []
    y.register_hook(lambda grad: log.append('before'))
    name, version = y.name, y.inplace_version
    result = op.run(y, part)
    y.register_hook(lambda grad: log.append('after'))
    y.sum().backward()
    return (
        result is y,
        y.name == name,
        y.persistable,
        y.inplace_version - version,
        (y.is_leaf, y.stop_gradient),
        log,
        all_equal([y.grad.numpy()], [x.grad.numpy()]),
    )


def modify_strided_in_place(op):
    x, part, base = operands(op)
    y = base.transpose([1, 0])
    y.retain_grads()
    y.persistable = True
    result = op.run(y, part)
    y.sum().backward()
    return (
        result is y,
        y.persistable,
        all_equal([y.grad.numpy().T], [x.grad.numpy()]),
        part.grad is None,
    )


ANY = [
    stop_gradient_of_gradients,
    propagate_stop_gradient,
    recompute_gradients,
    run_in_forked_process,
    check_nan_inf,
    profile_events,
    count_calls,
    report_benchmark,
]


def with_ops(ops):
    return pytest.mark.parametrize('op', ops, ids=lambda op: op.name)


@pytest.mark.parametrize('scenario', ANY)
@with_ops(OPS)
def test_any_call(scenario, op):
    assert scenario(op) == scenario(STOCK)


@pytest.mark.parametrize(
    'scenario', [*ANY, modify_in_place, modify_strided_in_place]
)
@with_ops(OPS_INPLACE)
def test_any_call_in_place(scenario, op):
    assert scenario(op) == scenario(STOCK_INPLACE)


@with_ops([op for op in OPS if op.saved() is not None] + OPS_INPLACE)
def test_modified_saved_tensor(op):
    assert modify_saved_tensor(op) == modify_saved_tensor(STOCK)


@pytest.mark.parametrize('half', ['float16', 'bfloat16'])
def test_auto_cast_promotes_mixed_dtypes_in_programs(half):
    for dtypes in ((half, 'float32'), ('float64', half)):
        program = paddle.static.Program()
        with static_mode(), paddle.static.program_guard(program):
            x, part, mask = (
                paddle.static.data(dtype, SHAPE, dtype)
                for dtype in (*dtypes, 'bool')
            )
            with paddle.amp.auto_cast():
                out = paddle.masked_scatter(x, mask, part)
                assert out.dtype == paddle.where(mask, x, part).dtype
