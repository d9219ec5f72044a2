"""Calls the cores of the CPU kernels with random arguments, and asks numpy.

usage: cases.py LIBRARY SEED ROUNDS, or cases.py LIBRARY fault NAME

A sanitizer sees each access beside an array: each has memory of its own, which
ends where the array ends.
"""

import ctypes
import sys

import numpy as np
from call import FOUND, GradCall, Random, expect_same, given

# Bits of every kind; complex numbers stand for any 16 bytes.
WORDS = {1: 'u1', 2: 'u2', 4: 'u4', 8: 'u8', 16: 'c16'}


class Masked:
    """A mask and an x that broadcast to the same shape."""

    def __init__(self, random, dtype):
        self.shape = random.shape()
        self.x = random.bits(dtype, random.broadcasting(self.shape))
        # Often almost all True: then the values end in the middle of a vector.
        density = 62 if random.one_in(2) else random.below(65)
        shape = random.broadcasting(self.shape)
        chosen = random.digits(int, shape, -54) < density - 54
        self.mask = (chosen * random.rng.integers(1, 256, shape)).astype('u1')
        self.true = np.broadcast_to(self.mask != 0, self.shape)
        self.wide_x = np.broadcast_to(self.x, self.shape)


def check_masked_scatter(lib, random, size):
    c = Masked(random, WORDS[size])
    trues = int(c.true.sum())
    missing = 1 + random.below(trues) if trues and random.one_in(4) else 0
    value = random.bits(c.x.dtype, trues - missing)
    expected, before = c.wide_x.copy(), c.x.copy()
    places = np.flatnonzero(c.true)[: len(value)]
    expected.reshape(-1)[places] = value
    in_place = c.x.shape == c.shape and random.one_in(2)
    out = c.x if in_place else np.empty(c.shape, c.x.dtype)
    arrays = map(given, (out, c.x, c.mask, value))
    if lib.masked_scatter(size, *arrays) != trues:
        sys.exit('masked_scatter: a wrong number of Trues')
    if not missing:
        expect_same('masked_scatter', out, expected)
    elif in_place:
        expect_same('masked_scatter without enough values', out, before)


def check_masked_scatter_grad(lib, random, size):
    c = Masked(random, WORDS[size])
    out_grad = random.bits(c.x.dtype, c.shape)
    spare = np.zeros(random.below(3) * random.below(50), c.x.dtype)
    expected_value = np.concatenate([out_grad[c.true], spare])
    expected = np.where(c.true, c.x.dtype.type(0), out_grad)
    x_grad = out_grad if random.one_in(2) else np.empty_like(out_grad)
    value_grad = np.empty_like(expected_value)
    with_value = not random.one_in(4)
    grads = given(x_grad), given(value_grad, with_value)
    lib.masked_scatter_grad(size, *grads, given(out_grad), given(c.mask))
    expect_same('masked_scatter_grad of x', x_grad, expected)
    if with_value:
        expect_same('masked_scatter_grad of value', value_grad, expected_value)


def check_masked_fill(lib, random, size):
    """By a Tensor, and by its first element."""
    c = Masked(random, WORDS[size])
    value = random.bits(c.x.dtype, random.broadcasting(c.shape))
    fills = (
        (lib.masked_fill, value.reshape(-1)[0]),
        (lib.masked_select, value),
    )
    for function, filled in fills:
        out = np.empty(c.shape, c.x.dtype)
        function(size, *map(given, (out, c.x, c.mask, value)))
        expected = np.where(c.true, filled, c.wide_x)
        expect_same(function.__name__, out, expected)


def check_large_blocks(lib, random, size):
    """The loops with the stores of large outputs."""
    c = Masked(random, WORDS[size])
    x, mask = c.wide_x.copy(), np.broadcast_to(c.mask, c.shape).copy()
    value = random.bits(x.dtype, c.shape)
    scattered = x.copy()
    scattered[c.true] = value.reshape(-1)[: int(c.true.sum())]
    expected = {
        'a copy': value,
        'a selection': np.where(c.true, value, x),
        'a masked_scatter': scattered,
    }
    found = [np.empty_like(x) for _ in expected]
    lib.large_blocks(size, *map(given, (*found, x, mask, value)))
    for (name, right), array in zip(expected.items(), found):
        expect_same(f'{name} of a large output', array, right)


def check_masked_sum(lib, random, dtype):
    c = Masked(random, 'u1')
    wanted = random.one_in(2)
    array = random.digits(dtype, c.shape, 0)
    shape = random.broadcasting(c.shape)
    expected = np.where(c.true == wanted, array, array.dtype.type(0))
    lead = len(c.shape) - len(shape)
    axes = [i for i, n in enumerate(shape, lead) if n == 1]
    expected = expected.sum((*range(lead), *axes)).reshape(shape)
    out = np.empty(shape, dtype)
    function = lib[f'sum_{dtype}']
    function(given(array), given(c.mask), wanted, given(out))
    expect_same('sum under a mask', out, expected)


def check_view(lib, random, size):
    """A column of [rows, columns, inner], or a diagonal, read and replaced."""
    rows, columns = 1 + random.below(400), 1 + random.below(50)
    inner = 1 + random.below(300) if random.one_in(2) else 1
    diagonal, first = random.below(2), random.below(columns)
    x = random.bits(WORDS[size], (rows, columns, inner))
    lines = np.arange(min(rows, columns - first) if diagonal else rows)
    place = (lines, first + diagonal * lines)
    where = (first * inner, (columns + diagonal) * inner)
    found = np.empty((len(lines), inner), x.dtype)
    lib.gather_view(size, given(found), given(x), *where)
    expect_same('elements of a view', found, x[place])
    values = random.bits(x.dtype, found.shape)
    zeros = random.one_in(3)
    expected = x.copy()
    expected[place] = 0 if zeros else values
    out = x if random.one_in(2) else np.empty_like(x)
    arrays = (given(out), given(x), given(values, not zeros))
    lib.replace_view(size, *arrays, *where)
    expect_same('a view replaced', out, expected)


class Indexed:
    """A call of scatter along the middle one of three axes."""

    def __init__(self, random):
        large = random.one_in(3)
        outer = 1 if random.one_in(2) else 1 + random.below(40)
        one = random.one_in(3)
        inner = 1 if one else 1 + random.below(600 if large else 20)
        few = not random.one_in(4)
        size = 1 + random.below(30 if few else 5000 // inner + 1)
        most = 200000 // outer // inner + 2 if large else 50
        length = 1 + random.below(most)
        spare = random.below(5) if random.one_in(3) else 0
        used = min(size, 2) if random.one_in(3) else size
        self.include_self = random.one_in(2)
        self.x_shape = (outer, size, inner)
        self.updates_shape = (outer, length + spare, inner)
        self.slots = random.rng.integers(0, used, length)

    def groups(self):
        """(slot, its positions of the index in order), of those that have any."""
        order = np.argsort(self.slots, kind='stable')
        slots, starts = np.unique(self.slots[order], return_index=True)
        return zip(slots.tolist(), np.split(order, starts[1:]))


def from_bfloat16(bits):
    return (bits.astype('u4') << 16).view('f4')


def to_bfloat16(numbers):
    bits = np.asarray(numbers, 'f4').view('u4')
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype('u2')


def mean(elements):
    if elements.dtype.kind == 'i':
        total = elements.astype(object).sum(1)
        return (total // elements.shape[1]).astype(elements.dtype)
    return elements.sum(1, dtype='f8') / elements.shape[1]


REDUCE = {
    'assign': lambda elements: elements[:, -1],
    'add': lambda elements: elements.sum(1, dtype=elements.dtype),
    'mul': lambda elements: elements.prod(1, dtype=elements.dtype),
    'mean': mean,
    'amax': lambda elements: elements.max(1),
    'amin': lambda elements: elements.min(1),
}


def numbers(random, dtype, shape, reduce):
    """Every integer, and numbers whose reductions are exact."""
    if dtype.startswith('int'):
        return random.bits(dtype, shape)
    if reduce == 'mul':
        return 1 - 2 * random.rng.integers(0, 2, shape).astype(dtype)
    return random.digits('f4' if dtype == 'bfloat16' else dtype, shape)


def check_reduce(lib, random, reduce, dtype):
    c = Indexed(random)
    keeps = c.include_self and reduce != 'assign'
    x = numbers(random, dtype, c.x_shape, reduce)
    updates = numbers(random, dtype, c.updates_shape, reduce)
    expected = x.copy()
    for slot, at in c.groups():
        elements = [x[:, slot : slot + 1]] * keeps + [updates[:, at]]
        expected[:, slot] = REDUCE[reduce](np.concatenate(elements, 1))
    if dtype == 'bfloat16':
        x, updates, expected = map(to_bfloat16, (x, updates, expected))
    out = x if random.one_in(2) else np.empty_like(x)
    function = lib[f'{reduce}_{dtype}']
    function(*map(given, (out, x, updates, c.slots)), keeps)
    expect_same(f'{reduce} of {dtype}', out, expected)


def factors_of_product(elements):
    """The product of all but one of elements that are 1, 0 and -1."""
    zero, minus = elements == 0, elements < 0
    none = zero.sum(1, keepdims=True) > zero
    odd = (minus.sum(1, keepdims=True) - minus) % 2
    return np.where(none, 0, 1 - 2 * odd)


def shares(reduce, elements, grad, count):
    """What each of the elements gets of the gradient."""
    if reduce == 'mul':
        return factors_of_product(elements) * grad
    if reduce == 'amax':
        best = elements == elements.max(1, keepdims=True)
        return best * (grad / best.sum(1, keepdims=True, dtype='f4'))
    share = grad / np.float32(count if reduce == 'mean' else 1)
    last = np.arange(elements.shape[1])[:, None] == elements.shape[1] - 1
    return share * (last if reduce == 'assign' else np.ones_like(last))


def check_gradient(lib, random, reduce, dtype='float32'):
    c = Indexed(random)
    keeps = c.include_self and reduce != 'assign'
    linear = reduce in ('assign', 'add', 'mean')
    shapes = (c.x_shape, c.updates_shape)
    x, updates = (random.rng.integers(-1, 2, s).astype('f4') for s in shapes)
    out_grad = random.digits('f4', c.x_shape)
    expected_x, expected_updates = out_grad.copy(), np.zeros_like(updates)
    for slot, at in c.groups():
        old = slice(slot, slot + 1)
        elements = [x[:, old]] * keeps + [updates[:, at]]
        elements = np.concatenate(elements, 1)
        grads = shares(reduce, elements, out_grad[:, old], elements.shape[1])
        expected_x[:, old] = grads[:, :1] if keeps else 0
        expected_updates[:, at] = grads[:, keeps:]
    as_numbers = np.asarray
    if dtype == 'bfloat16':  # exact: all numbers are digits
        x, updates, out_grad = map(to_bfloat16, (x, updates, out_grad))
        as_numbers = from_bfloat16
    in_place = linear and random.one_in(2)
    x_grad = out_grad if in_place else np.empty_like(x)
    updates_grad = np.empty_like(updates)
    with_x = linear or not random.one_in(4)
    with_updates = linear or not with_x or not random.one_in(4)
    arrays = map(given, (x, updates, out_grad, c.slots))
    grads = given(x_grad, with_x), given(updates_grad, with_updates)
    lib[f'{reduce}_grad_{dtype}'](GradCall(*arrays, *grads, c.include_self))
    for name, array, expected, wanted in (
        ('x', x_grad, expected_x, with_x),
        ('updates', updates_grad, expected_updates, with_updates),
    ):
        if wanted:
            what = f'{reduce} of {dtype}: gradient of {name}'
            expect_same(what, as_numbers(array), expected)


# check -> what it is called with
CHECKS = {
    check_masked_scatter: [[size] for size in WORDS] * 4,
    check_masked_scatter_grad: [[size] for size in WORDS] * 4,
    check_masked_fill: [[size] for size in WORDS] * 4,
    check_large_blocks: [[size] for size in WORDS] * 2,
    check_masked_sum: [['float64'], ['float32'], ['complex64']],
    check_view: [[1], [4], [16]],
    check_reduce: [
        ['assign', 'float32'], ['add', 'float32'], ['add', 'int32'],
        ['mean', 'float32'], ['mean', 'bfloat16'], ['mean', 'int64'],
        ['mean', 'int8'], ['mul', 'complex128'], ['mul', 'int64'],
        ['amax', 'float32'], ['amin', 'int8'],
    ],
    check_gradient: [
        ['mul'], ['amax'], ['mul', 'bfloat16'], ['assign'], ['add'], ['mean'],
    ],
}  # fmt: skip


def plant(lib, fault):
    """One that a sanitizer has to find."""
    lib.set_threads(2)
    if fault == 'over-read':  # one value more than there is
        x, mask = np.zeros(64, 'u4'), np.ones(64, 'u1')
        more = given(np.zeros(63, 'u4'))
        more.dims[0] += 1
        lib.masked_scatter(4, given(x.copy()), given(x), given(mask), more)
    lib.plant_fault(fault.encode(), given(np.zeros(64, 'u1')))


def main(library, *words):
    lib = ctypes.CDLL(library)
    lib.masked_scatter.restype = ctypes.c_int64
    lib.exception_ends_the_loop.restype = ctypes.c_bool
    if words[0] == 'fault':
        return plant(lib, words[1])
    random, cases = Random(int(words[0])), 0
    for _ in range(int(words[1])):
        lib.set_threads(1 + random.below(3))
        for check, calls in CHECKS.items():
            for arguments in calls:
                check(lib, random, *arguments)
                cases += 1
        if not lib.exception_ends_the_loop():
            sys.exit('ParallelFor: an exception did not end the loop')
    print(f'{cases} cases, {FOUND.hexdigest()}')


if __name__ == '__main__':
    main(*sys.argv[1:])
