import re
import unittest
from functools import partial
from unittest import mock

import numpy as np
from op_test import OpTest
from scatter_op_utils import (
    ALL_DTYPES,
    REAL_DTYPES,
    assert_same_bits,
    check_orders,
    create_dtype_classes,
    gradients,
    random_bits,
    random_numbers,
    run_program,
    trace_and_save,
)

import paddle
from paddle.base import core
from paddle.pir_utils import OldIrGuard
from paddle.static import InputSpec
from paddle.tensor import manipulation


def results_ref(x, values, out_grad, axis, index):
    """Return the result and the gradients of x and values."""
    out, x_grad = x.copy(), out_grad.copy()
    np.moveaxis(out, axis, 0)[index, ...] = values
    np.moveaxis(x_grad, axis, 0)[index, ...] = 0
    return [out, x_grad, np.take(out_grad, index, axis)]


def results(x, values, out_grad, index=1, axis=0):
    out = paddle.select_scatter(x, values, axis, index)
    return [out, *gradients([out], [x, values], [out_grad])]


def random_inputs(x_shape, axis=0, dtype='float64'):
    """Draw x, values and the gradient of out."""
    shapes = x_shape, np.delete(x_shape, axis), x_shape
    return [random_bits(shape, dtype) for shape in shapes]


class TestSelectScatterOp(OpTest):
    dtype_name = 'float64'
    x_shape, axis, index = (3, 100), 0, 1

    def setUp(self):
        self.op_type = 'select_scatter'
        self.python_api = self.public_python_api = paddle.select_scatter
        x = random_numbers(self.x_shape, self.dtype_name)
        values = random_numbers(
            np.delete(self.x_shape, self.axis), self.dtype_name
        )
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'values': values}
        self.attrs = {'axis': self.axis, 'index': self.index}
        out = results_ref(x, values, x, self.axis, self.index)[0]
        self.outputs = {'out': out}

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


create_dtype_classes(globals(), TestSelectScatterOp)


class TestSelectScatterAPI(unittest.TestCase):
    def check(self, tensors, axis, index):
        arrays = [tensor.numpy() for tensor in tensors]
        for tensor in tensors[:2]:
            tensor.stop_gradient = False
        actual = results(*tensors, index, axis)
        assert_same_bits(actual, results_ref(*arrays, axis, index))
        assert_same_bits(tensors, arrays)

    def check_shape(self, shape, axis, index, dtype='float64'):
        with self.subTest(shape=shape, axis=axis, index=index, dtype=dtype):
            arrays = random_inputs(shape, axis, dtype)
            tensors = [paddle.to_tensor(array, dtype) for array in arrays]
            self.check(tensors, axis, index)

    def test_every_dtype(self):
        for dtype in ALL_DTYPES:
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

    def test_higher_orders(self):
        def function(x, values):
            return paddle.select_scatter(x, values, 0, 1)

        check_orders(function, [4, 5], [5], [4, 5])

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
        for x_dtype in ALL_DTYPES:
            is_complex = x_dtype.startswith('complex')
            for dtype in ALL_DTYPES if is_complex else REAL_DTYPES:
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
                assert_same_bits(actual, results_ref(*arrays, axis, index))

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
                assert_same_bits(actual, expected)

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
            models = trace_and_save(function, specs)
            for out in [model(x, values) for model in models]:
                grads = paddle.grad([out], [x, values], [out_grad])
                assert_same_bits([out, *grads], results_ref(*arrays, 1, 2))

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


@mock.patch.object(manipulation, '_use_scatter_ops', lambda: False)
@mock.patch.object(paddle._C_ops, 'select_scatter', None)
class TestSelectScatterWithoutKernel(
    TestSelectScatterAPI, TestSelectScatterStatic, TestSelectScatterErrors
):
    # The composition has only first-order gradients, and in the legacy IR it needs
    # known dims.
    test_higher_orders = test_legacy_ir = None
    test_gradient_of_wrong_shape_raises = test_large_tensors = None

    def test_every_dtype(self):
        # The composition casts bfloat16, which changes NaN payloads.
        for dtype in {*ALL_DTYPES} - {'bfloat16'}:
            self.check_shape((5, 4, 7), 1, 2, dtype)


if __name__ == '__main__':
    unittest.main()
