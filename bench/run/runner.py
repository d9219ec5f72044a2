"""Run cases: check that the sides agree, then time them turn by turn."""

import statistics
import time
from dataclasses import dataclass

import psutil

from bench.run import gaps
from bench.run.cases import BACKWARD, ITEM_BYTES
from bench.run.compare import same_outputs
from bench.run.machine import Others
from bench.run.processes import SideDied, SideError

MEMORY_SHARE = 0.8


@dataclass(frozen=True)
class Effort:
    """How long to measure. Seconds."""

    turns: int
    turn: float  # of one side, about
    side: float  # of one side in one case; at least one turn is taken


QUICK = Effort(turns=3, turn=0.06, side=0.8)
FULL = Effort(turns=5, turn=0.15, side=4.0)


def memory_needed(case):
    """A rough upper bound of the bytes that one side holds at a time."""
    item = ITEM_BYTES[case.dtype]
    copies = 8 if case.mode in BACKWARD else 4
    if case.mode == 'above':
        copies += 4  # the weight, the product and their gradients
    # of torch's ways some make an index of each element
    index = 8 * case.numel if case.op in ('scatter', 'masked_scatter') else 0
    elements = case.numel
    if case.op == 'scatter':
        updates = case.numel // case.shape[case['axis']] * case.slices
        elements = max(elements, updates)
    # numpy's own copy of the inputs while they are loaded
    host = 3 * elements * max(item, 4 if case.dtype == 'bfloat16' else 1)
    return copies * elements * item + 2 * elements + index + host


def too_big(case, sides):
    """The reason to skip a case that would not fit, or None."""
    needed = memory_needed(case) * sides
    free = psutil.virtual_memory().available
    if needed <= free * MEMORY_SHARE:
        return None
    return (
        f'needs about {needed / 2**30:.1f} GiB for {sides} side(s), '
        f'{free / 2**30:.1f} GiB are free'
    )


def _prepare(crew, names, case, seed):
    """({side: outputs}, {side: {'na' or 'failed': reason}})"""
    outputs, missing = {}, {}
    for name in names:
        reason = gaps.gap(name, case)
        if reason:
            missing[name] = {'na': reason}
            # an earlier case's tensors would stay in memory
            crew.side(name, case.env).ask('drop')
            continue
        try:
            side = crew.side(name, case.env)
            outputs[name] = side.ask('prepare', case, seed)
        except SideError as error:
            missing[name] = {'failed': str(error)}
    return outputs, missing


def _check(case, outputs):
    """{side: what its outputs are, against those of ours, or of the first}"""
    reference, *others = outputs or [None]
    found = {}
    for name in others:
        reason = gaps.uncompared(name, case)
        if reason:
            found[name] = f'not compared: {reason}'
            continue
        different = same_outputs(outputs[reference], outputs[name], case.dtype)
        found[name] = different or 'agrees'
    return found


def _turns(crew, names, case, effort):
    """{side: [(seconds per call, calls), ...]}, taken in turns."""
    taken = {name: [] for name in names}
    spent = dict.fromkeys(names, 0.0)
    for _ in range(effort.turns):
        for name in names:
            if taken[name] and spent[name] >= effort.side:
                continue
            start = time.perf_counter()
            side = crew.side(name, case.env)
            taken[name].append(side.ask('time', effort.turn))
            spent[name] += time.perf_counter() - start
    return taken


def _measured(turns):
    """One side's entry in the result."""
    times = [seconds * 1e3 for seconds, _ in turns]
    return {
        'ms': statistics.median(times),
        'turns': times,
        'calls': sum(calls for _, calls in turns),
    }


def _ratio(sides, name):
    other, ours = sides.get(name, {}), sides.get('ours', {})
    if 'ms' not in other or not ours.get('ms'):
        return None
    return other['ms'] / ours['ms']


def describe(case, threads):
    """The fields of a result that do not depend on measuring."""
    names = (
        'name', 'op', 'mode', 'dtype', 'shape', 'numel', 'variant', 'workload',
    )  # fmt: skip
    fields = {name: getattr(case, name) for name in names}
    return {**fields, 'shape': list(case.shape), 'threads': threads}


def run_case(crew, names, case, effort, seed=0):
    """The result of one case, as a plain dictionary."""
    result = describe(case, crew.threads)
    crew.end_extra(case.env)
    reason = too_big(case, len(names))
    if reason:
        return {**result, 'skipped': reason, 'sides': {}, 'check': {}}
    outputs, sides = _prepare(crew, names, case, seed)
    check = _check(case, outputs)
    watch = Others(crew.pids())
    sides.update(_timed(crew, case, effort, list(outputs), check))
    return {
        **result,
        'sides': sides,
        'check': check,
        'others': watch.share(),
        'ratio_torch': _ratio(sides, 'torch'),
        'ratio_release': _ratio(sides, 'release'),
    }


def _timed(crew, case, effort, names, check):
    """{side: its entry} of the sides that are prepared and agree with ours."""
    sides, timed = {}, []
    for name in names:
        verdict = check.get(name, 'agrees')
        if verdict == 'agrees' or verdict.startswith('not compared'):
            timed.append(name)
        else:
            sides[name] = {'failed': f'differs from ours: {verdict}'}
    try:
        for name, turns in _turns(crew, timed, case, effort).items():
            way = crew.side(name, case.env).ask('way')
            sides[name] = {**_measured(turns), **way}
    except SideDied as error:
        sides['ours'] = {'failed': str(error)}
    return sides
