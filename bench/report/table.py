"""The results as a table that is Markdown, and reads well in a terminal."""

from statistics import geometric_mean

from bench.run.cases import MODES

SIDES = {
    'ours': 'ours',
    'torch': 'PyTorch',
    'release': 'released Paddle',
    'without': 'without',
}
# Share of the processors that others may use while a case is measured.
BUSY = 0.1
# A ratio this far below 1 is still noise.
NOISE = 0.95
# A speed header that gains less is not worth its lines.
PAYS = 1.2
UNITS = ((1e3, 's', 1e-3), (1.0, 'ms', 1.0), (0.0, 'us', 1e3))
NAME_WIDTH, CELL_WIDTH = 60, 8


def duration(ms):
    """'1.23 ms' with three figures."""
    unit, scale = next(u[1:] for u in UNITS if ms >= u[0])
    return f'{ms * scale:.3g} {unit}'


def size(count):
    """'1.5 MiB' for bytes."""
    for unit in ('B', 'KiB', 'MiB'):
        if count < 1024:
            return f'{count:.3g} {unit}'
        count /= 1024
    return f'{count:.3g} GiB'


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
        return size(entry['bytes'])
    return duration(entry['ms']) if 'ms' in entry else 'n/a'


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


def words(result):
    """'scatter, sum forward'."""
    return f'{result["label"]} {MODES[result["mode"]]}'


def beside(result, side):
    """'81.2 ms (17.5x)'"""
    entry, ratio = result['sides'].get(side), result[f'ratio_{side}']
    return cell(entry) + (f' ({times(ratio)})' if ratio else '')


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


def _row(name, cells):
    padded = (f'{text:>{CELL_WIDTH}}' for text in cells)
    return f'| {name:<{NAME_WIDTH}} | {" | ".join(padded)} |'


def header(sides):
    """The two lines above the results."""
    cells = ['threads', *sides, *(f'x {n}' for n in sides if n != 'ours')]
    cells += ['x loop', 'torch by']
    return f'{_row("case", cells)}\n|---|{"---:|" * len(cells)}'


def line(result, sides):
    """One result; a star at its end says that the machine was busy."""
    others = [f'ratio_{name}' for name in sides if name != 'ours']
    cells = [
        result['threads'],
        *(cell(result['sides'].get(name)) for name in sides),
        *(times(result.get(key)) for key in others),
        times(loop(result)),
        way(result),
    ]
    return _row(result['name'], cells) + ' *' * busy(result)


def busy(result):
    """True if other programs took too much of the machine meanwhile."""
    return result.get('others', 0) > BUSY


def busy_lines(results):
    """A warning if the machine was not ours alone."""
    count = sum(map(busy, results))
    if not count:
        return []
    return [
        f'WARNING: during {count} of {len(results)} cases other programs used '
        f'over {BUSY:.0%} of the processors (marked *).',
        'Their numbers are not to be trusted, those of 2 threads least.',
    ]


def ratios(results, key):
    """Those that are there."""
    return [r[key] for r in results if r.get(key)]


def mean(results, key):
    """The geometric mean of a ratio, or None."""
    found = ratios(results, key)
    return geometric_mean(found) if found else None


def mean_loop(results, side):
    """The geometric mean of a side's times over the bare loop."""
    return geometric_mean(loop(r, side) for r in results)


def pays(results, header):
    """Whether a speed header is worth its lines."""
    best = max(ratios(results, 'ratio_without'), default=0)
    if best < PAYS:
        return f'{header} is below {PAYS} on all its cases: it does not pay.'
    return f'{header} pays: up to {times(best)}.'
