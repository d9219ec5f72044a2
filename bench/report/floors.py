"""The figures that this project wants to keep, and whether a run has them.

Most are the published ones, of which a run must have a part; what it did not
measure is neither passed nor missed.
"""

from statistics import geometric_mean

from bench.report import table

# Of an earlier ratio: runs differ, by the fresh pages that the others get.
PART = 0.5
# How many times as fast as PyTorch the cases of a group are in the mean, and
# each of them; with two threads.
GOALS = {'table': (8, 1), 'workloads': (4, 1), 'tiny': (1.8, 1.2)}
# At most so many times the bare loop, by forward.
LOOP = 1.3
NEAR_LOOP = ('masked_scatter', 'masked_fill', 'scatter, sum', 'scatter, amax')


def _kept(results, earlier):
    """Against an earlier run, or the record."""
    before = {table.key(r): r for r in earlier}
    for result in results:
        for side in ('torch', 'release'):
            name = f'ratio_{side}'
            old = before.get(table.key(result), {}).get(name)
            if old and result.get(name):
                yield result['name'], f'x {side}', result[name], old * PART


def _goals(results):
    """Of groups, and of the bare loop."""
    shown = [r for r in results if r['shown'] and r['threads'] == 2]
    for group, bounds in GOALS.items():
        part = [r for r in shown if r['group'] == group]
        if ratios := table.ratios(part, 'ratio_torch'):
            values = (geometric_mean(ratios), min(ratios))
            for what, value, bound in zip(('mean', 'least'), values, bounds):
                yield f'{group}, {what}', 'x torch', value, bound
    for result in shown:
        loop = table.loop(result)
        if loop and result['label'] in NEAR_LOOP:
            yield result['name'], 'of the loop, as fast', 1 / loop, 1 / LOOP


def judge(results, earlier):
    """[(text, True, or False where it is missed)]"""
    found = [*_kept(results, earlier), *_goals(results)]
    return [
        (f'{value:.3g} {what}, at least {bound:.3g}: {name}', value >= bound)
        for name, what, value, bound in found
    ]
