"""The functions that paddle._C_ops gets, and how they reach paddle._native_lib.

Dygraph calls the kernels directly, and records gradients itself. Distributed
Tensors are the matter of _native_distributed. Static graphs go through custom
operators: see _native_static.
Installed as paddle._native_runtime.
"""

import contextlib
import functools

from paddle import _native_lib as _lib
from paddle import _native_static as _static
from paddle._native_lib import has_grad, in_dygraph
from paddle.base import core

Tensor = core.eager.Tensor


def _distributed():
    # Not at the top: paddle.distributed is imported later.
    from paddle import _native_distributed

    return _native_distributed


def _kind(tensor):
    if tensor.is_sparse_coo() or tensor.is_sparse_csr():
        return 'sparse'
    return 'selected rows' if tensor.is_selected_rows() else 'dense'


class Op:
    """One operator, as its table in C++ tells of it.

    differentiable: positions of the inputs that have a gradient.
    reads_overwritten: a gradient needs the values that the in-place form
    overwrites.
    is_base: an operator that Paddle has.
    """

    def __init__(self, entry):
        first = entry.gradient
        self.name, self.is_base = entry.name, entry.is_base
        self.inputs = [t.name for t in entry.inputs]
        self.outputs = [t.name for t in entry.outputs]
        self.arguments = len(entry.inputs) + len(entry.attrs)
        self.inplace_input = entry.inplace_input
        self.differentiable = [gradient.of for gradient in first.outputs]
        self.reads_overwritten = entry.inplace_input >= 0 and any(
            t.name == self.inputs[entry.inplace_input] and t.needs_buffer
            for gradient in (first, first.gradient)
            if gradient
            for t in gradient.inputs
        )
        self.call = getattr(_lib, self.name)
        self.call_inplace = getattr(_lib, self.name + '_', None)
        self.infer, self.encode = entry.infer, entry.encode

    def check_tensors(self, tensors, kind=Tensor):
        """A TypeError that names the first argument that is no Tensor."""
        for name, tensor in zip(self.inputs, tensors):
            if not isinstance(tensor, kind):
                raise TypeError(
                    f'({self.name}) {name} must be a Tensor, '
                    f'but it is {type(tensor).__name__}.'
                )

    def refuse(self, tensors):
        """The error for Tensors that the kernels do not serve."""
        self.check_tensors(tensors)
        kinds = ', '.join(
            f'{name} {_kind(tensor)} on {tensor.place}'
            for name, tensor in zip(self.inputs, tensors)
        )
        raise NotImplementedError(
            f'({self.name}) expected dense Tensors on the CPU, but got {kinds}.'
        )

    def wants_gradient(self, tensors):
        if not has_grad():
            return False
        for i in self.differentiable:
            if not getattr(tensors[i], 'stop_gradient', True):
                return True
        return False

    def run(self, tensors, attrs):
        """A call in dygraph; its gradient is recorded if one is wanted."""
        out = self.call(*tensors, *attrs)
        if out is not NotImplemented:
            return out
        self.check_tensors(tensors)
        if any(t.is_dist() for t in tensors):
            return _distributed().run(self, tensors, attrs)
        return self.refuse(tensors)

    def check_inplace_shape(self, x, shape):
        """An error if a result of this shape does not fit into `x`."""
        if list(shape) != list(x.shape):
            raise ValueError(
                f'({self.name}_) the result must have the shape of '
                f'{self.inputs[self.inplace_input]}, which is changed in '
                f'place, {list(x.shape)}, but it would have the shape '
                f'{list(shape)}.'
            )


@contextlib.contextmanager
def _as_they_are():
    """Without auto_cast, which Paddle's in-place operators do not obey."""
    state = core._get_amp_attrs()
    level = state._amp_level
    if level == core.AmpLevel.O0:
        # the state is that of all threads: another may set it meanwhile
        yield
        return
    state._amp_level = core.AmpLevel.O0
    try:
        yield
    finally:
        state._amp_level = level


def run_inplace(op, tensors, attrs):
    """The in-place form: `x`, which is returned, takes the result."""
    if not isinstance(tensors[0], Tensor):
        raise TypeError(
            f'({op.name}_) expected Tensors of dynamic graph mode, '
            f'but got {type(tensors[0]).__name__}.'
        )
    x = tensors[op.inplace_input]
    wants = op.wants_gradient(tensors)
    reads = wants and op.reads_overwritten
    is_leaf = wants and x.is_leaf and not x.stop_gradient
    if not (reads or is_leaf):
        out = op.call_inplace(*tensors, *attrs)
        if out is not NotImplemented:
            return out
    op.check_tensors(tensors)
    if is_leaf:
        raise ValueError(
            f"({op.name}_) Leaf Var ({x.name}) that doesn't stop gradient "
            f"can't use inplace strategy."
        )
    if any(t.is_dist() for t in tensors):
        return _distributed().run_inplace(op, tensors, attrs, x)
    if x.is_contiguous() and not reads:
        op.refuse(tensors)
    given = list(tensors) if wants else [t.detach() for t in tensors]
    with _as_they_are():
        if reads:
            import paddle

            given[op.inplace_input] = paddle.assign(x)
        out = op.run(given, attrs)
    op.check_inplace_shape(x, out.shape)
    core.eager.ops.assign_out_(out.detach(), x.detach())
    if wants:
        _lib.take_history(x, out)
    return x


# ---- the functions of paddle._C_ops


def _functions(op):
    """The function of an operator and, where it has one, its in-place form."""
    size = len(op.inputs)

    def bind(args):
        if len(args) != op.arguments:
            raise TypeError(
                f'({op.name}) {op.arguments} arguments expected, but received '
                f'{len(args)}.'
            )
        return args[:size], args[size:]

    def function(*args):
        tensors, attrs = bind(args)
        if isinstance(tensors[0], Tensor) and in_dygraph():
            return op.run(tensors, attrs)
        return _static.run_static(op, tensors, attrs)

    def inplace_function(*args):
        return run_inplace(op, *bind(args))

    yield op.name, function
    if op.inplace_input >= 0:
        yield f'{op.name}_', inplace_function


_OPS = {e.name: Op(e) for e in _lib.entries if not e.is_backward}
API = {
    name: function
    for op in _OPS.values()
    if not op.is_base
    for name, function in _functions(op)
}


def _is_distributed(op, args):
    return any(isinstance(t, Tensor) and t.is_dist() for t in args)


def _records_on_cpu(op, args):
    tensors = args[: len(op.inputs)]
    return (
        len(args) == op.arguments
        and isinstance(args[-1], bool)
        and all(
            isinstance(t, Tensor) and t.is_dense() and t.place.is_cpu_place()
            for t in tensors
        )
        and op.wants_gradient(tensors)
    )


def _with_ours(name, stock, stock_inplace, serves):
    """Paddle's operator and its in-place form, or ours where it `serves`."""
    op = _OPS[name]

    def choose(run, stock):
        def function(*args, **kwargs):
            if in_dygraph() and serves(op, args):
                size = len(op.inputs)
                return run(args[:size], args[size:])
            return stock(*args, **kwargs)

        return function

    inplace = functools.partial(run_inplace, op)
    return choose(op.run, stock), choose(inplace, stock_inplace)


# Of the release every rank gathers the whole of distributed Tensors.
sharded = functools.partial(_with_ours, serves=_is_distributed)
# The gradients of the release have no second order.
recorded = functools.partial(_with_ours, serves=_records_on_cpu)


def _check_version():
    """The compiled module fits one release of Paddle only."""
    from paddle.version import full_version

    if full_version != _lib.paddle_version:
        raise ImportError(
            f'paddle._native_lib was built for paddle {_lib.paddle_version}, '
            f'but this is paddle {full_version}: run '
            f'scripts/apply_and_build.sh again.'
        )


_check_version()
_static.load()
