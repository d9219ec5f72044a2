"""Random calls of the operators (see fuzz.draw), by family: masked, view and index."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
from fuzz import reference, table
from fuzz.draw import Case, draw
from fuzz.scatter_reference import LINEAR_REDUCES

FAMILIES = {
    'masked': ('masked_scatter',),
    'view': ('select_scatter', 'diagonal_scatter'),
    'index': ('scatter',),
}
SEED = 57
# A launch of many threads is slow in the emulation.
MAX_SIZE = 5000


@dataclass
class Call:
    """Arguments in the order of the YAML entry of `op`, and the case that they are
    of, which yields the expected results."""

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
        """The expected gradients of the inputs that have one."""
        grads = reference.gradients(self.case, self.out_grad)
        return [grads[name] for name in self.case.arrays if name in grads]


def call_of(case):
    """The call of the operator that serves a case."""
    if case.api != 'scatter':
        return Call(case, case.api, tuple(case.options.values()))
    # the operators take a 1-D index and as many updates
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


def suits(case, dtype):
    sizes = [array.size for array in case.arrays.values()]
    same_dtype = case.dtype == case.source_dtype == dtype
    return same_dtype and max(sizes) <= MAX_SIZE


def random_calls(family, dtype, count=25, differentiable=False):
    """`count` calls of each API of a family."""
    for api in FAMILIES[family]:
        cases = (draw(SEED, number, api) for number in itertools.count())
        if differentiable:
            cases = (case for case in cases if case.wrt)
        cases = (case for case in cases if suits(case, dtype))
        yield from map(call_of, itertools.islice(cases, count))


def long_calls(family, dtype):
    """The calls of fuzz.table: long rows, many blocks of threads and chunks."""
    for case in table.table(dtype):
        if case.api in FAMILIES[family] and not case.inplace:
            yield call_of(case)
