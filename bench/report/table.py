"""The results as a table that is Markdown and reads well in a terminal.

Below it stands how we compare, and what was lost. The figures that this project
wants to keep are its floors: most are the published ones, of which a run must
have a part; what it did not measure is neither passed nor missed.
"""

from statistics import geometric_mean

SIDES = {
    'ours': 'ours',
    'operator': '_C_ops',
    'torch': 'PyTorch',
    'release': 'released Paddle',
}
# Share of the processors that others may use while a case is measured.
BUSY = 0.1
# A ratio this far below 1 is still noise.
NOISE = 0.95
# A speed header that gains less is not worth its lines.
PAYS = 1.2
# Of an earlier ratio a run must have this part: runs differ, by the fresh pages
# that the others get.
PART = 0.5
# How many times as fast as PyTorch the cases of a group are in the mean, and
# each of them; with two threads.
GOALS = {'table': (8, 1), 'workloads': (4, 1), 'tiny': (1.8, 1.2)}
# At most so many times the bare loop, by forward.
LOOP = 1.3
NEAR_LOOP = ('masked_scatter', 'masked_fill', 'scatter, sum', 'scatter, amax')
MS = {'s': 1e3, 'ms': 1, 'us': 1e-3}
BYTES = {'GiB': 1 << 30, 'MiB': 1 << 20, 'KiB': 1 << 10, 'B': 1}
NAME_WIDTH, CELL_WIDTH = 60, 8


def scaled(value, units=MS):
    """'1.23 ms' with three figures."""
    fitting = (unit for unit, least in units.items() if value >= least)
    unit = next(fitting, [*units][-1])
    return f'{value / units[unit]:.3g} {unit}'


def times(ratio):
    """'3.2x'."""
    return '-' if ratio is None else f'{ratio:.3g}x'


def cell(entry):
    """A side's time or memory, or why there is none."""
    if not entry:
        return '-'
    if 'failed' in entry:
        return 'FAILED'
    if 'bytes' in entry:
        return scaled(entry['bytes'], BYTES)
    return scaled(entry['ms']) if 'ms' in entry else 'n/a'


def key(result):
    """What names a result, in a run and in the record."""
    return result['name'], result['threads']


def measured(result):
    """{side: milliseconds} of the sides that have been measured."""
    return {n: e['ms'] for n, e in result['sides'].items() if 'ms' in e}


def loop(result, side='ours'):
    """A side's time over that of the bare loop, or None."""
    bare, taken = result.get('bare'), measured(result).get(side)
    return taken / bare if bare and taken else None


def way(result):
    """How torch was called, where it has several ways."""
    return result['sides'].get('torch', {}).get('way', '-')


def machine(meta, threads=None):
    """'2026-01-02: the processor, 2 cores, ...'"""
    said = f'{meta["date"][:10]}: {meta["cpu"]}, {meta["cores"]} cores, '
    said += meta['system'] + (f', {threads} threads' if threads else '')
    for before, name in (('; ', 'torch'), (', ', 'release')):
        if name in meta.get('sides', {}):
            said += f'{before}{SIDES[name]} {meta["sides"][name]["version"]}'
    return said


def commit(meta):
    """'commit 0123456789 with local changes'"""
    changed = ' with local changes' if meta['changed_files'] else ''
    return f'commit {(meta["commit"] or "unknown")[:10]}{changed}'


def _row(name, *cells):
    padded = (f'{text:>{CELL_WIDTH}}' for text in cells)
    return f'| {name:<{NAME_WIDTH}} | {" | ".join(padded)} |'


def header(sides):
    """The two lines above the results."""
    ratios = [f'x {name}' for name in sides if name != 'ours']
    cells = ['threads', *sides, *ratios, 'x loop', 'torch by']
    return f'{_row("case", *cells)}\n|---|{"---:|" * len(cells)}'


def line(result, sides):
    """One result; a star at its end says that the machine was busy."""
    cells = [cell(result['sides'].get(name)) for name in sides]
    for name in sides:
        if name != 'ours':
            cells.append(times(result.get(f'ratio_{name}')))
    cells += [times(loop(result)), way(result)]
    row = _row(result['name'], result['threads'], *cells)
    return row + ' *' * busy(result)


def busy(result):
    """True if other programs took too much of the machine meanwhile."""
    return result.get('others', 0) > BUSY


def busy_lines(results):
    """A warning if the machine was not ours alone."""
    count = sum(map(busy, results))
    said = (
        f'WARNING: during {count} of {len(results)} cases other programs used '
        f'over {BUSY:.0%} of the processors (marked *).',
        'Their numbers are not to be trusted, those of 2 threads least.',
    )
    return said if count else ()


def ratios(results, key):
    """Those that are there."""
    return [r[key] for r in results if r.get(key)]


def mean(results, key):
    """The geometric mean of a ratio, or None."""
    found = ratios(results, key)
    return geometric_mean(found) if found else None


def pays(results, header):
    """Whether a speed header is worth its lines."""
    best = max(ratios(results, 'ratio_without'), default=0)
    if best < PAYS:
        return f'{header} is below {PAYS} on all its cases: it does not pay.'
    return f'{header} pays: up to {times(best)}.'


def _floors(results, earlier):
    """(value, the least it may be, of what, name)"""
    before = {key(r): r for r in earlier}
    for result in results:
        old = before.get(key(result), {})
        for side in ('torch', 'release'):
            new, kept = (r.get(f'ratio_{side}') for r in (result, old))
            if new and kept:
                yield new, kept * PART, f'x {side}', result['name']
    shown = [r for r in results if r['shown'] and r['threads'] == 2]
    for group, goals in GOALS.items():
        found = ratios((r for r in shown if r['group'] == group), 'ratio_torch')
        if found:
            values = geometric_mean(found), min(found)
            for value, goal, what in zip(values, goals, ('mean', 'least')):
                yield value, goal, 'x torch', f'{group}, {what}'
    for result in shown:
        if result['label'] in NEAR_LOOP and (taken := loop(result)):
            yield 1 / taken, 1 / LOOP, 'of the loop, as fast', result['name']


def judged(results, earlier, passed):
    """A line for each floor that is missed, or passed if asked for; a count."""
    found = list(_floors(results, earlier))
    missed = sum(value < least for value, least, *_ in found)
    lines = [
        f'- {"MISS" if value < least else "pass"} '
        f'{value:.3g} {what}, at least {least:.3g}: {name}'
        for value, least, what, name in found
        if passed or value < least
    ]
    count = f'{len(found) - missed} floors passed, {missed} missed.'
    return [*lines, count] if found else []


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
    said = f'{times(mean(found, key))} {SIDES[side]} '
    said += f'(geometric mean of {len(found)} cases); slower in {len(slower)}'
    names = (f'- {times(r[key])}: {r["name"]}' for r in slower)
    return [said, *names] if found else []


def after(data, earlier=(), passed=False):
    """The lines below the table of results."""
    results = data['results']
    return [
        '',
        *summary(results, 'torch'),
        *summary(results, 'release'),
        *(
            pays([r for r in results if r['header'] == name], name)
            for name in data['headers']
        ),
        *judged(results, earlier, passed),
        *busy_lines(results),
        *failures(results),
    ]
