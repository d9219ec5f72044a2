import gc
import os
import tempfile
import unittest
from unittest import mock

import numpy as np
from op_test import OpTest, convert_float_to_uint16, skip_check_grad_ci

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


def random_bits(shape, dtype):
    """Draw random bits: copies must preserve NaN payloads and -0.0."""
    if dtype == 'bool':
        return np.random.random(shape) < 0.5
    storage = np.dtype('uint16' if dtype == 'bfloat16' else dtype)
    size = int(np.prod(shape)) * storage.itemsize
    return np.frombuffer(np.random.bytes(size), storage).reshape(shape)


def random_mask(shape, density=0.5):
    return np.asarray(np.random.random(shape) < density)


class TestMaskedScatterOp(OpTest):
    dtype_name = 'float64'
    x_shape = mask_shape = (12, 11)
    value_shape = (132,)

    def setUp(self):
        self.op_type = 'masked_scatter'
        self.python_api = self.public_python_api = paddle.masked_scatter
        x, value = map(self.random_array, (self.x_shape, self.value_shape))
        mask = random_mask(self.mask_shape)
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'mask': mask, 'value': value}
        self.outputs = {'out': reference(x, mask, value)}

    def random_array(self, shape):
        array = np.random.uniform(0, 9, shape)
        if self.dtype_name == 'bfloat16':
            return convert_float_to_uint16(array)
        if self.dtype_name == 'bool':
            array = array > 4.5
        elif 'complex' in self.dtype_name:
            array = array - 1j * np.random.uniform(0, 9, shape)
        return array.astype(self.dtype_name)

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        self.check_grad(['x', 'value'], 'out', check_pir=True)


class TestMaskedScatterOpBroadcastBoth(TestMaskedScatterOp):
    x_shape, mask_shape, value_shape = (110, 1), (1, 3), (110, 3)


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestMaskedScatterOpBool(TestMaskedScatterOp):
    dtype_name = 'bool'
    test_check_grad = None


def create_test_class(parent, dtype):
    name = f'{parent.__name__}_{dtype}'
    globals()[name] = type(name, (parent,), {'dtype_name': dtype})


for dtype in ('float16', 'bfloat16', 'complex64', 'complex128'):
    create_test_class(TestMaskedScatterOp, dtype)
for dtype in ('uint8', 'int8', 'int16', 'int32', 'int64'):
    create_test_class(TestMaskedScatterOpBool, dtype)


class MaskedScatterTest(unittest.TestCase):
    def setUp(self):
        np.random.seed(2026)
        self.addCleanup(core.set_num_threads, 1)

    def assert_same_bits(self, tensor, expected):
        array = tensor.numpy()
        self.assertEqual(array.dtype, expected.dtype)
        self.assertEqual(array.shape, expected.shape)
        self.assertTrue(array.tobytes() == expected.tobytes())

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
            self.assert_same_bits(out, reference(*arrays))
            if function is paddle.masked_scatter_:
                self.assertIs(out, copy)
            else:
                self.assert_same_bits(copy, arrays[0])
            if not out.stop_gradient:
                grads = paddle.grad(out, [x, value], out_grad)
                for grad, array in zip(grads, expected):
                    rounded = paddle.to_tensor(array).astype(dtype)
                    self.assert_same_bits(grad, rounded.numpy())


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
        array = np.resize(random_bits([10007], 'uint8'), (64, 1 << 14))
        x, value = paddle.to_tensor(array), paddle.to_tensor(~array)
        x.stop_gradient = value.stop_gradient = False
        for shape in ((64, 1), (64, 1 << 14)):
            mask = np.resize(random_mask(10009), shape)
            out = paddle.masked_scatter(x, paddle.to_tensor(mask), value)
            expected = reference(array, mask, ~array)
            self.assert_same_bits(out, expected)
        x_grad, value_grad = paddle.grad(out, [x, value], x)
        self.assert_same_bits(x_grad, np.where(mask, 0, array))
        expected = np.zeros_like(array).reshape(-1)
        expected[: np.count_nonzero(mask)] = array[mask]
        self.assert_same_bits(value_grad.flatten(), expected)

    def test_non_contiguous_inputs(self):
        def strided(array):
            padded = np.pad(np.repeat(array, 2, axis=1), 2)
            return paddle.to_tensor(padded.T).T[2:-2, 2:-2:2]

        x, value = np.random.random((2, 30, 40))
        mask = random_mask((30, 40))
        expected = reference(x, mask, value)
        tensors = [strided(array) for array in (x, mask, value)]
        out = strided(x).masked_scatter_(*tensors[1:])
        self.assert_same_bits(out, expected)
        tensors[0].stop_gradient = tensors[2].stop_gradient = False
        out = paddle.masked_scatter(*tensors)
        self.assert_same_bits(out, expected)
        grads = paddle.grad(out, tensors[::2], strided(value))
        expected = reference_grad(x.shape, mask, x.size, value)
        for grad, array in zip(grads, expected):
            self.assert_same_bits(grad.flatten(), array.reshape(-1))

    def test_overlapping_inputs(self):
        x, mask = np.random.random((30, 30)), random_mask((30, 30), 0.4)
        start, end = np.s_[:-1], np.s_[1:]
        for function in FUNCTIONS:
            for view in (lambda x: x, lambda x: x.T, lambda x: x[7:]):
                tensor = paddle.to_tensor(x)
                operands = {'input': tensor, 'source': view(tensor)}
                out = function(**operands, mask=paddle.to_tensor(mask))
                expected = reference(x, mask, view(x))
                self.assert_same_bits(out, expected)
            for i, j in ((start, start), (start, end), (end, start)):
                tensor, value = paddle.to_tensor(mask), paddle.to_tensor(~mask)
                out = function(tensor[i], tensor[j], value)
                expected = reference(mask[i], mask[j], ~mask)
                self.assert_same_bits(out, expected)


class TestMaskedScatterGradient(MaskedScatterTest):
    def check_orders(self, used):
        """Check that odd orders are the gradient, even orders the operator."""

        def differentiable(array):
            tensor = paddle.assign(array)
            tensor.stop_gradient = False
            return tensor

        arrays = [np.zeros((3, 1, 5)), np.zeros(70)]
        for array in arrays[used]:
            array += np.random.random(array.shape)
        mask, out_grad = random_mask((4, 1)), np.random.random((3, 4, 5))
        expected = [
            *reference_grad((3, 1, 5), mask, 70, out_grad)[used],
            reference(arrays[0], mask, arrays[1]),
        ]
        x, value = map(paddle.assign, arrays)
        inputs = [x, value][used]
        for tensor in inputs:
            tensor.stop_gradient = False
        out, actual = paddle.masked_scatter(x, paddle.assign(mask), value), []
        gradient, options = paddle.static.gradients, {}
        for order in range(1, 6):
            if paddle.in_dynamic_mode():
                gradient, options = paddle.grad, {'create_graph': order < 5}
            if order % 2:
                grad = [differentiable(out_grad)]
                grads = gradient([out], inputs, grad, **options)
                actual += grads
            else:
                inputs = [differentiable(array) for array in arrays[used]]
                (out,) = gradient(grads, grad, inputs, **options)
                actual.append(out)
        if not paddle.in_dynamic_mode():
            actual = paddle.static.Executor().run(fetch_list=actual)
        for i, array in enumerate(actual):
            desired = expected[i % len(expected)]
            np.testing.assert_allclose(np.asarray(array), desired)

    def test_every_order(self):
        for used in (np.s_[:], np.s_[:1], np.s_[1:]):
            self.check_orders(used)
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program()):
                self.check_orders(used)
            paddle.disable_static()

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

    def data(self, x, mask, value, dtype='float64'):
        x = paddle.static.data('x', x, dtype)
        mask = paddle.static.data('mask', mask, 'bool')
        value = paddle.static.data('value', value, dtype)
        x.stop_gradient = value.stop_gradient = False
        return x, mask, value

    def check_program(self, function):
        """Feed several shapes to one program with unknown dims."""
        with paddle.static.program_guard(paddle.static.Program()):
            x, mask, value = self.data([-1, 8], [-1, 8], [-1])
            out = function(x, mask, value)
            grads = paddle.static.gradients([out * out], [x, value])
            for rows, mask_rows in ((3, 3), (5, 1), (1, 4), (0, 1)):
                x, value = np.random.random((rows, 8)), np.random.random(50)
                mask = random_mask((mask_rows, 8))
                actual = paddle.static.Executor().run(
                    feed={'x': x, 'mask': mask, 'value': value},
                    fetch_list=[out, *grads],
                )
                expected = reference(x, mask, value)
                np.testing.assert_array_equal(actual[0], expected)
                expected = reference_grad(x.shape, mask, 50, 2 * expected)
                for grad, array in zip(actual[1:], expected):
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
                out = paddle.masked_scatter(*self.data(x, mask, [-1], 'int8'))
                self.assertEqual(list(out.shape), expected)
                self.assertEqual(out.dtype, paddle.int8)

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
                ((2, 2), 6, '(?i)broadcast|mask'),
                ((2, 3), 5, r'(?s)\b6\b.*\b5\b'),
            ):
                feed = {'x': np.zeros((2, 3)), 'value': np.zeros(size)}
                feed['mask'] = np.ones(mask_shape, 'bool')
                with self.assertRaisesRegex((ValueError, IndexError), text):
                    executor.run(feed=feed, fetch_list=[out])


class TestMaskedScatterToStatic(MaskedScatterTest):
    def test_traced_and_saved(self):
        gc.collect()  # else jit may reuse objects of freed programs
        spec = [
            InputSpec([-1, 8], 'float64'),
            InputSpec([-1, 8], 'bool'),
            InputSpec([-1], 'float64'),
        ]
        traced = paddle.jit.to_static(
            paddle.masked_scatter, input_spec=spec, full_graph=True
        )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'masked_scatter')
            paddle.jit.save(traced, path)
            loaded = paddle.jit.load(path)
        loaded.train()
        for function in (traced, loaded):
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
            with self.subTest(function=function.__name__, changed=changed):
                with self.assertRaisesRegex(error, text):
                    function(**arguments)
                x = arguments['x']
                if isinstance(x, paddle.Tensor):  # unchanged
                    self.assertFalse(x.any())
                    self.assertEqual(x.inplace_version, 0)

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
            x, value = paddle.zeros([2], dtype), paddle.ones([1], dtype)
            out = paddle.masked_scatter(x, mask, value)
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
