"""What is said below the table of a run: how we compare, and what was lost.

The figures that this project wants to keep are its floors: most are the
published ones, of which a run must have a part; what it did not measure is
neither passed nor missed.
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


def failures(results):
    """A line for everything that failed."""
    return [
        f'FAILED {r["name"]}, {r["threads"]} threads, {side}: {entry["failed"]}'
        for r in results
        for side, entry in r['sides'].items()
        if 'failed' in entry
    ]


def summary(results, side):
    """How we compare with a side, and the cases in which it is faster."""
    key = f'ratio_{side}'
    found = sorted((r for r in results if r.get(key)), key=lambda r: r[key])
    slower = [r for r in found if r[key] < table.NOISE]
    said = f'{table.times(table.mean(found, key))} {table.SIDES[side]} '
    said += f'(geometric mean of {len(found)} cases); slower in {len(slower)}'
    names = (f'- {table.times(r[key])}: {r["name"]}' for r in slower)
    return [said, *names] if found else []


def after(data, earlier=(), passed=False):
    """The lines below the table of results."""
    results = data['results']
    lines = ['', *summary(results, 'torch'), *summary(results, 'release')]
    for name in data['headers']:
        of_it = [r for r in results if r['header'] == name]
        lines.append(table.pays(of_it, name))
    judged = judge(results, earlier)
    for text, good in judged:
        if passed or not good:
            lines.append(f'- {"pass" if good else "MISS"} {text}')
    missed = sum(not good for _, good in judged)
    if judged:
        said = f'{len(judged) - missed} floors passed, {missed} missed.'
        lines.append(said)
    return [*lines, *table.busy_lines(results), *failures(results)]
