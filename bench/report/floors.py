"""The figures that this project wants to keep, and whether a run has them.

A floor that the run did not measure is neither passed nor missed.
"""

from dataclasses import dataclass
from typing import Optional

from bench.report import words
from bench.report.table import busy
from bench.run.cases import (
    EDGES,
    FORMS,
    ITEM_BYTES,
    MORE_DTYPES,
    NODES,
    case,
    square,
)

THREADS = 2
SMALL_PAGES = (('FLAGS_scatter_ops_use_huge_pages', '0'),)
ROW_SHAPE = (64, 64, 4096)


@dataclass(frozen=True)
class Floor:
    """`kind` says what is measured on `case`; `other` what it is held to."""

    kind: str  # torch, torch_net, release, over_where, tape, bytes, same
    case: object
    bound: float
    other: Optional[object] = None

    @property
    def text(self):
        """The floor in words."""
        bounds = {
            'torch': f'at least {self.bound:g} times as fast as PyTorch',
            'torch_net': (
                f'at least {self.bound:g} times as fast as PyTorch, without the '
                f"copy of out_grad that Paddle's engine makes"
            ),
            'release': f'at least {self.bound:g} times as fast as released Paddle',
            'over_where': f'at most {self.bound:g} µs more than paddle.where',
            'tape': f'at most {self.bound:g} times paddle.where',
            'bytes': f'at most {self.bound:g} times float32 for each byte',
            'same': f'at most {self.bound:g} times a random index',
        }
        return f'{words.of(self.case)}: {bounds[self.kind]}'


def _torch(bound, *arguments, **changes):
    return Floor('torch', case(*arguments, **changes), bound)


def _torch_net(bound, op):
    return Floor('torch_net', case(op, 'grad'), bound, case('clone'))


def _masked_floors():
    scatter, fill = 'masked_scatter', 'masked_fill'
    floors = [
        _torch(7, scatter),
        Floor('release', case(scatter), 50),
        _torch(6, scatter, 'grad'),
        _torch_net(6, scatter),
        _torch(7, scatter, 'inplace'),
        _torch(4, scatter, shape=ROW_SHAPE, mask='row'),
        _torch(3.5, scatter, env=SMALL_PAGES),
        _torch(4, fill),
        _torch(4, fill, shape=ROW_SHAPE, mask='row'),
        _torch(3.5, fill, 'grad'),
        _torch_net(3.5, fill),
        _torch(4, fill, 'inplace'),
        _torch(1, fill, env=SMALL_PAGES),
    ]
    for dtype in (*MORE_DTYPES, 'bool'):
        floors.append(
            Floor('bytes', case(scatter, 'fwd', dtype), 1.5, case(scatter))
        )
    return floors


def _copy_floors():
    floors = []
    for changes in ({}, {'axis': 1}):
        floors.append(_torch(2.5, 'select_scatter', **changes))
        floors.append(_torch(1, 'select_scatter', env=SMALL_PAGES, **changes))
    floors.append(_torch(2.5, 'diagonal_scatter'))
    floors.append(_torch(1, 'diagonal_scatter', env=SMALL_PAGES))
    return floors


def _scatter_floors():
    floors = []
    for reduce in ('sum', 'amax', 'mul', 'mean'):
        for axis, bound in ((0, 2), (1, 8)):
            how = {'axis': axis, 'reduce': reduce}
            floors.append(_torch(bound, 'scatter', **how))
            floors += [
                Floor(
                    'same',
                    case('scatter', index=index, **how),
                    1.5,
                    case('scatter', **how),
                )
                for index in ('one', 'two')
            ]
    floors.append(_torch(2, 'scatter', reduce='sum', include_self=True))
    return floors + _plain_scatter_floors() + _graph_floors()


def _plain_scatter_floors():
    """The calls that the release has too."""
    floors = [_torch(2.3, 'scatter')]
    for reduce in ('assign', 'sum'):
        floors.append(Floor('release', case('scatter', reduce=reduce), 3))
    return floors


def _graph_floors():
    floors = []
    for reduce in ('assign', 'sum', 'mean', 'amax'):
        how = {'shape': NODES, 'updates': EDGES, 'reduce': reduce}
        floors.append(_torch(1, 'scatter', **how))
        if reduce in ('assign', 'sum'):
            floors.append(Floor('release', case('scatter', **how), 1))
    return floors


def _small_floors():
    floors = []
    sums = [
        ('scatter', {'reduce': 'sum', 'include_self': also_x})
        for also_x in (False, True)
    ]
    for op, how in (*FORMS, *sums):
        small = case(op, shape=square(6), **how)
        floors.append(
            Floor('over_where', small, 2, case('where', shape=square(6)))
        )
        taped = case(op, 'tape', shape=square(6), **how)
        base = case('where', 'tape', shape=square(6))
        floors.append(Floor('tape', taped, 3, base))
    return floors


def all_floors():
    """Every floor of a single case."""
    return (
        _masked_floors() + _copy_floors() + _scatter_floors() + _small_floors()
    )


def floor_cases():
    """The cases that the floors need."""
    needed = {}
    for floor in all_floors():
        for wanted in (floor.case, floor.other):
            if wanted is not None:
                needed[wanted.name] = wanted
    return list(needed.values())


def _ms(result, side='ours'):
    return (result or {}).get('sides', {}).get(side, {}).get('ms')


def _net_ratio(result, clone):
    ours, copy, torch = _ms(result), _ms(clone), _ms(result, 'torch')
    if not (ours and copy and torch) or ours <= copy:
        return None
    return torch / (ours - copy)


def value_of(floor, results):
    """What was measured for a floor, or None. `results` is by case name."""
    result = results.get(floor.case.name)
    if floor.kind in ('torch', 'release'):
        return (result or {}).get('ratio_' + floor.kind)
    if floor.kind == 'torch_net':
        return _net_ratio(result, results.get(floor.other.name))
    ours, other = _ms(result), _ms(results.get(floor.other.name))
    if not ours or not other:
        return None
    if floor.kind == 'over_where':
        return (ours - other) * 1e3
    if floor.kind == 'bytes':
        scale = ITEM_BYTES[floor.case.dtype] / ITEM_BYTES[floor.other.dtype]
        return ours / (other * scale)
    return ours / other


def judge(results):
    """[{text, value, bound, passed}]; passed is None if not measured."""
    found = {r['name']: r for r in results if r['threads'] == THREADS}
    rows = []
    for floor in all_floors():
        value = value_of(floor, found)
        passed = None
        if value is not None:
            at_least = floor.kind in ('torch', 'torch_net', 'release')
            passed = value >= floor.bound if at_least else value <= floor.bound
        rows.append(
            {
                'text': floor.text,
                'value': value,
                'bound': floor.bound,
                'passed': passed,
                'busy': busy(found.get(floor.case.name, {})),
            }
        )
    return rows
