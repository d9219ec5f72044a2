"""Random calls along axes of more than 2^31 elements.

A case is drawn small and spread along one axis: its elements are placed at a few
indices of a large axis of zeros. Every operator maps these zeros to zeros, so the
small case's reference is enough. Pages of zeros are not allocated until written; a
case is skipped if its results, or the workspace of a kernel, exceed the available
memory.
"""

import contextlib
import resource
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fuzz.compare import find_mismatch
from fuzz.draw import INPLACE_APIS, Case, chance, draw_arrays, pick
from fuzz.guard import share
from fuzz.run import compute, expected_results

DTYPES = 'uint8', 'int8', 'bool'
# {elements per index of the large axis: sizes of that axis}
SIZES = {1: (2**31 + 9, 2**32 + 16), 2: (2**31 + 9,)}


def _draw_places(rng, size):
    """Draw indices at both ends, around 2^31 and 2^32, and elsewhere."""
    near = [0, 1, size // 2, size - 1]
    near += [limit + i for limit in (2**31, 2**32) for i in (-1, 0, 1, 5)]
    near = [at for at in near if at < size]
    near = rng.permutation(near)[: int(rng.integers(2, 7))]
    return np.unique([*near, *rng.integers(0, size, 2)])


def _draw_shape(rng, api):
    """Return (elements per index of the large axis, shape with 0 there, axis)."""
    beside = pick(rng, (1, 1, 1, 2))
    if api == 'diagonal_scatter' and chance(rng, 0.5):  # with a batch axis
        beside, shape = 1, [1, 1, 1]
    elif api != 'diagonal_scatter' and beside == 1 and chance(rng, 0.4):
        shape = [1]
    else:
        shape = [beside, beside]
    axis = int(rng.integers(len(shape)))
    shape[axis] = 0
    return beside, shape, axis


@dataclass
class Spread:
    """A small case and the `places` of its elements along a large axis."""

    case: Case
    axis: int
    size: int
    places: np.ndarray

    def __post_init__(self):
        """Compute the options of the large case."""
        case, options = self.case, dict(self.case.options)
        self.rank = len(case.out_shape)
        names = [name for name in options if name.startswith('axis')]
        # The axes that the index or the diagonal selects along.
        self.selected = {options[name] % self.rank for name in names}
        self.options = options
        if self.axis not in self.selected:
            return
        if case.api == 'diagonal_scatter':
            # The end of the diagonal has to be that of the small one.
            columns = options['axis2'] % self.rank
            direction = 1 if self.axis == columns else -1
            rows = len(self.places)
            ends = options['offset'] * direction >= 0
            skipped = self.size - rows if ends else 0
            self.places = np.arange(skipped, skipped + rows)
            options['offset'] += direction * skipped
        elif case.api == 'select_scatter':
            options['index'] = int(self.enlarge_index(options['index']))

    def enlarge_index(self, index):
        """Map indices to their places; negative ones remain negative."""
        places = self.places[index] - self.size * np.less(index, 0)
        return np.asarray(places)

    def axis_of(self, name):
        """Return the large axis of a Tensor or its gradient, None without one."""
        if name in ('result', 'out_grad'):
            return self.axis
        shape = self.case.arrays[name].shape
        missing = self.rank - len(shape)
        if 'mask' in self.case.arrays:  # leading dims may be missing
            axis = self.axis - missing
            flat = name == 'value' and self.case.api == 'masked_scatter'
            return None if flat or axis < 0 or shape[axis] == 1 else axis
        if name == 'index' or (name != 'x' and self.axis in self.selected):
            return None
        before = sum(axis < self.axis for axis in self.selected)
        return self.axis - before if missing else self.axis

    def enlarge(self, name, small):
        """Embed an array of the small case in zeros."""
        if name == 'index' and self.axis in self.selected:
            return self.enlarge_index(small)
        axis = self.axis_of(name)
        if axis is None:
            return small
        shape = *small.shape[:axis], self.size, *small.shape[axis + 1 :]
        array = np.zeros(shape, small.dtype)
        array[(slice(None),) * axis + (self.places,)] = small
        return array

    def find_mismatch(self, name, array, expected):
        """Compare a large result with the small one; return a message if wrong."""
        axis, small = self.axis_of(name), array
        if axis is not None:
            if array.shape[axis : axis + 1] != (self.size,):
                return f"the shape is {array.shape}"
            small = array[(slice(None),) * axis + (self.places,)]
        problem = find_mismatch(small, expected, self.case.dtype)
        if problem or np.count_nonzero(array) == np.count_nonzero(small):
            return problem
        return "an element beside the places is not zero"


def draw(seed, number, api):
    rng = np.random.default_rng([seed, number, 2**32])
    case = Case(
        api=api,
        dtype=pick(rng, DTYPES),
        seed=(seed, number),
        kind='any',
        inplace=api in INPLACE_APIS and chance(rng, 0.4),
        threads=pick(rng, (1, 2, 3, 3)),
    )
    if not case.inplace and chance(rng, 0.4):
        case.wrt = 'x', case.source
    beside, shape, axis = _draw_shape(rng, api)
    size = pick(rng, SIZES[beside], (1, 2)[: len(SIZES[beside])])
    places = _draw_places(rng, size)
    shape[axis] = len(places)
    while not case.arrays or case.out_shape != tuple(shape):
        draw_arrays(rng, case, shape)
    spread = Spread(case, axis, size, places)
    for name in ('x', 'mask') if 'mask' in case.arrays else ():
        if spread.axis_of(name) is None:  # broadcast to every place
            case.arrays[name][...] = 0
    if 'mask' in case.arrays:
        case.arrays['mask'] = case.arrays['mask'].astype(bool)
    return spread


def _read_proc_bytes(path, name):
    """Return the value of a field of a /proc file, in bytes."""
    lines = Path(path).read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(name + ':'))
    return int(line.split()[1]) << 10


@contextlib.contextmanager
def _limit_memory(written):
    """Limit the address space, so that results and a workspace which exceed the
    available memory raise MemoryError. `written` bytes are not allocated yet."""
    available = _read_proc_bytes('/proc/meminfo', 'MemAvailable')
    available -= (1 << 30) + written
    if available < 0:
        raise MemoryError
    before = resource.getrlimit(resource.RLIMIT_AS)
    limit = _read_proc_bytes('/proc/self/status', 'VmSize') + available
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def run(seed, number, api):
    """Return a list of problems, or None for lack of memory."""
    spread = draw(seed, number, api)
    case = spread.case
    arrays = dict(case.arrays)
    if case.wrt:
        arrays['out_grad'] = case.out_grad()
    try:
        # The arrays' memory is shared: a copy would allocate their zeros.
        tensors = {n: share(spread.enlarge(n, a)) for n, a in arrays.items()}
        written = tensors['x'].size if case.inplace else 0
        with _limit_memory(written):
            actual = compute(replace(case, options=spread.options), tensors)
    except MemoryError:
        return None
    problems = []
    for name, expected in expected_results(case).items():
        array = np.from_dlpack(actual[name].detach())
        of = name.removeprefix('gradient of ')
        if problem := spread.find_mismatch(of, array, expected):
            problems.append(f'{name}: {problem}')
    return problems
