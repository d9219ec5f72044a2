"""Run cases: check that the sides agree, then time them turn by turn."""

from dataclasses import asdict
from math import inf
from statistics import median

import numpy as np

from bench.run import bare_loop, machine, worker
from bench.run.worker import SideError

# Turns of each side, and about the seconds: of one, and of all cases at most. The
# rest of three minutes is for starting.
QUICK = {'turns': 3, 'turn': 0.06, 'all': 135}
FULL = {'turns': 5, 'turn': 0.15, 'all': inf}
# Relative and absolute error allowed. Half types: the sides may round after each
# step or only once.
TOLERANCE = {
    'float32': (1e-5, 1e-5),
    'float64': (1e-12, 1e-12),
    'complex128': (1e-12, 1e-12),
    'float16': (1e-2, 0.5),
    'bfloat16': (4e-2, 4.0),
}


def difference(ones, others, tolerance):
    """What numpy says of the first difference of lists of outputs, or ''."""
    if len(ones) != len(others):
        return f'{len(ones)} outputs against {len(others)}'
    try:
        for one, other in zip(ones, others):
            if not np.array_equal(one, other):
                np.testing.assert_allclose(one, other, *tolerance)
    except AssertionError as error:
        return ' '.join(str(error).split())
    return ''


def _absent(name, why):
    """What a side has in place of a time."""
    # what the release cannot do, or does wrong, is why there is this project
    return {'na' if name == 'release' else 'failed': why}


def _prepare(sides, case):
    """({side: what it prepared}, {side: what it has in place of a time})"""
    prepared, missing = {}, {}
    for name, side in sides.items():
        try:
            prepared[name] = side.ask(worker.prepare, case)
        except SideError as error:
            missing[name] = _absent(name, str(error))
    for name in prepared if 'ours' in prepared else ():
        # torch does not say which of several updates of a slot stays
        if name == 'torch' and case.repeats:
            continue
        exact = name == 'without' or case.dtype not in TOLERANCE
        tolerance = (0, 0) if exact else TOLERANCE[case.dtype]
        both = (prepared[side]['outputs'] for side in ('ours', name))
        if said := difference(*both, tolerance):
            missing[name] = _absent(name, f'differs from ours: {said}')
    return prepared, missing


def _timed(sides, prepared, effort):
    """{side: its entry} of sides that are prepared and agree, taken in turns."""
    turns = {name: [] for name in sides}
    try:
        for name in [*sides] * effort['turns']:
            seconds = sides[name].ask(worker.seconds, effort['turn'])
            turns[name].append(seconds)
    except SideError as error:
        return {'ours': {'failed': str(error)}}
    return {
        name: {'ms': median(turns[name]) * 1e3, **prepared[name]['way']}
        for name in sides
    }


def entry(threads, case, **more):
    """What run_case and run_peak return: a plain dictionary."""
    return {'name': case.name, **asdict(case), 'threads': threads, **more}


def run_case(sides, case, effort):
    """The result of one case on {name: Side}."""
    prepared, entries = _prepare(sides, case)
    start = machine.processor_seconds()
    agreed = {n: s for n, s in sides.items() if n not in entries}
    entries.update(_timed(agreed, prepared, effort))
    others = machine.others_since(start)
    result = entry(sides['ours'].threads, case, sides=entries, others=others)
    times = {name: entries.get(name, {}).get('ms') for name in sides}
    ours = times.pop('ours')
    for name, other in times.items():
        result[f'ratio_{name}'] = other / ours if ours and other else None
    if case.mode == 'fwd' and ours:
        traffic = (prepared['ours'][key] for key in ('read', 'written'))
        result['bare'] = bare_loop.milliseconds(*traffic, result['threads'])
    return result


def run_peak(sides, case):
    """The same of peak memory beyond inputs and outputs."""
    found = {}
    for name, side in sides.items():
        side.close()  # what an earlier case left behind could be used again
        try:
            found[name] = {'bytes': side.ask(worker.peak, case)}
        except SideError as error:
            found[name] = {'na': str(error)}
    return entry(sides['ours'].threads, case, sides=found)
