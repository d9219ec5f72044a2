"""Peak memory of the operators on every side."""

from contextlib import closing

from bench.run import gaps
from bench.run.cases import EDGES, FORMS, NODES, case, each, modes_of
from bench.run.processes import Side, SideError
from bench.run.runner import describe


def memory_cases(quick=False):
    """The headline of each operator, in each mode."""
    chosen = [
        *(case(op, mode, **how) for op, how in FORMS for mode in modes_of(op)),
        case('masked_scatter', shape=(64, 64, 4096), mask='row'),
        *each('scatter', axis=[0, 1], reduce=['sum', 'amax']),
        case('scatter', shape=NODES, updates=EDGES, reduce='sum'),
    ]
    return [c for c in chosen if not quick or c.mode == 'fwd']


def _one(name, python, case_, threads):
    reason = gaps.gap(name, case_)
    if reason:
        return {'na': reason}
    # a fresh process: what an earlier case left behind could be used again
    try:
        with closing(Side(name, python, threads)) as side:
            found = side.ask('peak', case_, 0)
    except SideError as error:
        return {'failed': str(error)}
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
