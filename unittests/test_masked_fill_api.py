import re
import unittest
from fractions import Fraction

import numpy as np
from op_test import OpTest
from scatter_op_utils import (
    ALL_DTYPES,
    assert_same_bits,
    check_error,
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

FUNCTIONS = (paddle.masked_fill, paddle.masked_fill_)
# One dtype per element size, by which the kernels are instantiated.
DTYPES = ('int8', 'bfloat16', 'float32', 'int64', 'complex128')
INF, NAN = float('inf'), float('nan')
# {dtype of x: (scalar, stored element)}
NUMBERS = {
    'bool': ((0.5, 1), (NAN, 1), (1j, 1), (0, 0), ('0', 0), (np.bool_(1), 1)),
    'uint8': ((-2.7, 254), (-1, 255), (-255, 1), (255.9, 255)),
    'int8': ((True, 1), (127, 127), (-128, -128), (' 3 ', 3)),
    'int16': ((-2.7, -2), (32767, 32767)),
    'int32': ((2.7, 2), (complex(1, NAN), 1)),
    'int64': (
        *((n, n) for n in (2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63))),
        *((str(n), n) for n in (2**53 + 1, 2**63 - 1, -(2**63))),
        (np.int64(2**53 + 1), 2**53 + 1),
    ),
    'float16': ((65519.0, 65504), (65520, INF), (-1e9, -INF), ('-inf', -INF)),
    'bfloat16': ((1e39, INF), (0.5, 0.5)),
    'float32': ((-1e39, -INF), (NAN, NAN), (3 + 2j, 3), ('-0', -0.0)),
    'float64': ((0.1, 0.1), (10**400, INF), (np.float32(0.5), 0.5)),
    'complex64': ((-(10**400), -INF), (np.complex64(1 + 2j), 1 + 2j)),
    'complex128': ((0.1 + 0.2j, 0.1 + 0.2j), (1e308, 1e308)),
}
OUT_OF_RANGE = {
    'uint8': (256, -256, '300'),
    'int8': (128, -129, 300 + 1j),
    'int16': (32768,),
    'int32': (2.0**31, INF, NAN),
    'int64': (2.0**63, 10**400, str(2**63)),
}


def sum_to_shape(array, shape):
    size = np.prod(shape, dtype='int64')
    target = np.broadcast_to(np.arange(size).reshape(shape), array.shape)
    return np.bincount(target.ravel(), array.ravel(), size).reshape(shape)


def reference(x, mask, value, out_grad):
    """Return the result and the gradients of x and value."""
    # One element may have more dims than the result.
    fill = value.reshape(()) if value.size == 1 else value
    x_grad = sum_to_shape(np.where(mask, 0, out_grad), x.shape)
    value_grad = sum_to_shape(np.where(mask, out_grad, 0), fill.shape)
    return np.where(mask, fill, x), x_grad, value_grad.reshape(value.shape)


class TestMaskedFillOp(OpTest):
    dtype_name = 'float64'
    x_shape = mask_shape = value_shape = (12, 11)

    def setUp(self):
        self.op_type = 'masked_fill'
        self.python_api = self.public_python_api = paddle.masked_fill
        x = random_numbers(self.x_shape, self.dtype_name)
        value = random_numbers(self.value_shape, self.dtype_name)
        mask = random_bits(self.mask_shape, 'bool')
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'mask': mask, 'value': value}
        self.outputs = {'out': np.where(mask, value, x)}

    def test_check_output(self):
        # Paddle infers the symbolic shape of x, even if the mask is larger.
        same_shape = self.outputs['out'].shape == self.x_shape
        self.check_output(check_pir=True, check_symbol_infer=same_shape)

    def test_check_grad(self):
        self.check_grad(['x', 'value'], 'out', check_pir=True)


create_dtype_classes(globals(), TestMaskedFillOp)


class TestMaskedFillOpMiddleAxes(TestMaskedFillOp):
    x_shape = (20, 3, 5)
    mask_shape = value_shape = (20, 1, 5)


class TestMaskedFillOpBroadcastBoth(TestMaskedFillOp):
    x_shape, mask_shape, value_shape = (110, 1), (1, 3), (110, 3)


class TestMaskedFillOpValueRow(TestMaskedFillOp):
    x_shape, mask_shape, value_shape = (2, 110), (2, 110), (110,)


# The GPU kernel for a 0-D value lacks dtypes and gradients.
if not paddle.is_compiled_with_cuda():

    class TestMaskedFillOp0DValue(TestMaskedFillOp):
        value_shape = ()


class MaskedFillTest(unittest.TestCase):
    def setUp(self):
        # The GPU kernels lack some dtypes and gradients.
        self.addCleanup(paddle.set_device, paddle.get_device())
        paddle.set_device('cpu')
        self.addCleanup(core.set_num_threads, 1)
        np.random.seed(2026)

    def check(self, dtype, x_shape, mask, value_shape, functions=FUNCTIONS):
        """Compare results bit by bit, and gradients of small integers."""
        shape = np.broadcast_shapes(x_shape, mask.shape)
        x_array = random_bits(x_shape, dtype)
        value_array = random_bits(value_shape, dtype)
        x, value = paddle.to_tensor(x_array), paddle.to_tensor(value_array)
        x.stop_gradient = value.stop_gradient = dtype == 'bool'
        out_grad = np.random.randint(0, 3, shape)
        expected, *grads = reference(x_array, mask, value_array, out_grad)
        out_grad = paddle.to_tensor(out_grad).astype(dtype)
        for function in functions:
            if function is paddle.masked_fill_ and shape != x_shape:
                continue
            copy = paddle.assign(x)
            out = function(copy, paddle.to_tensor(mask), value)
            assert_same_bits(out, expected)
            if function is paddle.masked_fill_:
                self.assertIs(out, copy)
            else:
                assert_same_bits(copy, x_array)
            if not out.stop_gradient:
                actual = paddle.grad(out, [x, value], out_grad)
                rounded = [paddle.to_tensor(g).astype(dtype) for g in grads]
                assert_same_bits(actual, [g.numpy() for g in rounded])


class TestMaskedFillValues(MaskedFillTest):
    def test_lengths(self):
        # Blocks of 512 to 4096 elements; several threads and tiles from 128 KiB.
        core.set_num_threads(2)
        for size in (1, 3, 15, 33, 513, 4097, 140001):
            mask = random_bits(size, 'bool')
            for value_shape in ((size,), (1, 1), ()):
                for dtype in ALL_DTYPES:
                    with self.subTest(dtype=dtype, x=size, value=value_shape):
                        self.check(dtype, (size,), mask, value_shape)

    def test_broadcast(self):
        # Masks that are broadcast along 256 or more elements are copied by runs.
        # Threads share sums by columns, or by parts of rows.
        core.set_num_threads(2)
        for row in (1, 3, 20, 300, 5000, 40000):
            n = max(2, 20000 // row)
            for x_shape, mask_shape, value_shape in (
                ((n, row), (row,), (row,)),
                ((n, row), (n, 1), ()),
                ((n, row), (n, 1), (row,)),
                ((row,), (n, 1), ()),
                ((2, n, row), (2, 1, row), (n, 1)),
                ((2, n, row), (2, n, row), (2, 1, row)),
                ((n, 1), (n, row), (1, row)),
                ((2, 1, row), (n, 1), (1, n, row)),
                ((), (n, row), (n, 1)),
                ((n, row), (), ()),
                ((0, row), (row,), (row,)),
                ((1, row), (0, row), (1, 1, 1)),
            ):
                mask = random_bits(mask_shape, 'bool')
                for dtype in DTYPES:
                    with self.subTest(dtype=dtype, x=x_shape, mask=mask_shape):
                        self.check(dtype, x_shape, mask, value_shape)

    def test_large_output(self):
        core.set_num_threads(2)
        for mask_shape in ((64, 1), (64, 1 << 14)):
            mask = random_bits(mask_shape, 'bool')
            for value_shape in ((), (1, 1 << 14)):
                self.check('uint8', (64, 1 << 14), mask, value_shape)

    def test_non_contiguous_inputs(self):
        x, value = np.random.random((2, 30, 40))
        mask = random_bits((30, 40), 'bool')
        expected = reference(x, mask, value, value)
        tensors = [make_strided(array) for array in (x, mask, value)]
        out = make_strided(x).masked_fill_(*tensors[1:])
        assert_same_bits(out, expected[0])
        tensors[0].stop_gradient = tensors[2].stop_gradient = False
        out = tensors[0].masked_fill(*tensors[1:])
        grads = paddle.grad(out, tensors[::2], make_strided(value))
        assert_same_bits([out, *grads], [*expected])

    def test_overlapping_inputs(self):
        x, mask = np.random.random((30, 30)), random_bits((30, 30), 'bool')
        start, end = np.s_[:-1], np.s_[1:]
        for function in FUNCTIONS:
            for view in (
                lambda x: x,
                lambda x: x.T,
                lambda x: x[2],
                lambda x: x[3, 4],
            ):
                tensor = paddle.to_tensor(x)
                out = function(tensor, paddle.to_tensor(mask), view(tensor))
                assert_same_bits(out, np.where(mask, view(x), x))
            for i, j in ((start, start), (start, end), (end, start)):
                tensor, value = paddle.to_tensor(mask), paddle.to_tensor(~mask)
                out = function(tensor[i], tensor[j], value[i])
                expected = np.where(mask[j], ~mask[i], mask[i])
                assert_same_bits(out, expected)

    def test_mask_of_any_dtype(self):
        for dtype in ALL_DTYPES:
            mask = paddle.to_tensor([0.0, 1.0, 3.5, -0.0]).astype(dtype)
            for function in FUNCTIONS:
                out = function(input=paddle.zeros([4]), mask=mask, value=7)
                self.assertEqual(out.tolist(), [0.0, 7.0, 7.0, 0.0])
        mask = paddle.to_tensor([0.5, NAN])
        self.assertEqual(
            paddle.zeros([2]).masked_fill(mask, 7.0).tolist(), [7.0] * 2
        )
        mask = paddle.to_tensor(np.array([0, 2, 255], 'uint8')).view('bool')
        out = paddle.zeros([3]).masked_fill(mask, 7.0)
        self.assertEqual(out.tolist(), [0.0, 7.0, 7.0])

    def test_value_of_any_dtype(self):
        mask = paddle.to_tensor([True, False])
        value = paddle.to_tensor(300.0, stop_gradient=False)
        for dtype in ALL_DTYPES:
            x = paddle.zeros([2], dtype)
            out = paddle.masked_fill(x, mask, value)
            expected = value.astype(dtype).astype('float32').item()
            self.assertEqual(out.astype('float32').tolist(), [expected, 0])
            if 'int' not in dtype and dtype != 'bool':
                (grad,) = paddle.grad(out, value)
                self.assertEqual(grad.dtype, paddle.float32)
                self.assertEqual(grad.item(), 1.0)
            for function in FUNCTIONS:
                if 'complex' not in dtype:
                    text = 'dtype of value should not be complex'
                    with self.assertRaisesRegex(ValueError, text):
                        function(x, mask, value.astype('complex64'))


class TestMaskedFillNumber(MaskedFillTest):
    def test_dynamic_graph(self):
        mask = paddle.to_tensor([True, False])
        for dtype, pairs in NUMBERS.items():
            for number, element in pairs:
                expected = paddle.to_tensor(np.array([element, 0]))
                expected = expected.astype(dtype).numpy()
                for function in FUNCTIONS:
                    with self.subTest(number=str(number)[:30], dtype=dtype):
                        out = function(paddle.zeros([2], dtype), mask, number)
                        assert_same_bits(out, expected)
        for number in (0.0, -0.0, 0):
            out = paddle.ones([2]).masked_fill(mask, number)
            assert_same_bits(out, np.array([number, 1.0], 'float32'))

    def test_static_graph(self):
        for guard in (IrGuard, OldIrGuard):
            for dtype, pairs in NUMBERS.items():
                numbers, elements = zip(*pairs)
                with self.subTest(guard=guard.__name__, dtype=dtype), guard():
                    with paddle.static.program_guard(paddle.static.Program()):
                        x = paddle.zeros([1], dtype)
                        mask = paddle.ones([1], 'bool')
                        outs = [paddle.masked_fill(x, mask, n) for n in numbers]
                        outs = paddle.static.Executor().run(fetch_list=outs)
                expected = paddle.to_tensor(np.array(elements)).astype(dtype)
                expected = expected.numpy()
                self.assertEqual(outs[0].dtype, expected.dtype)
                np.testing.assert_array_equal(np.concatenate(outs), expected)

    def test_out_of_range_raises(self):
        mask = paddle.zeros([2], 'bool')
        for dtype, numbers in OUT_OF_RANGE.items():
            limits = np.iinfo(dtype)
            text = f'[{limits.min}, {limits.max}]'
            if dtype == 'uint8':
                text = '[-255, 255] (-1 means 255)'
            for number in numbers:
                error = f'{text} for x of dtype {dtype}, but received {number}'
                error = re.escape(error)
                for function in FUNCTIONS:
                    x = paddle.ones([2], dtype)
                    with self.subTest(number=str(number)[:30], dtype=dtype):
                        with self.assertRaisesRegex(ValueError, error):
                            function(x, mask, number)
                        self.assertEqual(x.inplace_version, 0)

    def test_non_numeric_value_raises(self):
        x, mask = paddle.ones([2]), paddle.ones([2], 'bool')
        for function in FUNCTIONS:
            text = 'value of value should be a number, but received '
            for value in ('abc', '1+2j', '1.5f'):
                error = re.escape(text + repr(value))
                with self.assertRaisesRegex(ValueError, error):
                    function(x, mask, value)
            text = (
                'type of value should be Tensor, a number or str, but received '
            )
            for value in (None, [1.0], np.ones(()), Fraction(1, 2)):
                error = f'{text}.*{type(value).__name__}'
                with self.assertRaisesRegex(TypeError, error):
                    function(x, mask, value)


class TestMaskedFillGradient(MaskedFillTest):
    def test_second_order(self):
        mask = random_bits((4, 1), 'bool')
        x = paddle.rand([3, 1, 5], 'float64')
        value = paddle.rand([5], 'float64')
        x.stop_gradient = value.stop_gradient = False
        expected = 6 * x * float(np.sum(~mask)), 6 * value * 3.0 * np.sum(mask)
        for fill, inputs in ((value, [x, value]), (0.5, [x])):
            out = paddle.masked_fill(x, paddle.to_tensor(mask), fill)
            grads = paddle.grad(out * out * out, inputs, create_graph=True)
            for grad, array in zip(paddle.grad(grads, inputs), expected):
                np.testing.assert_allclose(grad.numpy(), array.numpy())

    def test_of_value_alone(self):
        value = paddle.ones([2])
        value.stop_gradient = False
        mask = paddle.to_tensor([True, False])
        out = paddle.masked_fill(paddle.zeros([2]), mask, value)
        (grad,) = paddle.grad(out, value, paddle.to_tensor([3.0, 5.0]))
        self.assertEqual(grad.tolist(), [3.0, 0.0])

    def test_sums_accumulate_in_wider_type(self):
        first_terms = {'float16': 1, 'bfloat16': 1, 'float32': 2**24}
        for dtype, first in first_terms.items():
            for shape in ([4096, 1], [4096, 2]):
                x, value = paddle.zeros([2, *shape[1:]], dtype).unbind()
                out_grad = paddle.ones(shape, dtype)
                out_grad[0] = first
                for mask, operand in ((False, x), (True, value)):
                    x.stop_gradient = mask
                    value.stop_gradient = not mask
                    mask = paddle.full(shape, mask, 'bool')
                    out = paddle.masked_fill(x, mask, value)
                    (grad,) = paddle.grad(out, operand, out_grad)
                    grad = grad.astype('float32')
                    self.assertTrue((grad == 4095.0 + first).all())

    def test_backward_reads_mask_only(self):
        leaf = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        x, value = leaf * 1, leaf[:1] * 10
        mask = paddle.to_tensor([False, True])
        out = paddle.masked_fill(x, mask, value)
        x.zero_()
        value.zero_()
        # An infinite gradient under the mask must not reach x.
        out_grad = paddle.to_tensor([1.0, np.inf])
        (grad,) = paddle.grad(out, leaf, out_grad, retain_graph=True)
        self.assertEqual(grad.tolist(), [np.inf, 0.0])
        mask.fill_(False)
        with self.assertRaisesRegex(RuntimeError, 'tensor_version'):
            out.backward()


class TestMaskedFillStatic(MaskedFillTest):
    def setUp(self):
        super().setUp()
        paddle.enable_static()
        self.addCleanup(paddle.disable_static)

    def data(self, *shapes):
        dtypes = 'float64', 'bool', 'float32'
        return map(paddle.static.data, ('x', 'mask', 'value'), shapes, dtypes)

    def check_program(self, function):
        def results(x, mask, value):
            out = function(x, mask, value)
            return [out, *gradients([out * out], [x, value], None)]

        feeds = []
        for rows in ((3, 3, 1), (5, 1, 5), (1, 4, 4), (0, 1, 1)):
            x, mask, value = (np.random.random((n, 8)) for n in rows)
            feeds.append((x, mask < 0.5, value.astype('float32')))
        for feed, actual in zip(feeds, run_program(results, *feeds)):
            expected = reference(*feed, 2 * actual[0])
            np.testing.assert_array_equal(actual[0], expected[0])
            for grad, array in zip(actual[1:], expected[1:]):
                np.testing.assert_allclose(grad, array, 1e-6)

    def test_unknown_dims(self):
        self.check_program(paddle.masked_fill)
        with self.assertWarnsRegex(UserWarning, 'static graph'):
            self.check_program(paddle.masked_fill_)

    def test_legacy_ir(self):
        with OldIrGuard():
            self.check_program(paddle.masked_fill)

    def test_shape_of_value(self):
        for x, mask, value, out_shape in (
            ([2, 3], [2, 3], [2], None),
            ([2, 3], [2, 3], [-1, 2, 3], None),
            ([2, 3], [3], [4, 3], None),
            ([-1, 1], [1, 3], [2], None),
            ([2, 3], [2, 3], [0], None),
            ([2, 3], [2, 2], [1], None),
            ([2, 3], [2, 3], [-1, 1, -1], [2, 3]),
            ([-1, 3], [1, 3], [5, 3], [-1, 3]),
            ([-1, 3], [4, 3], [3], [4, 3]),
            ([2, 3], [-1, 3], [-1, 3], [2, 3]),
            ([2, 3], [-1, 1], [], [2, 3]),
            ([2, 3], [2, -1], [], [2, 3]),
        ):
            for guard in (IrGuard, OldIrGuard):
                with self.subTest(x=x, mask=mask, value=value), guard():
                    with paddle.static.program_guard(paddle.static.Program()):
                        tensors = self.data(x, mask, value)
                        if out_shape:
                            out = paddle.masked_fill(*tensors)
                            self.assertEqual(list(out.shape), out_shape)
                            continue
                        with self.assertRaisesRegex(ValueError, 'broadcast'):
                            paddle.masked_fill(*tensors)


class TestMaskedFillToStatic(MaskedFillTest):
    def test_traced_and_saved(self):
        spec = [InputSpec([-1, 8], dtype) for dtype in ('float64', 'bool')]
        spec.append(InputSpec([-1], 'float64'))
        for function in trace_and_save(paddle.masked_fill, spec):
            for rows, columns in ((5, 8), (1, 1)):
                mask = random_bits((rows, 8), 'bool')
                self.check('float64', (5, 8), mask, (columns,), [function])


class TestMaskedFillErrors(MaskedFillTest):
    def check_error(self, error, text, functions=FUNCTIONS, **changed):
        for function in functions:
            arguments = {
                'x': paddle.zeros([2, 3]),
                'mask': paddle.ones([2, 3], 'bool'),
                'value': 1.0,
                **changed,
            }
            check_error(self, function, error, text, **arguments)

    def test_invalid_arguments_raise(self):
        for shape in ([2, 2], [4, 1, 2], [0, 3]):
            mask = paddle.zeros(shape, 'bool')
            self.check_error(ValueError, 'shape of mask.*broadcast', mask=mask)
        for shape in ([2], [3, 3], [1, 2, 3], [3, 1], [0]):
            value, text = paddle.ones(shape), 'shape of value.*broadcast'
            self.check_error(ValueError, text, value=value)
            x = paddle.zeros([2, 1])  # value is not broadcast with x
            self.check_error(ValueError, text, x=x, mask=x == 0, value=value)
        for wrong in (None, np.ones((2, 3))):
            for name in ('x', 'mask'):
                text = (
                    f'type of {name} should be Tensor.*{type(wrong).__name__}'
                )
                self.check_error(TypeError, text, **{name: wrong})

    def test_inplace_mask_larger_than_x_raises(self):
        base = paddle.zeros([2, 3])
        for x, shape in ((base[:1], [2, 3]), (base, [1, 2, 3])):
            text = r'\(masked_fill_\) The shape of mask .*broadcastable to'
            mask = paddle.ones(shape, 'bool')
            self.check_error(ValueError, text, FUNCTIONS[1:], x=x, mask=mask)
        self.assertFalse(base.any())

    def test_inplace_leaf_raises(self):
        x = paddle.zeros([2, 3])
        x.stop_gradient = False
        text = r"\(masked_fill_\) Leaf Var .* doesn't stop gradient"
        self.check_error(ValueError, text, FUNCTIONS[1:], x=x)
        with paddle.no_grad():
            x.masked_fill_(x == 0, 1.0)
        self.assertTrue(x.all())

    def test_operator_raises(self):
        # The kernel would misinterpret the memory of mask or value.
        x, mask = paddle.zeros([2, 3]), paddle.ones([2, 3], 'bool')
        with self.assertRaises(ValueError):
            paddle._C_ops.masked_fill(x, x, x)
        with self.assertRaises(ValueError):
            paddle._C_ops.masked_fill(x, mask, mask)


if __name__ == '__main__':
    unittest.main()
