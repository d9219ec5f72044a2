"""Random calls of the operators with a GPU kernel (see fuzz.draw)."""

import itertools
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from fuzz.draw import Case, draw
from fuzz.reference import LINEAR_REDUCES

APIS = 'masked_scatter', 'select_scatter', 'diagonal_scatter', 'scatter'
SEED = 57
# The emulation is slow.
MAX_SIZE = 5000
# Long rows, many thread blocks and chunks.
LONG_SHAPES = (41, 70), (6, 600), (140, 1030), (1030, 9), (3, 200, 2)


class Call(NamedTuple):
    """A call of the operator `op`; `case` yields the expected results."""

    op: str
    case: Case
    attributes: tuple

    @property
    def arrays(self):
        return tuple(self.case.arrays.values())


def make_call(case):
    """Return the call of the operator that serves a case."""
    if case.api != 'scatter':
        return Call(case.api, case, tuple(case.options.values()))
    # The operators require a 1-D index and updates of its length.
    axis = case.options['axis'] % case.arrays['x'].ndim
    x, index, updates = case.arrays.values()
    updates = updates if index.ndim else np.expand_dims(updates, axis)
    index = index.reshape(-1)
    used = [slice(None)] * axis + [slice(len(index))]
    arrays = {'x': x, 'index': index, 'source': updates[tuple(used)].copy()}
    case = replace(case, arrays=arrays)
    op = 'index_scatter' if case.reduce in LINEAR_REDUCES else 'index_reduce'
    own = case.options.get('include_self', False)
    return Call(op, case, (case.options['axis'], case.reduce, own))


def draw_calls(api, dtype, count=25, shape=None, differentiable=False):
    """Yield calls of an API: small ones, or with an x of a shape."""
    cases = (draw(SEED, n, api, shape and [*shape]) for n in itertools.count())
    cases = (c for c in cases if c.dtype == c.source_dtype == dtype)
    cases = (c for c in cases if c.wrt or not differentiable)
    if not shape:
        sizes = ((c, max(map(np.size, c.arrays.values()))) for c in cases)
        cases = (c for c, size in sizes if size <= MAX_SIZE)
    yield from map(make_call, itertools.islice(cases, count))


def draw_long_calls(api, dtype, **options):
    """Yield five calls for each of LONG_SHAPES."""
    for shape in LONG_SHAPES:
        yield from draw_calls(api, dtype, 5, shape, **options)
