"""Contracts of the kernels that InferMeta does not check."""

from dataclasses import replace

import numpy as np
import pytest

from native.tests.kernel_cases import CASES, unallocated
from native.tests.kernel_probe import run, tensor
from paddle.base import core

THREADS = [1, 3]


@pytest.fixture(params=THREADS, ids='{} threads'.format)
def threads(request):
    core.set_num_threads(request.param)
    yield request.param
    core.set_num_threads(1)  # Paddle's default


def call(kernel, inputs, like, attributes=()):
    """Call with arrays; return the outputs, which are like the arrays `like`."""
    outputs = [tensor(np.empty_like(a), memory=False) for a in like]
    run(kernel, 'float32', map(tensor, inputs), attributes, outputs)
    return outputs


@pytest.mark.parametrize('kernel', ['masked_fill', 'masked_scatter'])
@pytest.mark.parametrize('mask_shape', [(1, 3), (1, 1, 3)])
def test_x_grad_preserves_negative_zero(kernel, mask_shape):
    x = np.zeros(3, 'float32')
    grad = np.full(mask_shape, -0.0, 'float32')
    inputs = x, np.zeros(mask_shape, bool), x, grad
    x_grad, _ = call(f'{kernel}_grad', inputs, [x, x])
    assert np.signbit(x_grad.numpy()).all()


@pytest.mark.parametrize(
    'size, count', [(4, 0), (4, 2), (1 << 20, (1 << 20) - 2)]
)
def test_gradients_reject_too_few_values(threads, size, count):
    x, value = np.zeros(size, 'float32'), np.zeros(count, 'float32')
    inputs = x, np.ones(size, bool), value, x
    with pytest.raises(RuntimeError) as error:
        call('masked_scatter_grad', inputs, [x, value])
    assert 'masked_scatter_grad' in str(error.value)
    assert f'{size}' in str(error.value)
    assert f'received {count}' in str(error.value)
    with pytest.raises(RuntimeError, match='masked_scatter_double_grad'):
        call('masked_scatter_double_grad', [*inputs, x, value], [x])


# A case of each gradient kernel with x and out_grad.
GRADIENTS = {
    case.kernel: case
    for case in CASES
    if case.shapes['out'] == (5, 3)
    and {'x', 'out_grad'} <= {tensor.name for tensor in case.entry.tensors}
}


def check_rejected(case, name, shape):
    """Check that a Tensor of a wrong shape is an error that names both."""
    tensors = case.operands('float32')
    tensors[name] = tensor(np.ones(shape, 'float32'))
    outputs = [unallocated(shape, 'float32') for shape in case.result_shapes]
    with pytest.raises(RuntimeError, match=f'of {name} should be') as error:
        case.run('float32', tensors.values(), outputs)
    assert ', '.join(map(str, shape)) in str(error.value)


@pytest.mark.parametrize('case', GRADIENTS.values(), ids=str)
@pytest.mark.parametrize('shape', [(3,), (3, 5), (15,)], ids=str)
def test_gradients_reject_out_grad_of_wrong_shape(case, shape):
    check_rejected(case, 'out_grad', shape)


@pytest.mark.parametrize('name', ['grad_x_grad', 'grad_value_grad'])
def test_second_order_rejects_gradient_of_wrong_shape(name):
    case = GRADIENTS['masked_scatter_grad']
    check_rejected(
        replace(case, kernel='masked_scatter_double_grad'), name, (7,)
    )
