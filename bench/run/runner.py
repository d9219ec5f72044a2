"""Run cases: check that the sides agree, then time them turn by turn."""

import statistics
import time
from dataclasses import asdict

from bench.run import bare_loop, machine
from bench.run.cases import BACKWARD
from bench.run.compare import EXACT, difference
from bench.run.processes import SideError

# Turns of each side, and seconds of one, about; of one side in one case, at most,
# but one turn is taken.
QUICK = {'turns': 3, 'turn': 0.06, 'side': 0.8}
FULL = {'turns': 5, 'turn': 0.15, 'side': 4.0}


def known_wrong(case):
    """True if the release is known to give another gradient than ours."""
    value = case.op == 'masked_fill' and case['value'] != 'number'
    return case.mode in BACKWARD and (value or case.repeats)


def _prepare(sides, case):
    """({side: what it prepared}, {side: what it has in place of a time})"""
    prepared, missing = {}, {}
    for name, side in sides.items():
        try:
            prepared[name] = side.ask('prepare', case)
        except SideError as error:
            # what the release cannot do is why there is this project
            kind = 'na' if name == 'release' else 'failed'
            missing[name] = {kind: str(error)}
    return prepared, missing


def _differences(case, prepared):
    """{side: what it has in place of a time} where outputs are not as ours."""
    found = {}
    for name in prepared if 'ours' in prepared else ():
        # torch does not say which of several updates of a slot stays
        if name == 'torch' and case.repeats:
            continue
        dtype = EXACT if name == 'without' else case.dtype
        both = (prepared[side]['outputs'] for side in ('ours', name))
        said = difference(*both, dtype)
        if said and name == 'release' and known_wrong(case):
            found[name] = {'na': 'gives another gradient'}
        elif said:
            found[name] = {'failed': f'differs from ours: {said}'}
    return found


def _turns(sides, effort):
    """{side: [(seconds per call, calls), ...]}, taken in turns."""
    taken = {name: [] for name in sides}
    spent = dict.fromkeys(sides, 0.0)
    for _ in range(effort['turns']):
        for name, side in sides.items():
            if taken[name] and spent[name] >= effort['side']:
                continue
            start = time.perf_counter()
            taken[name].append(side.ask('time', effort['turn']))
            spent[name] += time.perf_counter() - start
    return taken


def _timed(sides, prepared, effort):
    """{side: its entry} of sides that are prepared and agree."""
    try:
        taken = _turns(sides, effort)
    except SideError as error:
        return {'ours': {'failed': str(error)}}
    found = {}
    for name, turns in taken.items():
        times = [seconds * 1e3 for seconds, _ in turns]
        found[name] = {
            'ms': statistics.median(times),
            'turns': times,
            'calls': sum(calls for _, calls in turns),
            **prepared[name]['way'],
        }
    return found


def _result(threads, case, **more):
    """What run_case and run_peak return: a plain dictionary."""
    return {'name': case.name, **asdict(case), 'threads': threads, **more}


def run_case(sides, case, effort):
    """The result of one case on {name: Side}."""
    prepared, entries = _prepare(sides, case)
    entries.update(_differences(case, prepared))
    start = machine.processor_seconds()
    agreed = {n: s for n, s in sides.items() if n not in entries}
    entries.update(_timed(agreed, prepared, effort))
    others = machine.others_since(start)
    result = _result(sides['ours'].threads, case, sides=entries, others=others)
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
            found[name] = {'bytes': side.ask('peak', case)}
        except SideError as error:
            found[name] = {'na': str(error)}
    return _result(sides['ours'].threads, case, sides=found)
