"""Helpers of the tests of masked and scatter operators."""

import gc
import tempfile
from functools import partial

import numpy as np
from op_test import convert_float_to_uint16, skip_check_grad_ci

import paddle

INT_DTYPES = ['uint8', 'int8', 'int16', 'int32', 'int64']
REAL_DTYPES = ['bool', *INT_DTYPES, 'float16', 'bfloat16', 'float32', 'float64']
ALL_DTYPES = [*REAL_DTYPES, 'complex64', 'complex128']


def random_numbers(shape, dtype):
    array = np.random.uniform(0, 9, shape)
    if dtype == 'bfloat16':
        return convert_float_to_uint16(np.asarray(array))
    if dtype == 'bool':
        array = array > 4.5
    elif 'complex' in dtype:
        array = array - 1j * np.random.uniform(0, 9, shape)
    return np.asarray(array, dtype)


def random_bits(shape, dtype):
    """Draw bits, with many NaNs, whose payloads copies must preserve."""
    dtype = np.dtype('uint16' if dtype == 'bfloat16' else dtype)
    if dtype.kind == 'b':
        return np.asarray(np.random.random(shape) < 0.5)
    size = int(np.prod(shape)) * dtype.itemsize
    choices = np.array([*range(256), *[127, 255] * 64], 'uint8')
    data = np.random.choice(choices, min(size, 99991))
    return np.resize(data, size).view(dtype).reshape(shape)


def assert_same_bits(actual, expected):
    """Compare Tensors or arrays with arrays, or lists of them."""
    if isinstance(expected, list):
        assert len(actual) == len(expected)
        for pair in zip(actual, expected):
            assert_same_bits(*pair)
        return
    actual = np.asarray(actual)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if actual.tobytes() != expected.tobytes():
        raise AssertionError(f'{actual} differs from {expected}')


def create_dtype_classes(module, parent):
    """Create subclasses of an OpTest of float64 for the other dtypes."""
    for dtype in {*ALL_DTYPES} - {'float64'}:
        name = f'{parent.__name__}_{dtype}'
        case = module[name] = type(name, (parent,), {'dtype_name': dtype})
        # OpTest computes numeric gradients of float32 in float64. Those of
        # complex64 are computed in complex64, which is too imprecise.
        if dtype in ['bool', *INT_DTYPES, 'float32', 'complex64']:
            case.test_check_grad = None
            skip_check_grad_ci(reason='No numeric gradient.')(case)


def make_strided(array):
    """Return a Tensor that is not contiguous in any dim of a matrix."""
    padded = np.pad(np.repeat(array, 2, axis=1), 2)
    return paddle.to_tensor(padded.T).T[2:-2, 2:-2:2]


def gradients(outs, inputs, out_grads, create_graph=False):
    if paddle.in_dynamic_mode():
        return paddle.grad(outs, inputs, out_grads, create_graph=create_graph)
    return paddle.static.gradients(outs, inputs, out_grads)


def run_program(function, *feeds):
    """Build a program with unknown dims and run it on each list of arrays."""
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            inputs = [
                paddle.static.data(f'x{i}', [-1] * array.ndim, str(array.dtype))
                for i, array in enumerate(feeds[0])
            ]
            for data in inputs:
                data.stop_gradient = False
            outs = function(*inputs)
            run = partial(paddle.static.Executor().run, fetch_list=outs)
            feeds = [{f'x{i}': a for i, a in enumerate(f)} for f in feeds]
            return [run(feed=feed) for feed in feeds]
    finally:
        paddle.disable_static()


def trace_and_save(function, specs):
    """Return the function by to_static, and as saved and loaded."""
    gc.collect()  # else jit may reuse objects of freed programs
    traced = paddle.jit.to_static(function, specs, full_graph=True)
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(traced, f'{folder}/model')
        loaded = paddle.jit.load(f'{folder}/model')
    loaded.train()
    return traced, loaded


def check_error(test, function, error, text, **arguments):
    """Check that a call raises and does not change x."""
    with test.subTest(function=function.__name__, **arguments):
        with test.assertRaisesRegex(error, text):
            function(**arguments)
        x = arguments['x']
        if isinstance(x, paddle.Tensor):
            test.assertFalse(x.astype('bool').any())
            test.assertEqual(x.inplace_version, 0)


def list_orders(function, wrt, shapes):
    """Return outputs and gradients up to the fifth order, each with its equal."""
    values, grads, out_grad = [], None, None
    for order in 0, 2, 4:
        tensors = []
        for i, shape in enumerate(shapes):
            # Inputs without a gradient are zero.
            array = np.random.random(shape) * (i in [*wrt, 2])
            tensors.append(paddle.assign(array))
            tensors[i].stop_gradient = False
        *tensors, next_out_grad = tensors
        inputs = [tensors[i] for i in wrt]
        expected = out = function(*tensors)
        if order > 0:
            (out,) = gradients(grads, [out_grad], inputs, True)
        out_grad = next_out_grad
        grads = gradients([out], inputs, [out_grad], order < 4)
        both = gradients([function(*tensors)], tensors, [out_grad])
        values += [out, expected]
        for i, grad in zip(wrt, grads):
            values += [grad, both[i]]
    return values


def check_orders(function, *shapes):
    """Check the gradients of a linear function(x, values) up to the fifth order.

    Even orders equal the function, odd ones its gradient. The shapes are those of
    x, values and the output.
    """
    for wrt in [0, 1], [0], [1]:
        orders = partial(list_orders, function, wrt, shapes)
        (static,) = run_program(orders, [])
        for values in [np.asarray(value) for value in orders()], static:
            assert_same_bits(values[::2], values[1::2])
