"""What the results say, and all of a run as one page."""

from bench.report import floors
from bench.report.table import (
    NOISE,
    SIDES,
    busy_lines,
    commit,
    header,
    line,
    machine,
    mean,
    pays,
    times,
)

MOVED = 1.1


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
    found = [r for r in results if r.get(key)]
    if not found:
        return []
    slower = [r for r in found if r[key] < NOISE]
    slower.sort(key=lambda r: r[key])
    said = f'{times(mean(found, key))} {SIDES[side]} (geometric mean of '
    said += f'{len(found)} cases); slower in {len(slower)}'
    return [said] + [
        f'- {times(r[key])}: {r["name"]}, {r["threads"]} threads'
        for r in slower
    ]


def changes(old, new):
    """A line for all that moved against an older run; losses first.

    The ratio to torch is compared, not the time: it moves less with the
    machine's load.
    """
    before = {(r['name'], r['threads']): r for r in old}
    pairs = [(before.get((r['name'], r['threads']), {}), r) for r in new]
    factors = sorted(
        (r['ratio_torch'] / earlier['ratio_torch'], r['name'], r['threads'])
        for earlier, r in pairs
        if earlier.get('ratio_torch') and r.get('ratio_torch')
    )
    return ['', 'Against the older run, x PyTorch by a factor of:'] + [
        f'- {factor:.2f}: {name}, {threads} threads'
        for factor, name, threads in factors
        if not 1 / MOVED <= factor <= MOVED
    ]


def after(data, every_floor=False, old=None):
    """The lines below the table of results."""
    results = data['results']
    lines = ['', *summary(results, 'torch'), *summary(results, 'release')]
    for name in data['headers']:
        of_it = [r for r in results if r['header'] == name]
        lines.append(pays(of_it, name))
    judged = floors.judge(results)
    missed = sum(not good for _, _, good in judged)
    for text, value, good in judged:
        if every_floor or not good:
            lines.append(f'- {"pass" if good else "MISS"} {value:.3g}  {text}')
    if judged:
        lines.append(f'{len(judged) - missed} floors passed, {missed} missed.')
    lines += changes(old['results'], results) if old else []
    return [*lines, *busy_lines(results), *failures(results)]


def page(data, *more):
    """All of a run as Markdown."""
    results, meta = data['results'], data['meta']
    sides = {name: None for r in results for name in r['sides']}
    return '\n'.join([
        '# Speed of the masked and scatter operators', '',
        f'{machine(meta)}; {commit(meta)}.', '',
        header(sides), *(line(r, sides) for r in results),
        *after(data, *more), '',
    ])  # fmt: skip
