"""The results as one self-contained page."""

from pathlib import Path

import jinja2

from bench.report import charts, summary, table, words
from bench.run import cases

TEMPLATE = Path(__file__).resolve().parent / 'page.html.j2'


def ratio_chart(results, side):
    """A mark for each case that the tile of the same ratio counts."""
    key, rows = f'ratio_{side}', {}
    for result in summary.compared(results, key):
        point = (result[key], result['mode'])
        rows.setdefault(result['op'], []).append(point)
    label = f'times as fast as {words.SIDES[side]}'
    return charts.ratios(rows, summary.NOISE, label) if rows else ''


def _headlines(results):
    """[(what the operator is called, result)]"""
    named = ((cases.LABELS.get((r['op'], r['variant'])), r) for r in results)
    return [pair for pair in named if pair[0]]


def workload_chart(results):
    """A row for each workload, called the first way that was measured."""
    found = {}
    for result in results:
        if result.get('workload'):
            found.setdefault(result['workload'], table.measured(result))
    label = 'time of the calls that models make'
    rows = list(found.items())
    return [charts.dots(rows, table.duration, label)] if rows else []


def size_charts(results):
    """A chart for each operator measured at several sizes."""
    found = {}
    for label, result in _headlines(results):
        if result['mode'] == 'fwd' and len(result['shape']) == 2:
            sides = found.setdefault(label, {})
            for side, ms in table.measured(result).items():
                sides.setdefault(side, []).append((result['numel'], ms))
    return [
        charts.lines(op, sides, table.duration)
        for op, sides in found.items()
        if max(map(len, sides.values()), default=0) > 1
    ]


def small_chart(results):
    """Microseconds of a call on 8x8 tensors."""
    groups = []
    for label, result in _headlines(results):
        if result['shape'] == [8, 8]:
            times = table.measured(result)
            values = {side: ms * 1e3 for side, ms in times.items()}
            mode = words.MODES[result['mode']].replace(', ', ',\n')
            groups += [(f'{label}: {mode}', values)] if values else []
    label = 'microseconds of a call on tiny tensors'
    return [charts.dots(groups, '{:g} µs'.format, label)] if groups else []


def render(data):
    """The page as text."""
    results = data['results']
    threads = max((r['threads'] for r in results), default=0)
    facts = ('float32', threads)
    plain = [r for r in results if (r['dtype'], r['threads']) == facts]
    template = jinja2.Template(TEMPLATE.read_text('utf-8'), autoescape=True)
    return template.render(
        data,
        failed=len(summary.failures(results)),
        noise=summary.NOISE,
        words=words,
        sides=words.SIDES,
        modes=words.MODES,
        table=table,
        times=table.times,
        charts=charts,
        threads=threads,
        works=workload_chart(plain),
        ratios=[(side, ratio_chart(results, side)) for side in words.OTHERS],
        sizes=size_charts(plain),
        small=small_chart(plain),
    )


def write(path, data):
    """Write the page."""
    path.write_text(render(data) + '\n')
