"""What the results of a run say."""

from bench.report import floors
from bench.report.table import (
    NOISE,
    SIDES,
    busy_lines,
    mean,
    pays,
    times,
)


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
    slower = [r for r in found if r[key] < NOISE]
    said = f'{times(mean(found, key))} {SIDES[side]} (geometric mean of '
    said += f'{len(found)} cases); slower in {len(slower)}'
    names = (f'- {times(r[key])}: {r["name"]}' for r in slower)
    return [said, *names] if found else []


def after(data, earlier=(), passed=False):
    """The lines below the table of results."""
    results = data['results']
    lines = ['', *summary(results, 'torch'), *summary(results, 'release')]
    for name in data['headers']:
        of_it = [r for r in results if r['header'] == name]
        lines.append(pays(of_it, name))
    judged = floors.judge(results, earlier)
    for text, good in judged:
        if passed or not good:
            lines.append(f'- {"pass" if good else "MISS"} {text}')
    missed = sum(not good for _, good in judged)
    if judged:
        said = f'{len(judged) - missed} floors passed, {missed} missed.'
        lines.append(said)
    return [*lines, *busy_lines(results), *failures(results)]
