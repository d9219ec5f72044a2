"""Random calls of operators by family: masked, view and index (see fuzz.draw)."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
from fuzz import reference
from fuzz.draw import Case, draw
from fuzz.reference import LINEAR_REDUCES

FAMILIES = {
    'masked': ('masked_scatter',),
    'view': ('select_scatter', 'diagonal_scatter'),
    'index': ('scatter',),
}
SEED = 57
# The emulation is slow.
MAX_SIZE = 5000
# Long rows, many thread blocks and chunks.
LONG_SHAPES = (41, 70), (6, 600), (140, 1030), (1030, 9), (3, 200, 2)


@dataclass
class Call:
    """A call of the operator `op`; its case yields the expected results."""

    case: Case
    op: str
    attributes: tuple

    @property
    def arrays(self):
        return tuple(self.case.arrays.values())

    @property
    def expected(self):
        return reference.forward(self.case)

    @property
    def out_grad(self):
        return np.asarray(self.case.out_grad())

    @property
    def grads(self):
        """The expected gradients of the differentiable inputs."""
        grads = reference.gradients(self.case, self.out_grad)
        return [grads[name] for name in self.case.arrays if name in grads]


def make_call(case):
    """Return the call of the operator that serves a case."""
    if case.api != 'scatter':
        return Call(case, case.api, tuple(case.options.values()))
    # The operators require a 1-D index and updates of its length.
    axis = case.options['axis'] % case.arrays['x'].ndim
    x, index, updates = case.arrays.values()
    updates = updates if index.ndim else np.expand_dims(updates, axis)
    index = index.reshape(-1)
    used = [slice(None)] * axis + [slice(len(index))]
    arrays = {'x': x, 'index': index, 'updates': updates[tuple(used)].copy()}
    case = replace(case, arrays=arrays)
    op = 'index_scatter' if case.reduce in LINEAR_REDUCES else 'index_reduce'
    own = case.options.get('include_self', False)
    return Call(case, op, (case.options['axis'], case.reduce, own))


def is_suitable(case, dtype):
    sizes = [array.size for array in case.arrays.values()]
    same_dtype = case.dtype == case.source_dtype == dtype
    return same_dtype and max(sizes) <= MAX_SIZE


def random_calls(family, dtype, count=25, differentiable=False):
    """Yield `count` calls of each API of a family."""
    for api in FAMILIES[family]:
        cases = (draw(SEED, number, api) for number in itertools.count())
        if differentiable:
            cases = (case for case in cases if case.wrt)
        cases = (case for case in cases if is_suitable(case, dtype))
        yield from map(make_call, itertools.islice(cases, count))


def long_calls(family, dtype, count=5, differentiable=False):
    """Yield `count` calls of each API of a family for each of LONG_SHAPES."""
    for api, shape in itertools.product(FAMILIES[family], LONG_SHAPES):
        cases = (draw(SEED, n, api, [*shape]) for n in itertools.count())
        cases = (c for c in cases if c.dtype == c.source_dtype == dtype)
        cases = (c for c in cases if c.wrt or not differentiable)
        yield from map(make_call, itertools.islice(cases, count))
