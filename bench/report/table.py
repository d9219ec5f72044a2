"""The results as text for a terminal."""

import sys
from pathlib import Path

import jinja2

from bench.report import summary

TEMPLATE = Path(__file__).with_name('after.txt.j2')
WIDTH = 72
# Share of the processors that others may use while a case is measured.
BUSY = 0.1
COLUMNS = ('ours', 'torch', 'release')
UNITS = ((1e3, 's', 1e-3), (1.0, 'ms', 1.0), (0.0, 'us', 1e3))


def duration(ms):
    """'1.23 ms' with three figures."""
    if ms is None:
        return '-'
    for least, unit, scale in UNITS:
        if ms >= least:
            return f'{ms * scale:.3g} {unit}'
    return '-'


def size(count):
    """'1.5 MiB' for bytes."""
    for unit in ('B', 'KiB', 'MiB'):
        if abs(count) < 1024:
            return f'{count:.3g} {unit}'
        count /= 1024
    return f'{count:.3g} GiB'


def times(ratio):
    """'3.2x'."""
    return '-' if ratio is None else f'{ratio:.3g}x'


def percent(share):
    """'85%'."""
    return '-' if share is None else f'{share * 100:.0f}%'


def cell(entry):
    """A side's time, or why there is none."""
    if not entry:
        return '-'
    if 'na' in entry:
        return 'n/a'
    if 'failed' in entry:
        return 'FAILED'
    return duration(entry['ms'])


def measured(result):
    """{side: milliseconds} of the sides that have been measured."""
    return {
        side: result['sides'][side]['ms']
        for side in COLUMNS
        if 'ms' in result['sides'].get(side, {})
    }


def way(result):
    """How torch was called, where it has several ways."""
    return result['sides'].get('torch', {}).get('way', '-')


def busy(result):
    """True if other programs took too much of the machine meanwhile."""
    return (result.get('others') or 0) > BUSY


def busy_lines(results):
    """A warning if the machine was not ours alone."""
    count = sum(busy(result) for result in results)
    if not count:
        return []
    return [
        '',
        f'WARNING: during {count} of {len(results)} cases other programs used '
        f'over {percent(BUSY)} of the processors (marked *).',
        'Their numbers are not to be trusted, those of 2 threads least.',
    ]


def header():
    """The first line of the table."""
    heads = ''.join(f'{name:>10}' for name in COLUMNS)
    ratios = f'{"xtorch":>8}{"xrelease":>9}'
    return f'{"case":<{WIDTH}}{"thr":>4}{heads}{ratios}  torch by'


def line(result):
    """One result."""
    start = f'{result["name"]:<{WIDTH}}{result["threads"]:>4}'
    if 'skipped' in result:
        return f'{start}  skipped: {result["skipped"]}'
    sides = result['sides']
    cells = ''.join(f'{cell(sides.get(name)):>10}' for name in COLUMNS)
    text = (
        f'{start}{cells}{times(result["ratio_torch"]):>8}'
        f'{times(result["ratio_release"]):>9}  {way(result):<15}'
        f'{"*" if busy(result) else ""}'
    )
    return text.rstrip()


def after(data, every_floor, moved):
    """What comes after the table of cases."""
    template = jinja2.Template(
        TEMPLATE.read_text('utf-8'), trim_blocks=True, lstrip_blocks=True
    )
    return template.render(
        data,
        table=sys.modules[__name__],
        every_floor=every_floor,
        changes=moved,
        failures=summary.failures(data['results']),
    )
