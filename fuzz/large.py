"""Random calls along axes of more than 2^31 elements.

A case is drawn small and spread along one axis: its elements are placed at a few
indices of a large axis of zeros. Every operator maps these zeros to zeros, so the
small case's reference is enough. Pages of zeros are not allocated until written; a
case is skipped if its results, or the workspace of a kernel, exceed the available
memory.
"""

import contextlib
import dataclasses
import resource
from pathlib import Path

import numpy as np

import paddle
from fuzz import reference
from fuzz.arrays import chance, pick, random_array, random_mask
from fuzz.compare import find_mismatch
from fuzz.draw import APIS, INPLACE_APIS, TENSORS, Case, fill_value
from fuzz.reference import diagonal, select
from fuzz.scatter_reference import (
    LINEAR_REDUCES,
    REDUCES,
    is_defined,
    scatter_options,
)

DTYPES = 'uint8', 'int8', 'bool'
# {elements per index of the large axis: sizes of that axis}
SIZES = {1: (2**31 + 9, 2**32 + 16), 2: (2**31 + 9,)}


@dataclasses.dataclass
class Spread:
    """A small case and its embedding in a large one.

    `axis` is the large axis of the result, `axes` maps each Tensor with a large axis
    to that axis. `places` are the indices of the small case's elements along it;
    `index` and `options` replace the small case's.
    """

    case: Case
    axis: int
    size: int
    places: np.ndarray
    axes: dict = dataclasses.field(default_factory=dict)
    index: np.ndarray = None
    options: dict = None

    def axis_of(self, name):
        return self.axis if name == 'out' else self.axes.get(name)

    def _at_places(self, axis):
        return *[slice(None)] * axis, self.places

    def large(self, name, small):
        """Embed an array of the small case."""
        if name == 'index':
            return self.index
        axis = self.axis_of(name)
        if axis is None:
            return small
        shape = (*small.shape[:axis], self.size, *small.shape[axis + 1 :])
        array = np.zeros(shape, small.dtype)
        array[self._at_places(axis)] = small
        return array

    def find_mismatch(self, name, array, expected):
        """Compare a large result with the small one; return a message if wrong."""
        axis, small = self.axis_of(name), array
        if axis is not None:
            if array.shape[axis : axis + 1] != (self.size,):
                return f"the shape is {array.shape}"
            small = array[self._at_places(axis)]
        problem = find_mismatch(small, expected, self.case.dtype)
        if problem or np.count_nonzero(array) == np.count_nonzero(small):
            return problem
        return "an element beside the places is not zero"

    def nbytes(self, names):
        """Return the size of the large arrays of these names."""
        shapes = {'out': self.case.out_shape}
        shapes |= {name: self.case.arrays[name].shape for name in self.axes}
        small = sum(int(np.prod(shapes.get(name, 0))) for name in names)
        return small * self.size // len(self.places)


# ---- draws -------------------------------------------------------------------


def _draw_places(rng, size):
    """Draw indices at both ends, around 2^31 and 2^32, and elsewhere."""
    near = [0, 1, size // 2, size - 1]
    near += [limit + i for limit in (2**31, 2**32) for i in (-1, 0, 1, 5)]
    near = [at for at in near if at < size]
    near = rng.permutation(near)[: int(rng.integers(2, 7))]
    return np.unique([*near, *rng.integers(0, size, 2)])


def _draw_shape(rng):
    """Return (elements per index of the large axis, shape with 0 there, axis)."""
    beside = pick(rng, (1, 1, 1, 2))
    if beside == 1 and chance(rng, 0.4):
        return beside, [0], 0
    axis = pick(rng, (0, 1))
    return beside, ([0, beside] if axis == 0 else [beside, 0]), axis


def _masked(rng, spread, shape):
    """Draw x and mask. A broadcast x is zero, as it reaches every place."""
    case, axis = spread.case, spread.axis
    x = random_array(rng, shape, case.dtype)
    spread.axes = {'x': axis, 'mask': axis}
    if not case.inplace and chance(rng, 0.4):
        x = np.zeros_like(x.take([0], axis))
        del spread.axes['x']
    return {'x': x, 'mask': random_mask(rng, shape)}, {}


def masked_scatter(rng, spread, shape):
    arrays, options = _masked(rng, spread, shape)
    count = np.count_nonzero(arrays['mask']) + pick(rng, (0, 0, 2))
    arrays['value'] = random_array(rng, [count], spread.case.dtype)
    return arrays, options


def masked_fill(rng, spread, shape):
    arrays, options = _masked(rng, spread, shape)
    if not spread.case.wrt and chance(rng, 0.4):
        return arrays, {'value': fill_value(rng, spread.case.dtype)}
    value_shape = pick(rng, ([], [1], shape))
    if value_shape == shape:
        spread.axes['value'] = spread.axis
    arrays['value'] = random_array(rng, value_shape, spread.case.dtype)
    return arrays, options


def _with_view(rng, spread, shape, view, options):
    x = random_array(rng, shape, spread.case.dtype)
    spread.axes['x'] = spread.axis
    source = random_array(rng, view(x, **options).shape, x.dtype.name)
    return {'x': x, spread.case.source: source}, options


def _large_indices(rng, spread, index):
    """Map indices to their places, some of them negative."""
    places = spread.places[index]
    negative = rng.random(np.shape(index)) < 0.3
    return np.where(negative, places - spread.size, places)


def select_scatter(rng, spread, shape):
    axis = int(rng.integers(len(shape)))
    index = int(rng.integers(shape[axis]))
    options = {'axis': axis, 'index': index}
    spread.options = dict(options)
    if axis == spread.axis:
        spread.options['index'] = int(_large_indices(rng, spread, index))
    else:
        spread.axes['values'] = 0
    return _with_view(rng, spread, shape, select, options)


def diagonal_scatter(rng, spread, shape):
    """Draw diagonals with the large axis as a batch axis, or at its end."""
    rows = len(spread.places)
    if len(shape) == 2 and chance(rng, 0.5):
        skipped = spread.size - rows
        spread.places = np.arange(skipped, spread.size)
        options = {'offset': int(rng.integers(rows)), 'axis1': 0, 'axis2': 1}
        spread.options = {**options, 'offset': options['offset'] + skipped}
        if spread.axis == 0:  # below the main diagonal
            options['offset'] *= -1
            spread.options['offset'] *= -1
    else:
        shape = [1, 1, 1]
        spread.axis, axis1, axis2 = rng.permutation(3).tolist()
        shape[spread.axis] = rows
        options = spread.options = {'axis1': axis1, 'axis2': axis2}
        spread.axes['y'] = 0
    return _with_view(rng, spread, shape, diagonal, options)


def scatter(rng, spread, shape):
    case = spread.case
    axis = int(rng.integers(len(shape)))
    reduces = LINEAR_REDUCES if case.wrt else REDUCES
    reduce = pick(rng, [r for r in reduces if is_defined(r, case.dtype)])
    options = scatter_options(axis, reduce, chance(rng, 0.5))
    spread.axes['x'], spread.options = spread.axis, options
    count = pick(rng, (1, 5, 16, 16) if axis == spread.axis else (1, 2))
    index = rng.integers(0, shape[axis], count)
    spread.index = index
    if axis == spread.axis:
        spread.index = _large_indices(rng, spread, index)
    else:
        spread.axes['updates'] = spread.axis
    updates = [*shape[:axis], count, *shape[axis + 1 :]]
    x, updates = (random_array(rng, s, case.dtype) for s in (shape, updates))
    return {'x': x, 'index': index, 'updates': updates}, options


_MAKERS = masked_scatter, masked_fill, select_scatter, diagonal_scatter, scatter


def draw(seed, number, api):
    rng = np.random.default_rng([seed, number, 2**32])
    dtype = pick(rng, DTYPES)
    case = Case(
        api=api,
        dtype=dtype,
        seed=(seed, number),
        kind='any',
        source_dtype=dtype,
        layouts={},
        guard='',
        inplace=api in INPLACE_APIS and chance(rng, 0.6),
        threads=pick(rng, (1, 2, 3, 3)),
        wrt=('x', TENSORS[api][-1]) if chance(rng, 0.3) else (),
    )
    case.inplace &= not case.wrt
    beside, shape, axis = _draw_shape(rng)
    size = pick(rng, SIZES[beside], (1, 2)[: len(SIZES[beside])])
    spread = Spread(case, axis, size, _draw_places(rng, size))
    shape[axis] = len(spread.places)
    make = _MAKERS[APIS.index(api)]
    case.arrays, case.options = make(rng, spread, shape)
    spread.options = spread.options or case.options
    if case.wrt:
        case.wrt = pick(rng, (case.wrt, case.wrt[:1], case.wrt[1:]))
    return spread


# ---- runs --------------------------------------------------------------------


def _read_proc_bytes(path, name):
    """Return the value of a field of a /proc file, in bytes."""
    lines = Path(path).read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(name + ':'))
    return int(line.split()[1]) << 10


@contextlib.contextmanager
def _limit_memory(spread):
    """Limit the address space, so that a workspace which exceeds the available memory
    raises MemoryError."""
    available = _read_proc_bytes('/proc/meminfo', 'MemAvailable')
    if available < spread.nbytes(['out', *spread.case.wrt]) + (1 << 30):
        raise MemoryError
    before = resource.getrlimit(resource.RLIMIT_AS)
    limit = _read_proc_bytes('/proc/self/status', 'VmSize') + available
    limit += spread.nbytes(['out', *spread.axes])  # pages of zeros
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _tensor(spread, name, small):
    """Share the array's memory: a copy would allocate its zeros."""
    array = spread.large(name, np.asarray(small))
    tensor = paddle.utils.dlpack.from_dlpack(array)
    tensor.stop_gradient = name not in spread.case.wrt
    return tensor


def _problems(spread):
    case = spread.case
    arrays = case.arrays.items()
    tensors = {name: _tensor(spread, name, array) for name, array in arrays}
    function = getattr(paddle, case.api + '_' * case.inplace)
    out = function(*tensors.values(), **spread.options)
    if not case.wrt:
        actual, expected = {'out': out}, {'out': reference.forward(case)}
    else:
        out_grad = case.out_grad()
        expected = reference.gradients(case, out_grad)
        leaves = [tensors[name] for name in case.wrt]
        out_grad = [_tensor(spread, 'out', out_grad)]
        actual = dict(zip(case.wrt, paddle.grad([out], leaves, out_grad)))
        del out
    for name, tensor in actual.items():
        array = np.from_dlpack(tensor.detach())
        problem = spread.find_mismatch(name, array, expected[name])
        if problem:
            what = 'result' if name == 'out' else f'gradient of {name}'
            yield f'{what}: {problem}'


def run(seed, number, api):
    """Return a list of problems, or None for lack of memory."""
    spread = draw(seed, number, api)
    paddle.base.core.set_num_threads(spread.case.threads)
    try:
        with _limit_memory(spread):
            return [*_problems(spread)]
    except MemoryError:
        return None
