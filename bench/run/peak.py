"""Peak memory of the operators on every side."""

from bench.run import gaps
from bench.run.cases import EDGES, FORMS, NODES, case, modes_of
from bench.run.processes import Side, SideError
from bench.run.runner import describe


def memory_cases(quick=False):
    """The headline of each operator, in each mode."""
    chosen = [
        case(op, mode, **form) for op, form in FORMS for mode in modes_of(op)
    ]
    row = {'shape': (64, 64, 4096), 'mask': 'row'}
    chosen.append(case('masked_scatter', **row))
    for axis in (0, 1):
        for reduce in ('sum', 'amax'):
            chosen.append(case('scatter', axis=axis, reduce=reduce))
    graph = {'shape': NODES, 'updates': EDGES, 'reduce': 'sum'}
    chosen.append(case('scatter', **graph))
    unique = {c.name: c for c in chosen}
    return [c for c in unique.values() if not quick or c.mode == 'fwd']


def _one(name, python, case_, threads):
    reason = gaps.gap(name, case_)
    if reason:
        return {'na': reason}
    # a fresh process: what an earlier case left behind could be used again
    side = None
    try:
        side = Side(name, python, threads)
        found = side.ask('peak', case_, 0)
    except SideError as error:
        return {'failed': str(error)}
    finally:
        if side:
            side.close()
    return {'na': 'not visible here'} if found is None else {'bytes': found}


def measure(pythons, pattern=None, quick=False, threads=2):
    """[{what the case is, sides: {side: {'bytes'} or {'na'} or {'failed'}}}]"""
    rows = []
    for case_ in memory_cases(quick):
        if pattern and pattern not in case_.name:
            continue
        sides = {
            name: _one(name, python, case_, threads)
            for name, python in pythons.items()
        }
        facts = describe(case_, threads)
        rows.append({**facts, 'x_bytes': 4 * case_.numel, 'sides': sides})
    return rows
