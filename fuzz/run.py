"""Run one case and report its problems."""

import paddle
from fuzz import large, reference
from fuzz.compare import find_mismatch
from fuzz.draw import APIS, draw
from fuzz.guard import place

# Each API along large axes.
LARGE_APIS = tuple(f'large_{api}' for api in APIS)


def _place_all(case):
    return {
        name: place(
            array,
            case.layouts.get(name, ''),
            case.guard,
            stop_gradient=name not in case.wrt,
        )
        for name, array in case.arrays.items()
    }


def _call(case, tensors):
    """Call the API with Tensors in the order of its arguments."""
    x, *others = tensors
    name = case.api + '_' * case.inplace
    return getattr(paddle, name)(x, *others, **case.options)


def _tensors(placed):
    return [one.tensor for one in placed.values()]


def _changed_inputs(placed):
    return [
        f"{name}: an input was changed"
        for name, one in placed.items()
        if one.is_changed()
    ]


def _compare(name, actual, expected, dtype):
    problem = find_mismatch(actual, expected, dtype)
    return [f"{name}: {problem}"] if problem else []


def _check_other_threads(case, out):
    """Repeat the call with another number of threads; compare the bits."""
    paddle.base.core.set_num_threads(3 - case.threads)
    again = _call(case, _tensors(_place_all(case))).numpy()
    same = again.tobytes() == out.tobytes()
    return [] if same else ['the result depends on the number of threads']


def run_call(case):
    expected = reference.forward(case)
    placed = _place_all(case)
    result = _call(case, _tensors(placed))
    out = result.numpy()
    problems = _compare('result', out, expected, case.dtype)
    if case.inplace:
        x = placed.pop('x')
        if result is not x.tensor:
            problems.append('the result is not x')
        if x.is_changed_outside():
            problems.append('x: memory outside the view was changed')
    problems += _changed_inputs(placed)
    return problems + _check_other_threads(case, out)


def _gradients(case, placed, out_grad):
    """Return the result and the gradients of a call."""
    tensors = _tensors(placed)
    if case.inplace:
        tensors[0] = paddle.assign(tensors[0])  # x itself is a leaf
    out = _call(case, tensors)
    leaves = [placed[name].tensor for name in case.wrt]
    results = [out, *paddle.grad([out], leaves, [out_grad.tensor])]
    return [tensor.numpy() for tensor in results]


def _place_out_grad(case):
    layout = case.layouts.get('out_grad', '')
    return place(case.out_grad(), layout, case.guard)


def run_grad(case):
    expected = reference.gradients(case, case.out_grad())
    placed, out_grad = _place_all(case), _place_out_grad(case)
    _, *grads = _gradients(case, placed, out_grad)
    problems = _changed_inputs({**placed, 'out_grad': out_grad})
    for name, grad in zip(case.wrt, grads):
        what = f"gradient of {name}"
        problems += _compare(what, grad, expected[name], case.dtype)
    return problems


def results(case):
    """Return the result of a call, and its gradients if any, without checks."""
    paddle.base.core.set_num_threads(case.threads)
    placed = _place_all(case)
    if not case.wrt:
        return [_call(case, _tensors(placed)).numpy()]
    return _gradients(case, placed, _place_out_grad(case))


def run(seed, number, api):
    """Return a list of problems, or None for lack of memory."""
    try:
        if api in LARGE_APIS:
            return large.run(seed, number, api.removeprefix('large_'))
        case = draw(seed, number, api)
        paddle.base.core.set_num_threads(case.threads)
        return run_grad(case) if case.wrt else run_call(case)
    except Exception as error:  # must not end the worker
        message = ' '.join(str(error).split())
        return [f"raised {type(error).__name__}: {message[-300:]}"]
