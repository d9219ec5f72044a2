import gc
import os
import re
import tempfile
import unittest
from functools import partial
from unittest import mock

import numpy as np
from op_test import OpTest, convert_float_to_uint16, skip_check_grad_ci

import paddle
from paddle.base import core
from paddle.pir_utils import OldIrGuard
from paddle.static import InputSpec
from paddle.tensor import manipulation

REAL_DTYPES = ['bool', 'uint8', 'int8', 'int16', 'int32', 'int64']
REAL_DTYPES += ['float16', 'bfloat16', 'float32', 'float64']
DTYPES = [*REAL_DTYPES, 'complex64', 'complex128']


def results_ref(x, values, out_grad, axis, index):
    """Return the result and the gradients of x and values."""
    out, x_grad = x.copy(), out_grad.copy()
    np.moveaxis(out, axis, 0)[index, ...] = values
    np.moveaxis(x_grad, axis, 0)[index, ...] = 0
    return [out, x_grad, np.take(out_grad, index, axis)]


def gradients(ys, xs, grad_ys, create_graph=False):
    if paddle.in_dynamic_mode():
        return paddle.grad(ys, xs, grad_ys, create_graph=create_graph)
    return paddle.static.gradients(ys, xs, grad_ys)


def results(x, values, out_grad, index=1, axis=0):
    out = paddle.select_scatter(x, values, axis, index)
    return [out, *gradients([out], [x, values], [out_grad])]


def higher_orders(*tensors):
    """Return gradients up to the fifth order; even ones equal calls of the operator."""
    outputs, grads, out_grad = [], None, None
    for i in 0, 3, 6:
        x, values, next_out_grad = tensors[i : i + 3]
        if grads is None:
            out = paddle.select_scatter(x, values, 0, 1)
        else:
            (out,) = gradients(grads, [out_grad], [x, values], True)
        out_grad = next_out_grad
        grads = gradients([out], [x, values], [out_grad], i < 6)
        outputs += [out, *grads]
    return outputs


def random_inputs(x_shape, axis=0, dtype='float64'):
    """Draw x, values and the gradient of out, with NaN payloads."""
    dtype = np.dtype('uint16' if dtype == 'bfloat16' else dtype)
    values = np.array([0, 1, 60, 127, 128, 240, 252, 255], 'uint8')
    inputs = []
    for shape in x_shape, np.delete(x_shape, axis), x_shape:
        size = int(np.prod(shape)) * dtype.itemsize
        data = values[np.random.randint(0, 8, min(size, 99991))]
        data = np.resize(data % 2 if dtype.kind == 'b' else data, size)
        inputs.append(data.view(dtype).reshape(shape))
    return inputs


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
            outputs = function(*inputs)
            run = partial(paddle.static.Executor().run, fetch_list=outputs)
            feeds = [{f'x{i}': a for i, a in enumerate(f)} for f in feeds]
            return [run(feed=feed) for feed in feeds]
    finally:
        paddle.disable_static()


def assert_bits_equal(actual, expected):
    for array, desired in zip(map(np.asarray, actual), expected):
        assert array.shape == desired.shape and array.dtype == desired.dtype
        if array.tobytes() != desired.tobytes():
            raise AssertionError(f'{array} differs from {desired}')


class TestSelectScatterOp(OpTest):
    x_dtype = 'float64'
    x_shape, axis, index = (3, 100), 0, 1

    def setUp(self):
        self.op_type = 'select_scatter'
        self.python_api = self.public_python_api = paddle.select_scatter
        x = self.random_array(self.x_shape)
        values = self.random_array(np.take(x, 0, self.axis).shape)
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'values': values}
        self.attrs = {'axis': self.axis, 'index': self.index}
        out = results_ref(x, values, x, self.axis, self.index)[0]
        self.outputs = {'out': out}

    def random_array(self, shape):
        array = np.random.uniform(-1, 1, shape)
        if self.x_dtype == 'bfloat16':
            return convert_float_to_uint16(np.asarray(array))
        if 'complex' in self.x_dtype:
            array = array + 1j * np.random.uniform(-1, 1, shape)
        elif 'float' not in self.x_dtype:
            array = np.maximum(array, 0) * 100
        return np.asarray(array, self.x_dtype)

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        self.check_grad(['x', 'values'], 'out', check_pir=True)


class TestSelectScatterOpNegativeAxisAndIndex(TestSelectScatterOp):
    x_shape, axis, index = (100, 4), -1, -3


class TestSelectScatterOpMiddleAxis(TestSelectScatterOp):
    x_shape, axis, index = (11, 3, 10), 1, 2


class TestSelectScatterOp0DValues(TestSelectScatterOp):
    x_shape, axis, index = (120,), 0, 7


@skip_check_grad_ci(reason='OpTest checks the gradient of float64 instead.')
class TestSelectScatterOpFP32(TestSelectScatterOp):
    x_dtype = 'float32'
    test_check_grad = None


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestSelectScatterOpBool(TestSelectScatterOp):
    x_dtype = 'bool'
    test_check_grad = None


def create_test_class(parent, dtype):
    name = f'{parent.__name__}_{dtype}'
    globals()[name] = type(name, (parent,), {'x_dtype': dtype})


for dtype in ('float16', 'bfloat16', 'complex64', 'complex128'):
    create_test_class(TestSelectScatterOp, dtype)
for dtype in ('uint8', 'int8', 'int16', 'int32', 'int64'):
    create_test_class(TestSelectScatterOpBool, dtype)


class TestSelectScatterAPI(unittest.TestCase):
    def check(self, tensors, axis, index):
        arrays = [tensor.numpy() for tensor in tensors]
        for tensor in tensors[:2]:
            tensor.stop_gradient = False
        actual = results(*tensors, index, axis)
        assert_bits_equal(actual, results_ref(*arrays, axis, index))
        assert_bits_equal(tensors, arrays)

    def check_shape(self, shape, axis, index, dtype='float64'):
        with self.subTest(shape=shape, axis=axis, index=index, dtype=dtype):
            arrays = random_inputs(shape, axis, dtype)
            tensors = [paddle.to_tensor(array, dtype) for array in arrays]
            self.check(tensors, axis, index)

    def test_every_dtype(self):
        for dtype in DTYPES:
            self.check_shape((5, 4, 7), 1, 2, dtype)

    def test_every_axis_and_index(self):
        shapes = (3,), (5, 1), (4, 20), (1, 3, 1), (2, 3, 2, 3), (0, 3), (2, 0)
        for shape in shapes:
            for axis in range(-len(shape), len(shape)):
                for index in range(-shape[axis], shape[axis]):
                    self.check_shape(shape, axis, index)

    def test_large_tensors(self):
        # Several tiles, blocks and threads.
        self.addCleanup(core.set_num_threads, 1)
        for threads in (1, 2):
            core.set_num_threads(threads)
            self.check_shape((3, 300007), 0, 1, 'float32')
            self.check_shape((300007, 3), 1, 2, 'int32')
            self.check_shape((2999, 3, 37), 1, 1)
            self.check_shape((777, 401), 1, 13, 'uint8')
        self.check_shape((1400003, 3), 1, 1)
        self.check_shape((3, 1400003), 1, 7)

    def test_views_as_inputs(self):
        tensors = [paddle.to_tensor(a) for a in random_inputs((4, 6, 5), 1)]
        self.check([tensor.T for tensor in tensors], 1, 2)
        self.check([tensor[1:, ..., ::2] for tensor in tensors], 1, -1)
        x, _, out_grad = map(paddle.to_tensor, random_inputs((4, 5)))
        self.check([x, x[1], out_grad], 0, 2)

    def test_gradients_of_one_input(self):
        arrays = random_inputs((3, 40))
        for i in (0, 1):
            tensors = [paddle.to_tensor(array) for array in arrays]
            leaf, out_grad = tensors[i], tensors[2]
            leaf.stop_gradient = out_grad.stop_gradient = False
            out = paddle.select_scatter(*tensors[:2], 0, 1)
            grads = paddle.grad([out], [leaf], [out_grad], create_graph=True)
            second = paddle.grad(grads, [out_grad], [leaf])
            expected = results_ref(*arrays, 0, 1)[1 + i : 2 + i]
            zeros = [np.zeros_like(array) for array in arrays]
            zeros[i] = arrays[i]
            expected += results_ref(*zeros, 0, 1)[:1]
            assert_bits_equal(grads + second, expected)

    def test_higher_orders(self):
        arrays = [a for _ in range(3) for a in random_inputs((4, 5))]
        expected = []
        for i in (0, 3, 6):
            expected += results_ref(*arrays[i : i + 3], 0, 1)
        tensors = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
        assert_bits_equal(higher_orders(*tensors), expected)
        assert_bits_equal(run_program(higher_orders, arrays)[0], expected)

    def test_gradient_of_wrong_shape_raises(self):
        x, values, out_grad = map(paddle.to_tensor, random_inputs((3, 4)))
        for tensor in x, values, out_grad:
            tensor.stop_gradient = False
        out = paddle.select_scatter(x, values, 0, 1)
        grads = paddle.grad([out], [x, values], [out_grad], create_graph=True)
        names = 'out_grad', 'grad_x_grad', 'grad_values_grad'
        for tensor, name in zip((out, *grads), names):
            hook = tensor.register_hook(lambda grad: grad[1:])
            with self.assertRaisesRegex(ValueError, f'shape of {name} should'):
                tensor.sum().backward()
            hook.remove()

    def test_values_are_cast(self):
        for x_dtype in DTYPES:
            is_complex = x_dtype.startswith('complex')
            for dtype in DTYPES if is_complex else REAL_DTYPES:
                x = paddle.zeros([2, 3]).astype(x_dtype)
                values = paddle.to_tensor([1.0, 0.0]).astype(dtype)
                x.stop_gradient = values.stop_gradient = False
                out, *grads = results(x, values, x, 0, 1)
                self.assertEqual(out.dtype, x.dtype)
                self.assertEqual(out.astype('int32').sum().item(), 1)
                for grad, leaf in zip(grads, (x, values)):
                    self.assertEqual(grad.dtype, leaf.dtype)

    def test_argument_forms(self):
        x, values = paddle.zeros([2, 3]), paddle.ones([2])
        axis, index = paddle.to_tensor(-1), paddle.to_tensor(2, 'uint8')
        args = {'x': x, 'values': values, 'axis': 1, 'index': 2}
        for out in (
            x.select_scatter(values, 1, 2),
            paddle.select_scatter(x, values, np.int64(1), np.int8(2)),
            paddle.select_scatter(x, values, axis, index),
            paddle.select_scatter(**args, name='name'),
            paddle.select_scatter(input=x, src=values, dim=1, index=2),
            paddle.select_scatter(x, value=values, axis=1, index=2),
        ):
            self.assertEqual(out.tolist(), [[0.0, 0.0, 1.0]] * 2)
        for alias in {'input': x}, {'src': x}, {'value': x}, {'dim': 1}:
            with self.assertRaises((TypeError, ValueError)):
                paddle.select_scatter(**args, **alias)


class TestSelectScatterStatic(unittest.TestCase):
    def test_unknown_dims(self):
        for axis, index, *shapes in (
            (0, -2, (3,), (8,)),
            (1, -2, (3, 4), (2, 2)),
            (-2, 2, (2, 3, 4), (5, 4, 1)),
        ):
            function = partial(results, index=index, axis=axis)
            feeds = [random_inputs(shape, axis) for shape in shapes]
            for actual, arrays in zip(run_program(function, *feeds), feeds):
                assert_bits_equal(actual, results_ref(*arrays, axis, index))

    def test_legacy_ir(self):
        with OldIrGuard():
            self.test_unknown_dims()

    def test_index_tensor(self):
        for dtype in 'int64', 'int32', 'uint8':
            indices = (0, 4) if dtype == 'uint8' else (-3, -1)
            feeds = [
                [*random_inputs(shape), np.array(index, dtype)]
                for shape, index in zip([(3, 4), (5, 2)], indices)
            ]
            for actual, arrays in zip(run_program(results, *feeds), feeds):
                expected = results_ref(*arrays[:3], 0, arrays[3])
                assert_bits_equal(actual, expected)

    def test_to_static_and_save(self):
        def constant_index(x, values):
            return paddle.select_scatter(x, values, -1, -2)

        def computed_index(x, values):
            return paddle.select_scatter(x, values, -1, x.shape[1] - 2)

        specs = [InputSpec([-1, -1], 'float64'), InputSpec([-1], 'float64')]
        arrays = random_inputs((3, 4), 1)
        x, values, out_grad = map(paddle.to_tensor, arrays)
        x.stop_gradient = values.stop_gradient = False
        for function in constant_index, computed_index:
            gc.collect()  # else jit may reuse objects of freed programs
            static = paddle.jit.to_static(function, specs, full_graph=True)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'model')
                paddle.jit.save(static, path)
                loaded = paddle.jit.load(path)
            loaded.train()
            for out in static(x, values), loaded(x, values):
                grads = paddle.grad([out], [x, values], [out_grad])
                assert_bits_equal([out, *grads], results_ref(*arrays, 1, 2))

    def test_raises_at_run_time(self):
        x, values, out_grad = arrays = random_inputs((3, 4))
        for index in (3, -4):
            with self.assertRaisesRegex(IndexError, f'index .* {index}'):
                run_program(partial(results, index=index), arrays)
            with self.assertRaises(IndexError):
                run_program(results, [*arrays, np.array(index)])
        with self.assertRaises(ValueError):
            run_program(results, [x, values[1:], out_grad])


class TestSelectScatterErrors(unittest.TestCase):
    def check_error(self, error, text, x, values, axis, index):
        with self.subTest(x=x, values=values, axis=axis, index=index):
            with self.assertRaisesRegex(error, text):
                x, values = paddle.zeros(x), paddle.zeros(values)
                paddle.select_scatter(x, values, axis, index)

    def test_out_of_range_raises(self):
        for *args, text in (
            ([3, 4], [4], 0, 3, r'index .*\[-3, 3\) .*axis 0, .*size 3,.* 3\.'),
            ([3, 4], [4], 0, -4, r'index .*\[-3, 3\) .* -4\.'),
            ([3, 4], [3], -1, 4, r'index .*\[-4, 4\) .*axis -1, .* 4\.'),
            ([3, 0], [3], 1, 0, r'index .* axis 1, .* size 0, .* 0\.'),
            ([3], [], 0, 2**40, rf'index .*\[-3, 3\) .* {2**40}\.'),
            ([3], [], 0, 2**63, rf'index .* {2**63}\.'),
            ([3], [], 0, -(2**63) - 1, rf'index .* -{2**63 + 1}\.'),
            ([], [], 0, 0, r'axis .*\[0, 0\) for x of rank 0, .* 0\.'),
            ([3, 4], [4], 2, 0, r'axis .*\[-2, 2\) .* 2\.'),
            ([3, 4], [4], -3, 0, r'axis .*\[-2, 2\) .* -3\.'),
            ([3], [], 2**31 - 1, 0, rf'axis .*\[-1, 1\) .* {2**31 - 1}\.'),
            ([3], [], 2**31, 0, rf'axis .* {2**31}\.'),
            ([3], [], -(2**31) - 1, 0, rf'axis .* -{2**31 + 1}\.'),
        ):
            text = r'\(select_scatter\) The value of ' + text
            self.check_error(IndexError, text, *args)

    def test_wrong_shape_of_values_raises(self):
        for *args, shape in (
            ([3, 4], [3], 0, 0, [4]),
            ([3, 4], [4], 1, 0, [3]),
            ([3, 4], [1, 4], -2, 0, [4]),
            ([3], [1], 0, 0, []),
            ([2, 3, 4], [4, 2], 1, 0, [2, 4]),
            ([0, 4], [3], 1, 0, [0]),
            ([3, 4], [0], 1, 0, [3]),
        ):
            text = f'without axis {args[2]}, {shape}, but received {args[1]}.'
            self.check_error(RuntimeError, re.escape(text), *args)

    def test_wrong_types_raise(self):
        tensors = [paddle.ones([2], 'int64')]
        tensors += [
            paddle.ones([], d) for d in ('bool', 'float32', 'complex64')
        ]
        for value in 1.5, [0], False, np.False_, *tensors:
            text = 'type of {} should be int, but received'
            args = TypeError, text.format('axis'), [2], []
            self.check_error(*args, value, 0)
            args = TypeError, text.format('index'), [2], []
            self.check_error(*args, 0, value)
        x = paddle.zeros([2, 2])
        for value in None, 1.0, [[1.0] * 2], np.ones(2):
            text = 'type of {} should be Tensor, but received'
            with self.assertRaisesRegex(TypeError, text.format('x')):
                paddle.select_scatter(value, x[0], 0, 0)
            with self.assertRaisesRegex(TypeError, text.format('values')):
                paddle.select_scatter(x, value, 0, 0)
        with self.assertRaisesRegex(ValueError, 'values should not be complex'):
            paddle.select_scatter(x, x[0].astype('complex64'), 0, 0)


class TestSelectScatterStaticErrors(TestSelectScatterErrors):
    def setUp(self):
        paddle.enable_static()
        self.addCleanup(paddle.disable_static)

    def test_wrong_dtype_of_values_raises(self):
        x, values = paddle.zeros([3, 4]), paddle.zeros([4], 'int32')
        with self.assertRaisesRegex(ValueError, 'dtype of values .*int32'):
            paddle._C_ops.select_scatter(x, values, 0, 0)

    def test_mismatched_known_dims_raise(self):
        x = paddle.static.data('x', [-1, 4, -1])
        for dims, index, error in (
            ([-1, -1, -1], 0, RuntimeError),
            ([-1], 0, RuntimeError),
            ([-1, 3], 4, IndexError),
            ([2, 3], -5, IndexError),
        ):
            values = paddle.static.data(f'values{len(dims)}{index}', dims)
            with self.subTest(dims=dims), self.assertRaises(error):
                paddle.select_scatter(x, values, 1, index)


class TestSelectScatterWithoutKernel(
    TestSelectScatterAPI, TestSelectScatterStatic, TestSelectScatterErrors
):
    # The composition has only first-order gradients, and in the legacy IR it needs
    # known dims.
    test_gradients_of_one_input = test_higher_orders = test_legacy_ir = None
    test_gradient_of_wrong_shape_raises = test_large_tensors = None

    def setUp(self):
        for owner, name, value in (
            (manipulation, '_use_scatter_ops', lambda: False),
            (paddle._C_ops, 'select_scatter', None),
        ):
            patch = mock.patch.object(owner, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def test_every_dtype(self):
        # The composition casts bfloat16, which changes NaN payloads.
        for dtype in {*DTYPES} - {'bfloat16'}:
            self.check_shape((5, 4, 7), 1, 2, dtype)


if __name__ == '__main__':
    unittest.main()
