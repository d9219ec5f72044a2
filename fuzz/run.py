"""Runs one case and says what is wrong with it."""

import numpy as np
from op_table_graph import spec, static_mode

import paddle
from fuzz import arrays as made
from fuzz import faults, reference, torch_reference
from fuzz.guard import place


class NotApplicable(Exception):
    """The arguments leave no room for the fault of the case."""


def _place_all(case, arrays, needs_grad=()):
    return {
        name: place(
            array,
            case.layouts.get(name, ''),
            case.guard,
            stop_gradient=name not in needs_grad,
        )
        for name, array in arrays.items()
    }


def _call(case, tensors, attrs):
    """The API on Tensors in the order of its arguments."""
    x, *others = tensors
    name = case.api + '_' * case.inplace
    if case.method:
        return getattr(x, name)(*others, **attrs)
    return getattr(paddle, name)(x, *others, **attrs)


def _tensors(placed):
    return [one.tensor for one in placed.values()]


def _changed_inputs(placed, written=()):
    return [
        f"{name}: an input was changed"
        for name, one in placed.items()
        if name not in written and one.changed()
    ]


def _said(what, fault):
    return [f"{what}: {fault}"] if fault else []


def _named_gradients(case):
    return [{'x': 'x', 'source': case.source}[key] for key in case.grads_of]


def _check_torch(case, arguments, expected):
    """A reference that differs from PyTorch is a finding as well."""
    if not torch_reference.has(case, arguments.arrays):
        return []
    out = torch_reference.forward(case, arguments.arrays, arguments.attrs)
    return _said('torch, not the reference', expected.fault(out, case.dtype))


def _check_inplace(placed, x, out):
    problems = [] if out is x else ['the result is not x']
    if placed['x'].changed_outside():
        problems.append('x: memory outside the view was changed')
    return problems + _changed_inputs(placed, written=('x',))


def _check_other_threads(case, arguments, out):
    """The result has the same bits for another number of threads."""
    paddle.base.core.set_num_threads(3 - case.threads)
    placed = _place_all(case, arguments.arrays)
    again = _call(case, _tensors(placed), arguments.attrs).numpy()
    same = again.tobytes() == out.tobytes()
    return [] if same else ['the result depends on the number of threads']


def run_call(case, arguments):
    expected = reference.forward(case, arguments.arrays, arguments.attrs)
    placed = _place_all(case, arguments.arrays)
    tensors = _tensors(placed)
    result = _call(case, tensors, arguments.attrs)
    out = result.numpy()
    problems = _said('result', expected.fault(out, case.dtype))
    if case.inplace:
        problems += _check_inplace(placed, tensors[0], result)
    else:
        problems += _changed_inputs(placed)
    problems += _check_torch(case, arguments, expected)
    return problems + _check_other_threads(case, arguments, out)


def _compare_gradients(case, found, expected, what='gradient'):
    problems = []
    for key, grad in found.items():
        if grad is None:
            problems.append(f"{what} of {key}: None")
        else:
            fault = expected[key].fault(np.asarray(grad), case.dtype)
            problems += _said(f"{what} of {key}", fault)
    return problems


def _forward_for_gradients(case, placed, attrs):
    """The result; in place, of a copy of x, because x itself is a leaf."""
    tensors = _tensors(placed)
    if case.inplace:
        tensors[0] = paddle.assign(tensors[0])
    return _call(case, tensors, attrs)


def _second_order(case, placed, arguments, out, grad):
    """Problems of the gradient of the gradients, asked for on their own."""
    leaves = [placed[name].tensor for name in _named_gradients(case)]
    first = paddle.grad([out], leaves, [grad], create_graph=True)
    directions = {
        key: made.gradient(case, 'direction ' + key, tuple(leaf.shape))
        for key, leaf in zip(case.grads_of, leaves)
    }
    starts = [place(d, '', case.guard).tensor for d in directions.values()]
    (found,) = paddle.grad(first, [grad], starts)
    expected = reference.second_order(case, arguments.arrays, directions)
    fault = expected.fault(found.numpy(), case.dtype)
    return _said('second-order gradient', fault)


def _torch_gradients(case, arguments, out_grad, expected):
    arrays = arguments.arrays
    if not torch_reference.has_gradients(case, arrays):
        return []
    found = torch_reference.gradients(case, arrays, arguments.attrs, out_grad)
    return _compare_gradients(
        case, found, expected, 'torch, not the reference: gradient'
    )


def _place_for_gradients(case, arguments):
    """(out_grad, Placed inputs, Placed out_grad)"""
    out_grad = made.gradient(case, 'out_grad', made.out_shape(case))
    placed = _place_all(case, arguments.arrays, _named_gradients(case))
    layout = case.layouts.get('out_grad', '')
    start = place(out_grad, layout, case.guard, stop_gradient=False)
    return out_grad, placed, start


def run_grad(case, arguments):
    out_grad, placed, start = _place_for_gradients(case, arguments)
    expected = reference.gradients(case, arguments.arrays, out_grad)
    leaves = [placed[name].tensor for name in _named_gradients(case)]
    out = _forward_for_gradients(case, placed, arguments.attrs)
    grads = paddle.grad([out], leaves, [start.tensor], retain_graph=True)
    found = {key: g.numpy() for key, g in zip(case.grads_of, grads)}
    problems = _compare_gradients(case, found, expected)
    problems += _changed_inputs({**placed, 'out_grad': start})
    problems += _torch_gradients(case, arguments, out_grad, expected)
    if reference.has_second_order(case):
        problems += _second_order(case, placed, arguments, out, start.tensor)
    return problems


def _static_data(case, arrays):
    data = {}
    for name, array in arrays.items():
        shape, dtype = spec(array, case.known_dims)
        if name == 'index':  # scatter has to know that the second dim is 1
            shape[1:] = array.shape[1:]
        data[name] = paddle.static.data(name, shape, dtype)
    return data


def _run_program(case, arrays, attrs, out_grad=None):
    """The result and the gradients of a program made of the call alone."""
    feed = dict(arrays)
    if out_grad is not None:
        feed['out_grad'] = out_grad
    with static_mode():
        program = paddle.static.Program()
        with paddle.static.program_guard(program, paddle.static.Program()):
            data = _static_data(case, feed)
            start = data.pop('out_grad', None)
            leaves = [data[name] for name in _named_gradients(case)]
            for leaf in leaves if start is not None else ():
                leaf.stop_gradient = False
            fetched = [_call(case, list(data.values()), attrs)]
            if start is not None:
                fetched += paddle.static.gradients(fetched, leaves, [start])
        executor = paddle.static.Executor()
        return executor.run(program, feed=feed, fetch_list=fetched)


def run_static(case, arguments):
    arrays, attrs = arguments.arrays, arguments.attrs
    out_grad = None
    if case.grads_of:
        out_grad = made.gradient(case, 'out_grad', made.out_shape(case))
    out, *grads = _run_program(case, arrays, attrs, out_grad)
    expected = reference.forward(case, arrays, attrs)
    problems = _said('static result', expected.fault(out, case.dtype))
    eager = _call(case, _tensors(_place_all(case, arrays)), attrs).numpy()
    if eager.tobytes() != out.tobytes():
        problems.append('static result: other bits than in dygraph')
    if out_grad is not None:
        wanted = reference.gradients(case, arrays, out_grad)
        found = dict(zip(case.grads_of, grads))
        problems += _compare_gradients(case, found, wanted, 'static gradient')
    return problems


def _run_second_order(case, arguments):
    """A second-order gradient that does not exist must be an error."""
    if not case.grads_of or reference.has_second_order(case):
        raise NotApplicable
    _, placed, start = _place_for_gradients(case, arguments)
    out = _forward_for_gradients(case, placed, arguments.attrs)
    try:
        _second_order(case, placed, arguments, out, start.tensor)
    except (RuntimeError, ValueError):
        return []
    return ['second_order: expected an error']


def run_invalid(case, arguments):
    """The call must end in an exception and leave its inputs alone."""
    if case.fails_in_backward:
        return _run_second_order(case, arguments)
    if not faults.spoil(case, arguments):
        raise NotApplicable
    arrays, attrs = arguments.arrays, arguments.attrs
    placed = _place_all(case, arrays)
    in_program = not (case.known_dims or case.inplace)
    try:
        if in_program:
            _run_program(case, arrays, attrs)
        else:
            _call(case, _tensors(placed), attrs)
    except faults.expected_errors(case, in_program):
        return _changed_inputs(placed)
    return [f"{case.fault}: expected an error"]


def results(case):
    """What a call, or the gradients of one, give, without any check."""
    paddle.base.core.set_num_threads(case.threads)
    arguments = made.build(case)
    if case.way == 'call':
        placed = _place_all(case, arguments.arrays)
        return [_call(case, _tensors(placed), arguments.attrs).numpy()]
    _, placed, start = _place_for_gradients(case, arguments)
    leaves = [placed[name].tensor for name in _named_gradients(case)]
    out = _forward_for_gradients(case, placed, arguments.attrs)
    grads = paddle.grad([out], leaves, [start.tensor])
    return [out.numpy(), *(grad.numpy() for grad in grads)]


_WAYS = {
    'call': run_call,
    'grad': run_grad,
    'static': run_static,
    'invalid': run_invalid,
}


def run(case):
    """A list of what is wrong; None if the case can't be made."""
    paddle.base.core.set_num_threads(case.threads)
    try:
        return _WAYS[case.way](case, made.build(case))
    except NotApplicable:
        return None
    except Exception as error:  # a case must not end the worker
        said = ' '.join(str(error).split())
        return [f"raised {type(error).__name__}: {said[-300:]}"]
