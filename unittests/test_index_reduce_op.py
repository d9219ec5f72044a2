import unittest
from itertools import product

import numpy as np
from op_test import OpTest, skip_check_grad_ci
from scatter_op_utils import random_bits

import paddle
from paddle import _C_ops

# numpy.uint16 represents bfloat16.
INT_DTYPES = [np.uint8, np.int8, np.int16, np.int32, np.int64]
COMPLEX_DTYPES = [np.complex64, np.complex128]
GRAD_DTYPES = [np.float16, np.uint16, np.float32, np.float64, *COMPLEX_DTYPES]
ALL_DTYPES = [np.bool_, *INT_DTYPES, *GRAD_DTYPES]
RTOL = dict(zip(GRAD_DTYPES, [1e-3, 1e-2, 1e-5, 1e-12, 1e-5, 1e-12]))
# The operator index_scatter serves the first three, index_reduce the others.
UFUNCS = {
    'assign': None,
    'sum': np.add,
    'mean': np.add,
    'mul': np.multiply,
    'amax': np.maximum,
    'amin': np.minimum,
}
LINEAR_REDUCES = ['assign', 'sum', 'mean']


def random_array(shape, dtype, reduce, special=()):
    """Draw numbers whose products neither overflow nor vanish, and `special`."""
    if dtype in [np.bool_, *INT_DTYPES]:
        return random_bits(shape, dtype)
    signs = np.random.choice([-1.0, 1.0], shape)
    array = signs * np.random.uniform(0.8, 1.25, shape)
    if special and reduce not in LINEAR_REDUCES:  # equal elements
        array = np.random.choice([0.5, 1.0, 1.1, -0.7, 1.3], shape)
    if special:
        where = np.random.random(shape) < 0.1
        array = np.where(where, np.random.choice(special, shape), array)
    if dtype in COMPLEX_DTYPES:
        array = array * np.exp(1j * np.random.random(shape))
    return narrow(array, dtype)


def widen(array, reduce=None):
    """Convert to the accumulation type."""
    if array.dtype == np.uint16:
        return (array.astype('uint32') << 16).view('float32')
    if array.dtype.kind in 'iu' and reduce == 'mean':
        return array.astype('int64')
    return array.astype('float32') if array.dtype == np.float16 else array


def narrow(array, dtype):
    if dtype == np.uint16:
        return paddle.to_tensor(array, 'float32').astype('bfloat16').numpy()
    return array.astype(dtype)


def divide_by_counts(out, slices, include_self):
    """Divide the slices of a sum by the number of terms."""
    slices, counts = np.unique(slices, return_counts=True)
    counts = (counts + include_self).reshape(-1, *[1] * (out.ndim - 1))
    divide = np.floor_divide if out.dtype == np.int64 else np.true_divide
    for part in [out.real, out.imag] if np.iscomplexobj(out) else [out]:
        part[slices] = divide(part[slices], counts.astype(part.dtype))


def reference(x, index, updates, axis, reduce, include_self):
    out = np.moveaxis(widen(x, reduce), axis, 0).copy()
    rows = np.moveaxis(widen(updates, reduce), axis, 0)
    slices = all_slices = index % max(len(out), 1)
    if reduce == 'assign':
        out[slices] = rows
    else:
        if not include_self:
            touched, first = np.unique(slices, return_index=True)
            out[touched] = rows[first] + 0  # a sum starts with 0.0, not -0.0
            slices, rows = (np.delete(a, first, 0) for a in [slices, rows])
        UFUNCS[reduce].at(out, slices, rows)
    if reduce == 'mean':
        divide_by_counts(out, all_slices, include_self)
    return narrow(np.moveaxis(out, 0, axis).copy(), x.dtype)


def linear_grad_reference(out_grad, index, axis, reduce, include_self):
    """Compute the gradients of x and updates."""
    x_grad = np.moveaxis(widen(out_grad, reduce), axis, 0).copy()
    slices = index % len(x_grad)
    if reduce == 'mean':
        divide_by_counts(x_grad, slices, include_self)
    updates_grad = x_grad[slices]
    if reduce == 'assign':
        last = {s: i for i, s in enumerate(slices)}
        lost = [i for i, s in enumerate(slices) if last[s] != i]
        updates_grad[lost] = 0
    if reduce == 'assign' or not include_self:
        x_grad[slices] = 0
    return [
        narrow(np.moveaxis(grad, 0, axis).copy(), out_grad.dtype)
        for grad in [x_grad, updates_grad]
    ]


def shares(rows, reduce):
    """Return the derivative of the reduction with respect to each row."""
    if reduce == 'mul':
        ones = np.ones_like(rows[:1])
        before = np.cumprod(np.concatenate([ones, rows[:-1]]), 0)
        after = np.cumprod(np.concatenate([ones, rows[:0:-1]]), 0)[::-1]
        return np.conj(before * after)
    best = UFUNCS[reduce].reduce(rows)
    ties = (rows == best) | (np.isnan(rows) & np.isnan(best))
    return ties / ties.sum(0)


def grad_reference(x, index, updates, out_grad, axis, reduce, include_self):
    """Compute the gradients of x and updates in double precision."""
    wide = np.result_type(np.float64, widen(x))
    x, updates, x_grad = (
        np.moveaxis(widen(a).astype(wide), axis, 0)
        for a in [x, updates, out_grad]
    )
    updates_grad = np.empty_like(updates)
    slices = index % len(x)
    order = np.argsort(slices, kind='stable')
    touched, starts = np.unique(slices[order], return_index=True)
    for s, at in zip(touched, np.split(order, starts[1:])):
        rows = np.concatenate([x[[s]][:include_self], updates[at]])
        grads = shares(rows, reduce) * x_grad[s]
        updates_grad[at] = grads[include_self:]
        x_grad[s] = grads[0] if include_self else 0
    return [np.moveaxis(grad, 0, axis) for grad in [x_grad, updates_grad]]


def shape_of_updates(x_shape, axis, length):
    shape = list(x_shape)
    shape[axis] = length
    return shape


def op_name(reduce):
    return 'index_scatter' if reduce in LINEAR_REDUCES else 'index_reduce'


def index_reduce(x, index, updates, axis, reduce, include_self, suffix=''):
    op = getattr(_C_ops, op_name(reduce) + suffix)
    return op(x, index, updates, axis, reduce, include_self)


class TestIndexReduceOp(OpTest):
    x_dtype = np.float64
    x_shape, axis, length = (14, 11), 0, 15
    reduce, include_self = 'sum', True

    def setUp(self):
        self.op_type = op_name(self.reduce)
        self.python_api = index_reduce
        self.dtype = self.x_dtype
        size = self.x_shape[self.axis]
        updates_shape = shape_of_updates(self.x_shape, self.axis, self.length)
        self.inputs = {
            'x': random_array(self.x_shape, self.dtype, self.reduce),
            'index': np.random.randint(-size, size, self.length),
            'updates': random_array(updates_shape, self.dtype, self.reduce),
        }
        self.attrs = {
            'axis': self.axis,
            'reduce': self.reduce,
            'include_self': self.include_self,
        }
        out = reference(*self.inputs.values(), *self.attrs.values())
        self.outputs = {'out': out}

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        self.check_grad(['x', 'updates'], 'out', check_pir=True)


class TestIndexReduceAssign(TestIndexReduceOp):
    reduce = 'assign'


class TestIndexReduceMean(TestIndexReduceOp):
    reduce = 'mean'


class TestIndexReduceMul(TestIndexReduceOp):
    reduce = 'mul'


class TestIndexReduceAmax(TestIndexReduceOp):
    reduce = 'amax'


class TestIndexReduceLastAxis(TestIndexReduceMean):
    x_shape, axis, length = (13, 9), 1, 15


@skip_check_grad_ci(reason='The data type has no numeric gradient.')
class TestIndexReduceInt32(TestIndexReduceOp):
    x_dtype = np.int32
    test_check_grad = None


class TestIndexReduceMulInt32(TestIndexReduceInt32):
    reduce = 'mul'


def create_test_class(parent, dtype):
    name = f'{parent.__name__}_{dtype.__name__}'
    globals()[name] = type(name, (parent,), {'x_dtype': dtype})


for dtype in [np.float16, np.uint16, np.complex64, np.complex128]:
    create_test_class(TestIndexReduceMean, dtype)
    create_test_class(TestIndexReduceMul, dtype)
create_test_class(TestIndexReduceOp, np.float16)


# (shape of x, axis, length of the index). They select the CPU algorithm.
SIZES = [
    ([1], 0, 3),
    ([50], 0, 7),
    ([50], 0, 70),
    ([19, 150], 1, 201),  # tiles of 8 rows and 64 columns
    ([9, 70], 1, 4200),  # more than 4096 index entries
    ([3, 40], -1, 60),
    ([9, 900], 1, 100),
    ([500, 5], 0, 700),  # short rows
    ([7, 60, 3], 1, 90),
    ([40, 70], 0, 500),  # segments
    ([3, 30, 90], -2, 25),
    ([6, 2500], 0, 20),
    ([700, 80], 0, 9),  # sparse index
    ([700, 20], 0, 9),
    # rows around the limits between algorithms
    *(([9, width], 0, 60) for width in [2, 17, 64, 65, 257]),
    *(([70, width], 0, 60) for width in [4, 8, 64]),
]
# Sizes for several threads.
LARGE_SIZES = [
    ([3, 3000, 3], 1, 12003),
    ([9000, 5], 0, 12001),
    ([5300, 100], 0, 500),
    ([17, 1500], 1, 1500),
    ([9, 100], 1, 66000),
    ([50, 700], 0, 300),
    ([3, 7500], 0, 60),
    ([1500, 1], 0, 39941),
    ([1400, 300], 0, 20),
]
# Half types accumulate these axes in accumulators of several times their size.
LONG_AXES = [([33000, 4], 0, 8000), ([640000], 0, 12000)]
ATTRS = [('assign', True), *product([*UFUNCS][1:], [True, False])]


class TestIndexReduceSizes(unittest.TestCase):
    def setUp(self):
        np.random.seed(2026)
        self.addCleanup(paddle.base.core.set_num_threads, 1)

    def random_index(self, size, length):
        """Draw duplicates; at least a quarter of the slices has no update."""
        num_slices = max(1, min(size * 3 // 4, length // 2))
        # Uniform, or most of them in a few slices.
        power = np.random.choice([1, 1, 6])
        slices = num_slices * np.random.random(length) ** power
        index = np.random.permutation(size)[slices.astype('int64')]
        num_negative = np.random.choice([0, 1, length])
        index[:num_negative] -= size
        return index.astype(np.random.choice(['int32', 'int64']))

    def check_output(self, out, expected, exact):
        out = out.numpy()
        self.assertEqual((out.dtype, out.shape), (expected.dtype, exact.shape))
        self.assertEqual(out[exact].tobytes(), expected[exact].tobytes())
        rtol = RTOL[out.dtype.type] if np.iscomplexobj(out) else 0
        np.testing.assert_allclose(
            widen(out[~exact]), widen(expected[~exact]), rtol
        )

    def check(self, dtype, size, *attrs):
        shape, axis, length = size
        is_linear = attrs[0] in LINEAR_REDUCES
        has_grad = dtype in (ALL_DTYPES[1:] if is_linear else GRAD_DTYPES)
        special = [np.nan, np.inf, -np.inf]
        if is_linear or attrs[0] == 'mul':
            special = [-0.0]
        index = self.random_index(shape[axis], length)
        updates_shape = shape_of_updates(*size)
        updates = random_array(updates_shape, dtype, attrs[0], special)
        # Slices without an update keep NaN payloads. In a mean, clang divides them
        # by 1, which makes signaling NaNs quiet.
        x = random_bits(shape, dtype)
        with np.errstate(all='ignore'):
            x = np.where((x == x) | (attrs[0] != 'mean'), x, x * dtype(1))
        touched = (slice(None),) * (axis % len(shape)) + (np.unique(index),)
        x[touched] = random_array(x[touched].shape, dtype, attrs[0], special)
        out_grad = random_array(shape, dtype, attrs[0])
        rest = np.ones(shape, bool)
        rest[touched] = False
        expected_grads = []
        with np.errstate(all='ignore'):
            expected = reference(x, index, updates, axis, *attrs)
            expected[rest] = x[rest]
            if has_grad and is_linear:
                expected_grads = linear_grad_reference(
                    out_grad, index, axis, *attrs
                )
            elif has_grad:
                expected_grads = grad_reference(
                    x, index, updates, out_grad, axis, *attrs
                )
        tensors = [paddle.to_tensor(a) for a in [x, index, updates]]
        clones = [tensor.clone() for tensor in tensors]
        out = index_reduce(*clones, axis, *attrs, '_')
        self.assertIs(out, clones[0])
        self.check_output(out, expected, rest | is_linear)
        for tensor in tensors[::2]:
            tensor.stop_gradient = not has_grad
        out = index_reduce(*tensors, axis, *attrs)
        self.check_output(out, expected, rest | is_linear)
        self.assertEqual(tensors[0].numpy().tobytes(), x.tobytes())
        if is_linear:  # gradients do not read x and updates
            with paddle.no_grad():
                tensors[0].zero_()
                tensors[2].zero_()
        for wrt in [[0, 2], [0], [2]] if has_grad else []:
            inputs = [tensors[i] for i in wrt]
            grad = paddle.to_tensor(out_grad)
            grads = paddle.grad(out, inputs, grad, retain_graph=True)
            for i, grad in zip(wrt, grads):
                self.check_grad(grad, expected_grads[i // 2], out, is_linear)

    def check_grad(self, grad, expected, out, exact):
        self.assertEqual(grad.dtype, out.dtype)
        grad = grad.numpy()
        if exact:
            self.assertEqual(grad.shape, expected.shape)
            self.assertEqual(grad.tobytes(), expected.tobytes())
        else:
            dtype = grad.dtype.type
            atol = 1e-5 if dtype in GRAD_DTYPES[:2] else 1e-12
            np.testing.assert_allclose(widen(grad), expected, RTOL[dtype], atol)

    def check_all(self, dtypes, sizes, all_attrs):
        for dtype, size, attrs in product(dtypes, sizes, all_attrs):
            unsupported = {np.bool_: ['mean', 'mul', 'amax', 'amin']}
            unsupported |= dict.fromkeys(COMPLEX_DTYPES, ['amax', 'amin'])
            if attrs[0] not in unsupported.get(dtype, []):
                with self.subTest(dtype=dtype, size=size, attrs=attrs):
                    self.check(dtype, size, *attrs)

    def test_dtypes_and_sizes(self):
        self.check_all(ALL_DTYPES, SIZES, ATTRS)

    def test_multithreaded(self):
        paddle.base.core.set_num_threads(3)
        attrs = [a for a in ATTRS if a[0] != 'amin']  # like amax
        self.check_all([np.float32], LARGE_SIZES, attrs)
        self.check_all([np.uint16], [*LARGE_SIZES[:3], *LONG_AXES], attrs)


class TestIndexReduceValues(unittest.TestCase):
    def test_output_larger_than_the_caches(self):
        x = np.arange(70000 * 128, dtype='float32').reshape(70000, 128)
        for length in [100, 66000]:
            index = np.random.permutation(70000)[:length]
            expected, x_grad = x.copy(), x.copy()
            expected[index], x_grad[index] = x[:length], 0
            tensors = [paddle.to_tensor(a) for a in [x, index, x[:length]]]
            tensors[0].stop_gradient = tensors[2].stop_gradient = False
            for reduce in ['assign', 'sum']:
                out = index_reduce(*tensors, 0, reduce, False)
                self.assertTrue((out.numpy() == expected).all())
            grads = paddle.grad(out, tensors[::2], tensors[0])
            self.assertTrue((grads[0].numpy() == x_grad).all())
            self.assertTrue((grads[1].numpy() == x[index]).all())

    def test_rounding_of_half_types(self):
        bits = np.arange(2**16, dtype='uint16')
        index = np.arange(2**16)
        for x, reduce in product(
            [bits, bits.view('float16')], ['sum', 'mean', 'mul']
        ):
            for shift in [1, *np.random.randint(2, 2**16, 5)]:
                updates = np.roll(x, shift)
                tensors = [paddle.to_tensor(a) for a in [x, index, updates]]
                out = index_reduce(*tensors, 0, reduce, True).numpy()
                with np.errstate(all='ignore'):
                    expected = reference(x, index, updates, 0, reduce, True)
                np.testing.assert_array_equal(widen(out), widen(expected))

    def grads_of_products(self, x, updates, dtype='float64'):
        x, updates = (
            paddle.to_tensor(array, dtype, stop_gradient=False)
            for array in [x, updates]
        )
        index = paddle.zeros([len(updates)], 'int64')
        out = index_reduce(x, index, updates, 0, 'mul', True)
        grads = paddle.grad(out.astype('float64').sum(), [x, updates])
        return [grad.astype('float64').numpy() for grad in grads]

    def test_grad_of_products_with_infinity(self):
        grads = self.grads_of_products([2.0], [np.inf, 4.0])
        self.assertEqual(np.concatenate(grads).tolist(), [np.inf, 8, np.inf])
        grads = self.grads_of_products([1e200], [1e200, 2e-200])
        self.assertEqual(np.concatenate(grads).tolist(), [2, 2, np.inf])

    def test_grad_of_products_of_x_alone(self):
        x = paddle.to_tensor([[2.0, 3.0]], stop_gradient=False)
        updates = paddle.to_tensor([[4.0, 5.0], [6.0, 7.0]])
        index = paddle.zeros([2], 'int64')
        out = index_reduce(x, index, updates, 0, 'mul', True)
        (grad,) = paddle.grad(out, [x], paddle.ones([1, 2]))
        self.assertEqual(grad.tolist(), [[24.0, 35.0]])

    def test_grad_of_long_products_in_half_precision(self):
        updates = np.ones([50000, 64], 'float32')
        updates[5, ::2] = 2.0
        updates[1000] = 0.5
        expected = updates.prod(0) / updates
        for dtype in ['float16', 'bfloat16']:
            x = np.ones([1, 64], 'float32')
            grads = self.grads_of_products(x, updates, dtype)
            self.assertTrue((grads[1] == expected).all())

    def test_complex_infinity_is_not_multiplied(self):
        updates = paddle.to_tensor([complex(np.inf, 0)])
        x, index = paddle.zeros([1], updates.dtype), paddle.to_tensor([0])
        out = index_reduce(x, index, updates, 0, 'mul', False)
        # inf * (1 + 0j) has a NaN component.
        self.assertEqual(out.tolist(), [complex(np.inf, 0)])

    def test_invalid_reduce_raises(self):
        x, index = paddle.ones([4, 3]), paddle.to_tensor([0])
        for op, others in [
            (_C_ops.index_scatter, ['mul', 'amax']),
            (_C_ops.index_reduce, ['sum', 'mean']),
        ]:
            for reduce in ['', 'SUM', *others]:
                message = (
                    'for index_reduce' if reduce in others else repr(reduce)
                )
                with self.assertRaisesRegex(ValueError, message):
                    op(x, index, x[:1], 0, reduce, True)


if __name__ == '__main__':
    unittest.main()
