import itertools
import re
import unittest
from unittest import mock

import numpy as np
from op_test import OpTest, skip_check_grad_ci
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


def diagonal(array, offset=0, axis1=0, axis2=1):
    """Return the diagonal as a writable view."""
    limit = max(array.shape)
    view = np.diagonal(array, max(-limit, min(offset, limit)), axis1, axis2)
    view.flags.writeable = True
    return view


def results_ref(x, y, out_grad, *args):
    """Return the result and the gradients of x and y."""
    out, x_grad = x.copy(), out_grad.copy()
    diagonal(out, *args)[...] = y
    diagonal(x_grad, *args)[...] = 0
    return [out, x_grad, diagonal(out_grad, *args)]


def results(x, y, out_grad, offset=0, axis1=0, axis2=1):
    out = paddle.diagonal_scatter(x, y, offset, axis1, axis2)
    return [out, *gradients([out], [x, y], [out_grad])]


def random_inputs(x_shape, *args, dtype='float64'):
    """Draw x, y and the gradient of out."""
    y_shape = diagonal(np.empty(x_shape), *args).shape
    return [random_bits(shape, dtype) for shape in (x_shape, y_shape, x_shape)]


class TestDiagonalScatterOp(OpTest):
    dtype_name = 'float64'
    x_shape = (40, 3, 4)
    offset, axis1, axis2 = 0, 1, 2

    def setUp(self):
        self.op_type = 'diagonal_scatter'
        self.python_api = self.public_python_api = paddle.diagonal_scatter
        args = self.offset, self.axis1, self.axis2
        x = random_numbers(self.x_shape, self.dtype_name)
        y = random_numbers(np.diagonal(x, *args).shape, self.dtype_name)
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'y': y}
        self.attrs = dict(zip(('offset', 'axis1', 'axis2'), args))
        self.outputs = {'out': results_ref(x, y, x, *args)[0]}

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        self.check_grad(['x', 'y'], 'out', check_pir=True)


class TestDiagonalScatterOpNegativeAxesAndOffset(TestDiagonalScatterOp):
    x_shape = (50, 3, 4)
    offset, axis1, axis2 = -1, -2, -1


class TestDiagonalScatterOpSwappedOuterAxes(TestDiagonalScatterOp):
    x_shape = (4, 50, 3)
    offset, axis1, axis2 = -1, 2, 0


@skip_check_grad_ci(reason='The gradient of y has no element.')
class TestDiagonalScatterOpEmptyDiagonal(TestDiagonalScatterOp):
    offset, axis1, axis2 = 4, 1, 2
    test_check_grad = None


create_dtype_classes(globals(), TestDiagonalScatterOp)


class TestDiagonalScatterAPI(unittest.TestCase):
    def check(self, tensors, *args):
        arrays = [tensor.numpy() for tensor in tensors]
        for tensor in tensors[:2]:
            tensor.stop_gradient = False
        actual = results(*tensors, *args)
        assert_same_bits(actual, results_ref(*arrays, *args))
        assert_same_bits(tensors, arrays)

    def check_shape(self, shape, *args, dtype='float64'):
        with self.subTest(shape=shape, args=args, dtype=dtype):
            arrays = random_inputs(shape, *args, dtype=dtype)
            tensors = [paddle.to_tensor(array, dtype) for array in arrays]
            self.check(tensors, *args)

    def test_every_dtype(self):
        for dtype in ALL_DTYPES:
            self.check_shape((5, 4, 7), 1, 1, 2, dtype=dtype)

    def test_every_pair_of_axes(self):
        for shape in (4, 7), (7, 4), (1, 1), (0, 3), (3, 4, 5), (2, 3, 1, 4):
            axes = range(-len(shape), len(shape))
            for axis1, axis2 in itertools.product(axes, axes):
                if (axis1 - axis2) % len(shape):
                    self.check_shape(shape, 0, axis1, axis2)
                    self.check_shape(shape, 1, axis1, axis2)
                    self.check_shape(shape, -2, axis1, axis2)

    def test_every_offset(self):
        limits = 8, 2**40, 2**63 - 1, 2**63, 2**70
        for offset in (*range(-8, 8), *limits, *(-n for n in limits)):
            self.check_shape((4, 7), offset, 0, 1)
            self.check_shape((4, 2, 7), offset, 2, 0)

    def test_large_tensors(self):
        # Several tiles, blocks and threads.
        self.addCleanup(core.set_num_threads, 1)
        for threads in (1, 2):
            core.set_num_threads(threads)
            self.check_shape((601, 503), -99, 1, 0)
            self.check_shape((2, 3, 50021), 1, 0, 1)
            self.check_shape((67, 71, 73), 3, 2, 0, dtype='complex64')
            self.check_shape((601, 503), 0, 0, 1, dtype='uint8')
        self.check_shape((2051, 2053), 0, 0, 1)

    def test_views_as_inputs(self):
        x, y, out_grad = map(
            paddle.to_tensor, random_inputs((4, 6, 5), 0, 0, 2)
        )
        self.check(
            [x.transpose([2, 1, 0]), y, out_grad.transpose([2, 1, 0])], 0, 2, 0
        )
        self.check([x[:, 1:, :4], y[1:], out_grad[:, 1:, :4]], 0, 0, 2)
        self.check([x[1], x[1, 0], out_grad[1]])

    def test_higher_orders(self):
        def function(x, y):
            return paddle.diagonal_scatter(x, y, 1)

        check_orders(function, [4, 5], [4], [4, 5])

    def test_gradient_of_wrong_shape_raises(self):
        x, y, out_grad = map(paddle.to_tensor, random_inputs((3, 4)))
        for tensor in x, y, out_grad:
            tensor.stop_gradient = False
        out = paddle.diagonal_scatter(x, y)
        grads = paddle.grad([out], [x, y], [out_grad], create_graph=True)
        names = 'out_grad', 'grad_x_grad', 'grad_y_grad'
        for tensor, name in zip((out, *grads), names):
            hook = tensor.register_hook(lambda grad: grad[1:])
            with self.assertRaisesRegex(ValueError, f'shape of {name} should'):
                tensor.sum().backward()
            hook.remove()

    def test_y_is_cast(self):
        for x_dtype in ALL_DTYPES:
            is_complex = x_dtype.startswith('complex')
            for dtype in ALL_DTYPES if is_complex else REAL_DTYPES:
                x = paddle.zeros([2, 3]).astype(x_dtype)
                y = paddle.to_tensor([1.0, 0.0]).astype(dtype)
                x.stop_gradient = y.stop_gradient = False
                out, *grads = results(x, y, x)
                self.assertEqual(out.dtype, x.dtype)
                self.assertEqual(out.astype('int32').sum().item(), 1)
                for grad, leaf in zip(grads, (x, y)):
                    self.assertEqual(grad.dtype, leaf.dtype)

    def test_argument_forms(self):
        x, y = paddle.zeros([2, 3]), paddle.ones([2])
        one, zero = paddle.to_tensor(1), paddle.to_tensor(0, 'uint8')
        args = {'x': x, 'y': y, 'offset': 1, 'axis1': 0, 'axis2': 1}
        for out in (
            x.diagonal_scatter(y, 1),
            paddle.diagonal_scatter(x, y, np.int64(1), np.int8(0), np.uint8(1)),
            paddle.diagonal_scatter(x, y, one, zero, one),
            paddle.diagonal_scatter(**args, name='name'),
            paddle.diagonal_scatter(input=x, src=y, offset=-1, dim1=1, dim2=0),
        ):
            self.assertEqual(out.tolist(), [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        for alias in {'input': x}, {'src': y}, {'dim1': 0}, {'dim2': 1}:
            with self.assertRaises((TypeError, ValueError)):
                paddle.diagonal_scatter(**args, **alias)


class TestDiagonalScatterStatic(unittest.TestCase):
    def test_unknown_dims(self):
        for args, *shapes in (
            ((0, 0, 1), (3, 4), (5, 2), (1, 1)),
            ((1, 1, 0), (3, 4), (2, 2)),
            ((-2, 0, 1), (3, 4), (9, 1)),
            ((-1, -1, 0), (2, 3, 4), (4, 2, 3)),
            ((0, 1, 3), (2, 3, 4, 5), (3, 2, 1, 4)),
        ):
            feeds = [random_inputs(shape, *args) for shape in shapes]
            all_results = run_program(
                lambda *v, a=args: results(*v, *a), *feeds
            )
            for actual, arrays in zip(all_results, feeds):
                assert_same_bits(actual, results_ref(*arrays, *args))

    def test_legacy_ir(self):
        with OldIrGuard():
            self.test_unknown_dims()

    def test_to_static_and_save(self):
        def function(x, y):
            return paddle.diagonal_scatter(x, y, 1)

        specs = [InputSpec([-1, -1], 'float64'), InputSpec([-1], 'float64')]
        arrays = random_inputs((3, 4), 1)
        x, y, out_grad = map(paddle.to_tensor, arrays)
        x.stop_gradient = y.stop_gradient = False
        for model in trace_and_save(function, specs):
            out = model(x, y)
            grads = paddle.grad([out], [x, y], [out_grad])
            assert_same_bits([out, *grads], results_ref(*arrays, 1))

    def test_raises_at_run_time(self):
        x, y, out_grad = random_inputs((3, 4))
        with self.assertRaises(ValueError):
            run_program(results, [x, y[1:], out_grad])


class TestDiagonalScatterErrors(unittest.TestCase):
    def check_error(self, error, text, x, y, *args):
        with self.subTest(x=x, y=y, args=args):
            with self.assertRaisesRegex(error, text):
                x, y = paddle.zeros(x), paddle.zeros(y)
                paddle.diagonal_scatter(x, y, *args)

    def test_invalid_axes_raise(self):
        for *args, text in (
            ([3], [3], 0, 0, 1, r'of axis2 .*\[-1, 1\) .*rank 1, .* 1\.'),
            ([], [], 0, 0, 1, r'of axis1 .*\[0, 0\) .*rank 0, .* 0\.'),
            ([3, 4], [3], 0, 2, 1, r'of axis1 .*\[-2, 2\) .* 2\.'),
            ([3, 4], [3], 0, -3, 1, r'of axis1 .*\[-2, 2\) .* -3\.'),
            ([3, 4], [3], 0, 0, 2, r'of axis2 .*\[-2, 2\) .* 2\.'),
            ([3, 4], [3], 0, 0, -3, r'of axis2 .*\[-2, 2\) .* -3\.'),
            ([3, 4], [3], 0, 2**31, 1, rf'of axis1 .* {2**31}\.'),
            ([3, 4], [3], 0, 0, 2**31, rf'of axis2 .* {2**31}\.'),
            ([3, 4], [3], 0, -(2**31) - 1, 1, rf'of axis1 .* -{2**31 + 1}\.'),
            ([3, 4], [3], 0, 0, -(2**31) - 1, rf'of axis2 .* -{2**31 + 1}\.'),
            ([3, 3], [3], 0, 1, 1, r'of axis1 and axis2 .* 1 and 1\.'),
            ([3, 3], [3], 0, 0, -2, r'of axis1 and axis2 .* 0 and -2\.'),
            ([3, 3], [3], 0, -1, 1, r'of axis1 and axis2 .* -1 and 1\.'),
        ):
            text = r'\(diagonal_scatter\) The values? ' + text
            self.check_error(AssertionError, text, *args)

    def test_wrong_shape_of_y_raises(self):
        for *args, shape in (
            ([3, 4], [4], 0, 0, 1, [3]),
            ([3, 4], [1], 4, 0, 1, [0]),
            ([3, 4], [1], -3, 0, 1, [0]),
            ([0, 3], [1], 0, 0, 1, [0]),
            ([3, 0], [1], 0, 0, 1, [0]),
            ([3, 4], [], 0, 0, 1, [3]),
            ([3, 4], [0], 0, 0, 1, [3]),
            ([3, 4], [1, 3], 0, 0, 1, [3]),
            ([3, 4], [3], 2, 0, 1, [2]),
            ([3, 4], [3], -1, 0, 1, [2]),
            ([2, 3, 4], [2, 4], 0, 0, 1, [4, 2]),
        ):
            text = '(diagonal_scatter) The shape of y should be the shape of diagonal(x, '
            text += 'offset={}, axis1={}, axis2={}), '.format(*args[2:])
            text += f'{shape}, but received {args[1]}.'
            self.check_error(AssertionError, re.escape(text), *args)

    def test_wrong_types_raise(self):
        tensors = [paddle.ones([2], 'int64')]
        tensors += [
            paddle.ones([], d) for d in ('bool', 'float32', 'complex64')
        ]
        for value in 1.5, [0], False, np.False_, *tensors:
            for i, name in enumerate(('offset', 'axis1', 'axis2')):
                args = [0, 0, 1]
                args[i] = value
                text = f'type of {name} should be int, but received'
                self.check_error(TypeError, text, [2, 2], [2], *args)
        x = paddle.zeros([2, 2])
        for value in None, 1.0, [[1.0] * 2], np.ones(2):
            text = 'type of {} should be Tensor, but received'
            with self.assertRaisesRegex(TypeError, text.format('x')):
                paddle.diagonal_scatter(value, x[0])
            with self.assertRaisesRegex(TypeError, text.format('y')):
                paddle.diagonal_scatter(x, value)
        with self.assertRaisesRegex(ValueError, 'y should not be complex'):
            paddle.diagonal_scatter(x, x[0].astype('complex64'))


class TestDiagonalScatterStaticErrors(TestDiagonalScatterErrors):
    def setUp(self):
        paddle.enable_static()
        self.addCleanup(paddle.disable_static)

    def test_wrong_dtype_of_y_raises(self):
        x, y = paddle.zeros([3, 4]), paddle.zeros([3], 'int32')
        with self.assertRaisesRegex(ValueError, 'dtype of y .*int32'):
            paddle._C_ops.diagonal_scatter(x, y, 0, 0, 1)

    def test_known_dim_bounds_the_diagonal(self):
        for x_dims, offset, limit in (
            ([3, -1], 0, 3),
            ([-1, 3], 2, 1),
            ([3, -1], -1, 2),
            ([-1, 3], 5, 0),
            ([-1, 3], -5, 3),
        ):
            x = paddle.static.data(f'x{x_dims}{offset}', x_dims)
            out = paddle.diagonal_scatter(x, paddle.zeros([limit]), offset)
            self.assertEqual(list(out.shape), x_dims)
            text = f'of y should be at most {limit} .* received {limit + 1}'
            with self.assertRaisesRegex(AssertionError, text):
                paddle.diagonal_scatter(x, paddle.zeros([limit + 1]), offset)

    def test_mismatched_known_dims_raise(self):
        x = paddle.static.data('x', [2, 3, -1, 4])
        y_dims = [2, -1, 4], [-1, 3], [3, -1, 3], [-1, -1, 2]
        for dims in y_dims:
            y = paddle.static.data(f'y{dims}', dims)
            with self.subTest(y=dims), self.assertRaises(AssertionError):
                paddle.diagonal_scatter(x, y, 0, 1, 3)


@mock.patch.object(manipulation, '_use_scatter_ops', lambda: False)
@mock.patch.object(paddle._C_ops, 'diagonal_scatter', None)
class TestDiagonalScatterWithoutKernel(
    TestDiagonalScatterAPI, TestDiagonalScatterStatic, TestDiagonalScatterErrors
):
    # The composition has only first-order gradients, and in the legacy IR it needs
    # known dims.
    test_higher_orders = test_legacy_ir = None
    test_gradient_of_wrong_shape_raises = test_large_tensors = None
    test_raises_at_run_time = None

    def test_every_dtype(self):
        # The composition casts bfloat16, which changes NaN payloads.
        for dtype in {*ALL_DTYPES} - {'bfloat16'}:
            self.check_shape((5, 4, 7), 1, 1, 2, dtype=dtype)

    def test_some_known_dims(self):
        paddle.enable_static()
        self.addCleanup(paddle.disable_static)
        for dims in ([3, -1], [-1, 3]):
            with paddle.static.program_guard(paddle.static.Program()):
                x = paddle.static.data('x', dims)
                out = paddle.diagonal_scatter(x, paddle.zeros([3]))
                (actual,) = paddle.static.Executor().run(
                    feed={'x': np.ones((3, 3), 'float32')}, fetch_list=[out]
                )
            self.assertEqual(actual.tolist(), (1 - np.eye(3)).tolist())
        x = paddle.static.data('batched_x', [-1, -1, 3, 4])
        y = paddle.static.data('batched_y', [-1, -1, 3])
        out = paddle.diagonal_scatter(x, y, 0, 2, 3)
        self.assertEqual(list(out.shape), [-1, -1, 3, 4])


if __name__ == '__main__':
    unittest.main()
