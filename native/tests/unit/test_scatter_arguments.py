"""Arguments that unittests/ do not pass: legacy positions, and Tensors of the
other mode in a static graph."""

import pytest
from programs import static_mode

import paddle

X, ROW = paddle.zeros([3, 3]), paddle.ones([3])
INDEX, UPDATES = paddle.to_tensor([0, 2]), paddle.ones([2, 3])
MASK = paddle.to_tensor([True, False, True])
# {function: Tensors and other arguments}
CALLS = {
    'masked_scatter': ({'x': X, 'mask': MASK, 'value': X}, {}),
    'masked_fill': ({'x': X, 'mask': MASK}, {'value': 2.0}),
    'select_scatter': ({'x': X, 'values': ROW}, {'axis': 0, 'index': 1}),
    'diagonal_scatter': (
        {'x': X, 'y': ROW},
        {'offset': 0, 'axis1': 0, 'axis2': 1},
    ),
    'scatter': ({'x': X, 'index': INDEX, 'updates': UPDATES}, {}),
}
MEAN = {'overwrite': False, 'reduce': 'mean'}


@pytest.mark.parametrize('function', [paddle.scatter, paddle.scatter_])
@pytest.mark.parametrize('name', ['a', None])
def test_fifth_argument_is_axis_if_new_ones_follow(function, name):
    text = r'\(scatter_?\) The type of axis should be int'
    for new in ({'reduce': 'mul'}, {'include_self': True}, {'reduce': 'sum'}):
        with pytest.raises(TypeError, match=text):
            function(X.clone(), INDEX, UPDATES, False, name, **new)
        with pytest.raises(TypeError, match=text):
            function(X.clone(), INDEX, UPDATES, False, axis=name)


def test_error_abbreviates_long_values():
    with pytest.raises(TypeError, match='index should be int') as caught:
        paddle.select_scatter(X, ROW, 0, [0] * 10**6)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize('name', ['select_scatter', 'diagonal_scatter'])
def test_tensor_in_place_of_int_raises_in_static_graph(name):
    tensors, options = CALLS[name]
    # Only the index of select_scatter may be a Tensor.
    for argument in options.keys() - {'index'}:
        with static_mode():
            static = {n: paddle.zeros(t.shape) for n, t in tensors.items()}
            number = paddle.zeros([], 'int64')
            text = f'The type of {argument} should be int'
            with pytest.raises(TypeError, match=text):
                getattr(paddle, name)(**static, **options | {argument: number})


@pytest.mark.parametrize(
    ('name', 'options'),
    [
        *((name, options) for name, (_, options) in CALLS.items()),
        *(('scatter', {**MEAN, 'reduce': reduce}) for reduce in ('sum', 'mul')),
    ],
)
def test_eager_tensors_raise_in_static_graph(name, options):
    tensors, _ = CALLS[name]
    for eager in (*zip(tensors), tensors):
        with static_mode():
            arguments = {
                n: t if n in eager else paddle.zeros(t.shape, t.dtype)
                for n, t in tensors.items()
            }
            with pytest.raises(TypeError, match=f'{name}|index_'):
                getattr(paddle, name)(**arguments, **options)


@pytest.mark.parametrize('name', ['select_scatter', 'diagonal_scatter'])
def test_sparse_tensors_raise_value_error(name):
    # The functions convert other ValueErrors, about shapes.
    tensors, options = CALLS[name]
    for argument, dense in tensors.items():
        sparse = dense.to_sparse_coo(dense.ndim)
        text = f'{argument} should be a dense Tensor'
        with pytest.raises(ValueError, match=text):
            getattr(paddle, name)(**tensors | {argument: sparse}, **options)
