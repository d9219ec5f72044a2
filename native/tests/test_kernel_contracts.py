"""Contracts of the kernels that InferMeta does not check."""

import numpy as np
import pytest

from native.tests.kernel_probe import run, tensor
from paddle.base import core

THREADS = [1, 3]


@pytest.fixture(params=THREADS, ids='{} threads'.format)
def threads(request):
    core.set_num_threads(request.param)
    yield request.param
    core.set_num_threads(1)  # Paddle's default


def like(array):
    return tensor(np.empty_like(array), memory=False)


@pytest.mark.parametrize('kernel', ['masked_fill', 'masked_scatter'])
@pytest.mark.parametrize('mask_shape', [(1, 3), (1, 1, 3)])
def test_x_grad_preserves_negative_zero(kernel, mask_shape):
    x = np.zeros(3, 'float32')
    grad = np.full(mask_shape, -0.0, 'float32')
    x_grad, value_grad = like(x), like(x)
    inputs = x, np.zeros(mask_shape, bool), x, grad
    run(
        f'{kernel}_grad',
        'float32',
        map(tensor, inputs),
        [],
        [x_grad, value_grad],
    )
    assert np.signbit(x_grad.numpy()).all()


@pytest.mark.parametrize('size', [4, 1 << 20])
def test_gradients_reject_too_few_values(threads, size):
    x, value = np.zeros(size, 'float32'), np.zeros(size - 2, 'float32')
    inputs = [tensor(a) for a in (x, np.ones(size, bool), value, x)]
    with pytest.raises(RuntimeError) as error:
        run(
            'masked_scatter_grad',
            'float32',
            inputs,
            [],
            [like(x), like(value)],
        )
    assert 'masked_scatter_grad' in str(error.value)
    assert f'{size}' in str(error.value)
    assert f'{size - 2}' in str(error.value)
    inputs += [tensor(x), tensor(value)]
    with pytest.raises(RuntimeError, match='masked_scatter_double_grad'):
        run('masked_scatter_double_grad', 'float32', inputs, [], [like(x)])


ONE, TWO = np.zeros(3, 'float32'), np.zeros((4, 3), 'float32')
INDEX = np.zeros(4, 'int64')
REDUCE = [0, 'sum', True]
# (kernel, inputs before out_grad, attributes); the shape of out_grad is that of TWO.
GRADIENTS = [
    ('masked_fill_grad', [TWO, TWO > 0, TWO], []),
    ('masked_scatter_grad', [TWO, TWO > 0, TWO], []),
    ('select_scatter_grad', [TWO, ONE], [0, 1]),
    ('diagonal_scatter_grad', [TWO, ONE], [0, 0, 1]),
    ('index_scatter_grad', [TWO, INDEX, TWO], REDUCE),
    ('index_reduce_grad', [TWO, INDEX, TWO, TWO], [0, 'amax', True]),
]


@pytest.mark.parametrize('kernel, inputs, attributes', GRADIENTS)
@pytest.mark.parametrize('shape', [(3,), (4, 4), (12,)], ids=str)
def test_gradients_reject_out_grad_of_wrong_shape(
    kernel, inputs, attributes, shape
):
    grad = np.ones(shape, 'float32')
    outputs = [like(inputs[0]), like(inputs[-1])]
    with pytest.raises(RuntimeError) as error:
        run(
            kernel, 'float32', map(tensor, [*inputs, grad]), attributes, outputs
        )
    assert 'out_grad' in str(error.value)
    assert ', '.join(map(str, shape)) in str(error.value)


@pytest.mark.parametrize('name', ['grad_x_grad', 'grad_value_grad'])
def test_second_order_rejects_gradient_of_wrong_shape(name):
    inputs = {'x': TWO, 'mask': TWO > 0, 'value': TWO, 'grad_out': TWO}
    inputs |= {'grad_x_grad': TWO, 'grad_value_grad': TWO, name: ONE}
    with pytest.raises(RuntimeError, match=f'of {name} should be'):
        run(
            'masked_scatter_double_grad',
            'float32',
            map(tensor, inputs.values()),
            [],
            [like(TWO)],
        )
