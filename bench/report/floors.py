"""The figures that this project wants to keep, and whether a run has them.

Those of a case stand in cases.yaml. One that the run did not measure is neither
passed nor missed.
"""

from statistics import geometric_mean

from bench.report import table
from bench.run.cases import all_cases, shown_cases

THREADS = 2
# Of the cases of a group that the texts show: how many times as fast as torch
# in the mean, and each of them.
GROUPS = {'table': (8, 1), 'workloads': (4, 1), 'tiny': (1.8, 1.2)}
KINDS = {
    'torch': 'at least {:g} times as fast as PyTorch',
    'release': 'at least {:g} times as fast as released Paddle',
    'loop': 'at most {:g} times the bare loop',
}


def _judged(name, kind, value, bound):
    good = value <= bound if kind == 'loop' else value >= bound
    return f'{name}: {KINDS[kind].format(bound)}', value, good


def judge(results):
    """[(text, value, False if it is missed)] of what was measured."""
    found = {r['name']: r for r in results if r['threads'] == THREADS}
    judged = []
    for case in all_cases():
        result = found.get(case.name, {'sides': {}})
        for kind, bound in case.floors:
            loop = table.loop(result) if kind == 'loop' else None
            value = loop or result.get(f'ratio_{kind}')
            if value:
                judged.append(_judged(case.name, kind, value, bound))
    shown = [found[c.name] for c in shown_cases() if c.name in found]
    for group, bounds in GROUPS.items():
        part = [r for r in shown if r['group'] == group]
        if ratios := table.ratios(part, 'ratio_torch'):
            values = (geometric_mean(ratios), min(ratios))
            for what, *pair in zip(('mean', 'least'), values, bounds):
                judged.append(_judged(f'{group}, {what}', 'torch', *pair))
    return judged
