import unittest
from unittest import mock

import numpy as np
from op_test import OpTest
from scatter_op_utils import (
    assert_same_bits,
    check_error,
    check_orders,
    create_dtype_classes,
    gradients,
    make_strided,
    random_bits,
    random_numbers,
    run_program,
    trace_and_save,
)

import paddle
from paddle.base import core
from paddle.pir_utils import IrGuard, OldIrGuard
from paddle.static import InputSpec
from paddle.tensor import manipulation

FUNCTIONS = (paddle.masked_scatter, paddle.masked_scatter_)
# One dtype per element size, by which the kernels are instantiated.
DTYPES = ('int8', 'bfloat16', 'float32', 'int64', 'complex128')


def reference(x, mask, value):
    shape = np.broadcast_shapes(x.shape, mask.shape)
    out = np.array(np.broadcast_to(x, shape))
    mask = np.broadcast_to(mask, shape)
    out[mask] = value.reshape(-1)[: np.count_nonzero(mask)]
    return out


def reference_grad(x_shape, mask, value_size, out_grad):
    size = np.prod(x_shape, dtype='int64')
    source = np.arange(size).reshape(x_shape)
    source = np.broadcast_to(source, out_grad.shape)
    mask = np.broadcast_to(mask, out_grad.shape)
    x_grad = np.bincount(source[~mask], out_grad[~mask], size)
    value_grad = np.zeros(value_size)
    value_grad[: np.count_nonzero(mask)] = out_grad[mask]
    return x_grad.reshape(x_shape), value_grad


def random_mask(shape, density=0.5):
    return np.asarray(np.random.random(shape) < density)


class TestMaskedScatterOp(OpTest):
    dtype_name = 'float64'
    x_shape = mask_shape = (12, 11)
    value_shape = (132,)

    def setUp(self):
        self.op_type = 'masked_scatter'
        self.python_api = self.public_python_api = paddle.masked_scatter
        x = random_numbers(self.x_shape, self.dtype_name)
        value = random_numbers(self.value_shape, self.dtype_name)
        mask = random_mask(self.mask_shape)
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'mask': mask, 'value': value}
        self.outputs = {'out': reference(x, mask, value)}

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        self.check_grad(['x', 'value'], 'out', check_pir=True)


class TestMaskedScatterOpBroadcastBoth(TestMaskedScatterOp):
    x_shape, mask_shape, value_shape = (110, 1), (1, 3), (110, 3)


create_dtype_classes(globals(), TestMaskedScatterOp)


class MaskedScatterTest(unittest.TestCase):
    def setUp(self):
        np.random.seed(2026)
        self.addCleanup(core.set_num_threads, 1)

    def check(self, dtype, x_shape, mask, spare=0, functions=FUNCTIONS):
        """Compare results bit by bit, and gradients of small integers."""
        shape = np.broadcast_shapes(x_shape, mask.shape)
        size = np.count_nonzero(np.broadcast_to(mask, shape)) + spare
        arrays = random_bits(x_shape, dtype), mask, random_bits([size], dtype)
        x, mask_tensor, value = map(paddle.to_tensor, arrays)
        x.stop_gradient = value.stop_gradient = dtype == 'bool'
        out_grad = np.random.randint(0, 3, shape)
        expected = reference_grad(x_shape, mask, size, out_grad)
        out_grad = paddle.to_tensor(out_grad).astype(dtype)
        for function in functions:
            if function is paddle.masked_scatter_ and shape != x_shape:
                continue
            copy = paddle.assign(x)
            out = function(copy, mask_tensor, value)
            assert_same_bits(out, reference(*arrays))
            if function is paddle.masked_scatter_:
                self.assertIs(out, copy)
            else:
                assert_same_bits(copy, arrays[0])
            if not out.stop_gradient:
                grads = paddle.grad(out, [x, value], out_grad)
                rounded = [paddle.to_tensor(g).astype(dtype) for g in expected]
                assert_same_bits(grads, [g.numpy() for g in rounded])


class TestMaskedScatterValues(MaskedScatterTest):
    def test_length_and_density(self):
        # Groups of 32 and blocks of up to 4096 elements; threads from 128 KiB.
        core.set_num_threads(2)
        for dtype in DTYPES:
            for size in (1, 7, 31, 32, 33, 65, 100, 4097, 140001):
                for density in (0, 0.02, 0.5, 0.98, 1):
                    with self.subTest(dtype=dtype, size=size, density=density):
                        self.check(dtype, (size,), random_mask(size, density))
                self.check(dtype, (size,), np.arange(size) < size // 2)

    def test_every_mask_of_eight_elements(self):
        mask = np.unpackbits(np.arange(256, dtype='uint8')).astype('bool')
        for dtype in (*DTYPES, 'bool', 'uint8', 'int16', 'int32', 'float16'):
            for spare in (0, 100):
                with self.subTest(dtype=dtype, spare=spare):
                    self.check(dtype, mask.shape, mask, spare)

    def test_mask_bytes_other_than_one(self):
        bytes_of_mask = np.resize(np.array([0, 2, 255], 'uint8'), 99)
        mask = paddle.to_tensor(bytes_of_mask).view('bool')
        for function in FUNCTIONS:
            out = function(paddle.zeros([99]), mask, paddle.ones([66]))
            self.assertEqual(out.tolist(), [0.0, 1.0, 1.0] * 33)

    def test_broadcast(self):
        core.set_num_threads(2)
        # Masks that are broadcast along 256 or more elements are copied by runs.
        for row in (1, 3, 20, 300, 5000):
            n = max(2, 3000 // row)
            for x_shape, mask_shape in (
                ((n, row), (row,)),
                ((n, row), (n, 1)),
                ((2, n, row), (2, 1, row)),
                ((n, 1), (n, row)),
                ((2, 1, row), (n, 1)),
                ((), (n, row)),
                ((n, row), ()),
                ((0, row), (row,)),
                ((1, row), (0, row)),
            ):
                for dtype in DTYPES:
                    with self.subTest(dtype=dtype, x=x_shape, mask=mask_shape):
                        self.check(dtype, x_shape, random_mask(mask_shape), 2)

    def test_large_output(self):
        core.set_num_threads(2)
        for mask_shape in ((64, 1), (64, 1 << 14)):
            self.check('uint8', (64, 1 << 14), random_mask(mask_shape))

    def test_non_contiguous_inputs(self):
        x, value = np.random.random((2, 30, 40))
        mask = random_mask((30, 40))
        expected = reference(x, mask, value)
        tensors = [make_strided(array) for array in (x, mask, value)]
        out = make_strided(x).masked_scatter_(*tensors[1:])
        assert_same_bits(out, expected)
        tensors[0].stop_gradient = tensors[2].stop_gradient = False
        out = paddle.masked_scatter(*tensors)
        assert_same_bits(out, expected)
        grads = paddle.grad(out, tensors[::2], make_strided(value))
        expected = reference_grad(x.shape, mask, x.size, value)
        for grad, array in zip(grads, expected):
            assert_same_bits(grad.flatten(), array.reshape(-1))

    def test_overlapping_inputs(self):
        x, mask = np.random.random((30, 30)), random_mask((30, 30), 0.4)
        start, end = np.s_[:-1], np.s_[1:]
        for function in FUNCTIONS:
            for view in (lambda x: x, lambda x: x.T, lambda x: x[7:]):
                tensor = paddle.to_tensor(x)
                operands = {'input': tensor, 'source': view(tensor)}
                out = function(**operands, mask=paddle.to_tensor(mask))
                expected = reference(x, mask, view(x))
                assert_same_bits(out, expected)
            for i, j in ((start, start), (start, end), (end, start)):
                tensor, value = paddle.to_tensor(mask), paddle.to_tensor(~mask)
                out = function(tensor[i], tensor[j], value)
                expected = reference(mask[i], mask[j], ~mask)
                assert_same_bits(out, expected)


class TestMaskedScatterGradient(MaskedScatterTest):
    def test_every_order(self):
        def function(x, value):
            return paddle.masked_scatter(x, paddle.assign(mask), value)

        mask = random_mask((4, 1))
        check_orders(function, (3, 1, 5), (70,), (3, 4, 5))

    def test_sums_accumulate_in_wider_type(self):
        first_terms = {'float16': 1, 'bfloat16': 1, 'float32': 2**24}
        for dtype, first in first_terms.items():
            for shape in ([4096, 1], [4096, 2]):
                x = paddle.zeros(shape[1:], dtype)
                value = paddle.zeros([0], dtype)
                x.stop_gradient = False
                out_grad = paddle.ones(shape, dtype)
                out_grad[0] = first
                out = x.masked_scatter(paddle.zeros(shape, 'bool'), value)
                out.backward(out_grad)
                grad = x.grad.astype('float32')
                self.assertTrue((grad == 4095.0 + first).all())

    def test_backward_reads_mask_only(self):
        leaf = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        x, value = leaf * 1, leaf * 10
        mask = paddle.to_tensor([True, False])
        out = paddle.masked_scatter(x, mask, value)
        x.zero_()
        value.zero_()
        # x_grad is selected, not multiplied: inf * 0 would be NaN. The infinity
        # is the gradient through value.
        out_grad = paddle.to_tensor([np.inf, 1.0])
        (grad,) = paddle.grad(out, leaf, out_grad, retain_graph=True)
        self.assertEqual(grad.tolist(), [np.inf, 1.0])
        mask.fill_(False)
        with self.assertRaisesRegex(RuntimeError, 'tensor_version'):
            out.backward()


class TestMaskedScatterStatic(MaskedScatterTest):
    def setUp(self):
        super().setUp()
        paddle.enable_static()
        self.addCleanup(paddle.disable_static)

    def data(self, *shapes):
        dtypes = 'float64', 'bool', 'float64'
        return map(paddle.static.data, ('x', 'mask', 'value'), shapes, dtypes)

    def check_program(self, function):
        def results(x, mask, value):
            out = function(x, mask, value)
            return [out, *gradients([out * out], [x, value], None)]

        feeds = []
        for rows in ((3, 3), (5, 1), (1, 4), (0, 1)):
            x, mask = (np.random.random((n, 8)) for n in rows)
            feeds.append((x, mask < 0.5, np.random.random(50)))
        for feed, actual in zip(feeds, run_program(results, *feeds)):
            expected = reference(*feed)
            grads = reference_grad(feed[0].shape, feed[1], 50, 2 * expected)
            np.testing.assert_array_equal(actual[0], expected)
            for grad, array in zip(actual[1:], grads):
                np.testing.assert_allclose(grad, array)

    def test_unknown_dims(self):
        self.check_program(paddle.masked_scatter)
        with self.assertWarnsRegex(UserWarning, 'static graph'):
            self.check_program(paddle.masked_scatter_)

    def test_legacy_ir(self):
        with OldIrGuard():
            self.check_program(paddle.masked_scatter)

    def test_inferred_shape(self):
        for x, mask, expected in (
            ([2, 1], [5, 1, 3], [5, 2, 3]),
            ([-1, 3], [-1, 1], [-1, 3]),
            ([-1, 3], [4, 1], [4, 3]),
            ([4, 3], [-1, 3], [4, 3]),
            ([1, 3], [-1, 3], [-1, 3]),
        ):
            with paddle.static.program_guard(paddle.static.Program()):
                out = paddle.masked_scatter(*self.data(x, mask, [-1]))
                self.assertEqual(list(out.shape), expected)
                self.assertEqual(out.dtype, paddle.float64)

    def test_wrong_types_raise(self):
        for guard in (IrGuard, OldIrGuard):
            with guard(), paddle.static.program_guard(paddle.static.Program()):
                x, mask, value = self.data([-1, -1], [-1, -1], [-1])
                for arguments, error, text in (
                    ((x, x, value), AssertionError, 'dtype of mask'),
                    ((x, mask, mask), AssertionError, 'dtype of value'),
                    ((x, mask, np.zeros(6)), TypeError, 'type of value'),
                ):
                    with self.assertRaisesRegex(error, text):
                        paddle.masked_scatter(*arguments)

    def test_raises_at_run_time(self):
        with paddle.static.program_guard(paddle.static.Program()):
            x, mask, value = self.data([-1, -1], [-1, -1], [-1])
            out = paddle.masked_scatter(x, mask, value)
            # On a GPU, a value that is too short traps.
            executor = paddle.static.Executor(paddle.CPUPlace())
            for mask_shape, size, text in (
                ((2, 2), 6, '(?i)broadcast'),
                ((2, 3), 5, r'(?s)\b6\b.*\b5\b'),
            ):
                feed = {'x': np.zeros((2, 3)), 'value': np.zeros(size)}
                feed['mask'] = np.ones(mask_shape, 'bool')
                with self.assertRaisesRegex((ValueError, IndexError), text):
                    executor.run(feed=feed, fetch_list=[out])


class TestMaskedScatterToStatic(MaskedScatterTest):
    def test_traced_and_saved(self):
        spec = [InputSpec([-1, 8], dtype) for dtype in ('float64', 'bool')]
        spec.append(InputSpec([-1], 'float64'))
        for function in trace_and_save(paddle.masked_scatter, spec):
            for rows in (5, 1):
                mask = random_mask((rows, 8))
                self.check('float64', (5, 8), mask, 3, [function])


class TestMaskedScatterErrors(unittest.TestCase):
    def setUp(self):
        # On a GPU, a value that is too short traps.
        self.addCleanup(paddle.set_device, paddle.get_device())
        paddle.set_device('cpu')

    def check(self, error, text, functions=FUNCTIONS, **changed):
        for function in functions:
            arguments = {
                'x': paddle.zeros([2, 3]),
                'mask': paddle.ones([2, 3], 'bool'),
                'value': paddle.ones([2, 3]),
                **changed,
            }
            check_error(self, function, error, text, **arguments)

    def test_too_few_values_raises(self):
        self.addCleanup(core.set_num_threads, 1)
        for needed in (1, 40, 5000, 300000):
            mask = np.arange(2 * needed).reshape(2, needed) < needed
            for threads in (1, 2):
                core.set_num_threads(threads)
                self.check(
                    AssertionError,
                    rf'(?s)masked_scatter.*\b{needed}\b.*\b{needed - 1}\b',
                    x=paddle.zeros([2, needed]),
                    mask=paddle.to_tensor(mask),
                    value=paddle.ones([needed - 1]),
                )

    def test_invalid_arguments_raise(self):
        def ones(shape, dtype):
            return paddle.ones(shape, dtype)

        for name, argument, error, text in (
            ('value', ones([1, 3], 'float32'), AssertionError, r'\b6\b'),
            ('value', ones([6], 'float64'), AssertionError, 'float32.*float64'),
            ('value', ones([6], 'bool'), AssertionError, 'dtype of value'),
            ('mask', ones([2, 3], 'uint8'), AssertionError, 'bool.*uint8'),
            ('mask', ones([2, 2], 'bool'), ValueError, 'broadcast'),
            ('mask', ones([0, 3], 'bool'), ValueError, 'broadcast'),
            ('x', None, TypeError, 'type of x should be Tensor.*NoneType'),
            ('mask', 1.0, TypeError, 'type of mask should be Tensor.*float'),
            ('value', np.ones(6), TypeError, 'type of value.*ndarray'),
        ):
            self.check(error, text, **{name: argument})

    def test_inplace_mask_larger_than_x_raises(self):
        base = paddle.zeros([2, 3])
        for x, shape in ((base[:1], [2, 3]), (base, [1, 2, 3])):
            text = r'\(masked_scatter_\) The shape of mask .*broadcastable to'
            mask = paddle.ones(shape, 'bool')
            self.check(ValueError, text, FUNCTIONS[1:], x=x, mask=mask)
        self.assertFalse(base.any())

    def test_inplace_leaf_raises(self):
        x = paddle.zeros([2, 3])
        x.stop_gradient = False
        text = r"\(masked_scatter_\) Leaf Var .* doesn't stop gradient"
        self.check(ValueError, text, FUNCTIONS[1:], x=x)
        with paddle.no_grad():
            x.masked_scatter_(x == 0, paddle.ones([6]))
        self.assertTrue(x.all())

    def test_operator_raises(self):
        x = paddle.zeros([2, 3])
        for mask, value, text in (
            (x, x, 'dtype of mask .*float32'),
            (x == 0, x == 0, 'dtype of value .*bool'),
            (paddle.ones([2, 2], 'bool'), x, 'shape of mask .*broadcast'),
        ):
            with self.assertRaisesRegex(ValueError, f'masked_scatter.*{text}'):
                paddle._C_ops.masked_scatter(x, mask, value)


@mock.patch.object(manipulation, '_use_scatter_ops', lambda: False)
class TestComposedMaskedScatter(MaskedScatterTest):
    def test_values_and_gradients(self):
        for dtype in ('float32', 'float64', 'complex128'):
            for x_shape, mask_shape in (
                ((5, 7), (5, 7)),
                ((5, 7), (7,)),
                ((5, 1), (5, 7)),
                ((), (3,)),
                ((), ()),
            ):
                with self.subTest(dtype=dtype, x=x_shape, mask=mask_shape):
                    self.check(dtype, x_shape, random_mask(mask_shape), 1)

    def test_casts_unsupported_dtypes(self):
        mask = paddle.to_tensor([True, False])
        for dtype in ('bool', 'uint8', 'int8', 'int16', 'float16', 'bfloat16'):
            value = paddle.ones([2, 2], dtype)
            for function in FUNCTIONS:
                x = paddle.zeros([2], dtype)
                out = function(x, mask, value)
                self.assertEqual(out.dtype, x.dtype)
                self.assertEqual(out.astype('int32').tolist(), [1, 0])
        empty = paddle.zeros([0, 2])
        out = paddle.masked_scatter(empty, mask, paddle.ones([0]))
        self.assertEqual(out.shape, [0, 2])


@mock.patch.object(manipulation, '_use_scatter_ops', lambda: False)
class TestComposedMaskedScatterStatic(TestMaskedScatterStatic):
    test_legacy_ir = test_inferred_shape = None


@mock.patch.object(manipulation, '_use_scatter_ops', lambda: False)
class TestComposedMaskedScatterErrors(TestMaskedScatterErrors):
    test_operator_raises = None


if __name__ == '__main__':
    unittest.main()
