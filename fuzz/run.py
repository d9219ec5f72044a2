"""Compute the results and gradients of a case, and check them."""

from dataclasses import replace

import numpy as np

import paddle
from fuzz import reference
from fuzz.compare import find_mismatch
from fuzz.guard import place


def place_all(case):
    """Place the arrays of a case, and out_grad if it has gradients."""
    arrays = dict(case.arrays)
    if case.wrt:
        arrays['out_grad'] = case.out_grad()
    mask = arrays.get('mask')
    if mask is not None and mask.dtype == bool:
        # Bytes other than 0 and 1 are True, too.
        arrays['mask'] = (mask * np.uint8(171)).view(bool)
    return {
        name: place(array, case.layouts.get(name, ''), case.guard)
        for name, array in arrays.items()
    }


def compute(case, tensors):
    """Return {name: Tensor} of the result and the gradients of a call.

    A gradient transposes the operator, so that the gradient of the gradients with
    respect to out_grad, in the direction of the operands, is the operator again.
    """
    paddle.base.core.set_num_threads(case.threads)
    for name, tensor in tensors.items():
        tensor.stop_gradient = name not in case.wrt
    x, *others = (tensors[name] for name in case.arrays)
    if case.inplace and case.wrt:
        x = paddle.assign(x)  # x itself is a leaf
    # paddle.masked_scatter flattens value, which Paddle differentiates only once.
    is_flattened = case.second_order and case.api == 'masked_scatter'
    module = paddle._C_ops if is_flattened else paddle
    function = getattr(module, case.api + '_' * case.inplace)
    results = {'result': function(x, *others, **case.options)}
    if not case.wrt:
        return results
    out_grad = tensors['out_grad']
    out_grad.stop_gradient = not case.second_order
    wrt = [tensors[name] for name in case.wrt]
    grads = paddle.grad(
        [results['result']], wrt, [out_grad], create_graph=case.second_order
    )
    results |= {f'gradient of {n}': g for n, g in zip(case.wrt, grads)}
    if case.second_order:
        operands = [tensor.detach() for tensor in wrt]
        (results['second order'],) = paddle.grad(grads, [out_grad], operands)
    return results


def get_tensors(placed):
    return {name: one.tensor for name, one in placed.items()}


def results(case):
    """Return the arrays of the result and the gradients, without checks."""
    tensors = compute(case, get_tensors(place_all(case)))
    return [tensor.numpy() for tensor in tensors.values()]


def expected_results(case):
    """Return the expected results by the names of `compute`."""
    expected = {'result': reference.forward(case)}
    if case.wrt:
        grads = reference.gradients(case, case.out_grad())
        expected |= {f'gradient of {name}': grads[name] for name in case.wrt}
    if case.second_order:
        expected['second order'] = expected['result']
    return expected


def find_problems(case, placed, actual):
    """Compare the results of `compute`; check that it wrote nothing else."""
    expected = expected_results(case)
    problems = [
        f'{name}: {problem}'
        for name, tensor in actual.items()
        if (
            problem := find_mismatch(tensor.numpy(), expected[name], case.dtype)
        )
    ]
    inputs = dict(placed)
    if case.inplace and not case.wrt:
        x = inputs.pop('x')
        if actual['result'] is not x.tensor:
            problems.append('the result is not x')
        if x.is_changed(x.outside):
            problems.append('x: memory outside the view was changed')
    changed = [name for name, one in inputs.items() if one.is_changed()]
    return problems + [f'{name}: an input was changed' for name in changed]


def check(case):
    """Return the problems of a case, computed with two numbers of threads."""
    placed = place_all(case)
    actual = compute(case, get_tensors(placed))
    problems = find_problems(case, placed, actual)
    again = results(replace(case, threads=3 - case.threads))
    for (name, tensor), other in zip(actual.items(), again):
        if tensor.numpy().tobytes() != other.tobytes():
            problems.append(f'{name}: depends on the number of threads')
    return problems
