"""The figures that this project wants to keep, and whether a run has them.

A floor that the run did not measure is neither passed nor missed.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Optional

from bench.report import words
from bench.report.table import busy, measured
from bench.run import cases
from bench.run.cases import ADDED, EDGES, ITEM_BYTES, NODES, case

THREADS = 2
# What is measured on a case, and what it is held to.
KINDS = {
    'torch': 'at least {} times as fast as PyTorch',
    'torch_net': 'at least {} times as fast as PyTorch, without the copy of '
    "out_grad that Paddle's engine makes",
    'release': 'at least {} times as fast as released Paddle',
    'over_where': 'at most {} µs more than paddle.where',
    'tape': 'at most {} times paddle.where',
    'bytes': 'at most {} times float32 for each byte',
    'same': 'at most {} times a random index',
}


@dataclass(frozen=True)
class Floor:
    """A bound on a case; `other` is the case beside it, if `kind` has one."""

    kind: str
    case: object
    bound: float
    other: Optional[object] = None

    @property
    def text(self):
        """The floor in words."""
        bound = KINDS[self.kind].format(f'{self.bound:g}')
        return f'{words.of(self.case)}: {bound}'

    def passed(self, value):
        """None if it was not measured."""
        if value is None:
            return None
        at_least = KINDS[self.kind].startswith('at least')
        return value >= self.bound if at_least else value <= self.bound


_ROW = {'shape': (64, 64, 4096), 'mask': 'row'}
# How many times as fast as PyTorch: (bound, operator, mode, what is changed).
_TORCH = [
    (7, 'masked_scatter', 'fwd', {}),
    (6, 'masked_scatter', 'grad', {}),
    (7, 'masked_scatter', 'inplace', {}),
    (4, 'masked_scatter', 'fwd', _ROW),
    (4, 'masked_fill', 'fwd', {}),
    (4, 'masked_fill', 'fwd', _ROW),
    (3.5, 'masked_fill', 'grad', {}),
    (4, 'masked_fill', 'inplace', {}),
    (2.5, 'select_scatter', 'fwd', {}),
    (2.5, 'select_scatter', 'fwd', {'axis': 1}),
    (2.5, 'diagonal_scatter', 'fwd', {}),
    (2.3, 'scatter', 'fwd', {}),
    (2, 'scatter', 'fwd', ADDED),
]
_TORCH += [
    (bound, 'scatter', 'fwd', {'axis': axis, 'reduce': reduce})
    for reduce in ('sum', 'amax', 'mul', 'mean')
    for axis, bound in ((0, 2), (1, 8))
]
_GRAPH = {'shape': NODES, 'updates': EDGES}
_TORCH += [
    (1, 'scatter', 'fwd', {**_GRAPH, 'reduce': reduce})
    for reduce in ('assign', 'sum', 'mean', 'amax')
]
# The same of the released Paddle.
_RELEASE = [(50, 'masked_scatter', 'fwd', {})]
_RELEASE += [
    (bound, 'scatter', 'fwd', {**how, 'reduce': reduce})
    for reduce in ('assign', 'sum')
    for bound, how in ((3, {}), (1, _GRAPH))
]
# A call of little work: (mode, shape, updates).
_RELEASE += [
    (1, 'scatter', mode, {'shape': shape, 'updates': n, 'index': 'permutation'})
    for mode, shape, n in (
        ('fwd', (1024, 64), 128),
        ('fwd', (256, 256), 64),
        ('inplace', (256, 256), 64),
        ('inplace', (8192, 1024), 1),
        ('inplace', (8192, 1024), 16),
    )
]


def _against_others():
    for bound, op, mode, how in _TORCH:
        yield Floor('torch', case(op, mode, **how), bound)
    for bound, op in ((6, 'masked_scatter'), (3.5, 'masked_fill')):
        yield Floor('torch_net', case(op, 'grad'), bound, case('clone'))
    for bound, op, mode, how in _RELEASE:
        yield Floor('release', case(op, mode, **how), bound)


def _against_ourselves():
    """Other dtypes, other indices, and the cost of a call beside `where`."""
    plain = case('masked_scatter')
    for dtype in (*cases.MORE_DTYPES, 'bool'):
        other = case('masked_scatter', 'fwd', dtype)
        yield Floor('bytes', other, 1.5, plain)
    for reduce in ('sum', 'amax', 'mul', 'mean'):
        for axis in (0, 1):
            how = {'axis': axis, 'reduce': reduce}
            for index in ('one', 'two'):
                skewed = case('scatter', index=index, **how)
                yield Floor('same', skewed, 1.5, case('scatter', **how))
    tiny = cases.square(6)
    sums = (('scatter', {'reduce': 'sum'}), ('scatter', ADDED))
    for op, how in (*cases.FORMS, *sums):
        for kind, mode, bound in (
            ('over_where', 'fwd', 2),
            ('tape', 'tape', 3),
        ):
            where = case('where', mode, shape=tiny)
            yield Floor(kind, case(op, mode, shape=tiny, **how), bound, where)


def all_floors():
    """Every floor of a single case."""
    return [*_against_others(), *_against_ourselves()]


def floor_cases():
    """The cases that the floors need."""
    pairs = ((floor.case, floor.other) for floor in all_floors())
    return cases.unique(filter(None, chain.from_iterable(pairs)))


def value_of(floor, results):
    """What was measured for a floor, or None. `results` is by case name."""
    result = results.get(floor.case.name, {'sides': {}})
    if floor.other is None:
        return result.get('ratio_' + floor.kind)
    beside = results.get(floor.other.name, {'sides': {}})
    ours, other = measured(result).get('ours'), measured(beside).get('ours')
    if not ours or not other:
        return None
    if floor.kind == 'torch_net':
        torch = measured(result).get('torch')
        return torch / (ours - other) if torch and ours > other else None
    if floor.kind == 'over_where':
        return (ours - other) * 1e3
    if floor.kind == 'bytes':
        scale = ITEM_BYTES[floor.case.dtype] / ITEM_BYTES[floor.other.dtype]
        return ours / (other * scale)
    return ours / other


def judge(results):
    """[{text, value, bound, passed}]; passed is None if not measured."""
    found = {r['name']: r for r in results if r['threads'] == THREADS}
    return [
        {
            'text': floor.text,
            'value': value_of(floor, found),
            'bound': floor.bound,
            'passed': floor.passed(value_of(floor, found)),
            'busy': busy(found.get(floor.case.name, {})),
        }
        for floor in all_floors()
    ]
