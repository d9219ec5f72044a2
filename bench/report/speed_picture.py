"""The picture on top of the README: bars of time for a few calls.

An SVG on a white ground, so that it reads the same in a dark page. Its
description holds the figures in words, by which it is known to be up to date:
the drawing itself differs between versions of matplotlib.
"""

import io
from html import escape

import matplotlib
from matplotlib.figure import Figure

from bench.report import charts, published, table, words

SIZE = (7.2, 3.9)  # inches
BAR = 0.25
STYLE = {
    **charts.STYLE,
    'svg.fonttype': 'none',  # text stays text: a small file
    'svg.hashsalt': 'speed',  # the same names of parts in every run
    'font.family': 'sans-serif',
    'axes.grid': False,
    'axes.spines.bottom': False,
}


def bars(data):
    """[(label, {side: ms})]"""
    few = published.few(data)
    return [(label, table.measured(result)) for label, result in few]


def description(data):
    """'masked_scatter: ours 11.4 ms, PyTorch 87.3 ms, ...; ...'"""
    rows = []
    for label, times in bars(data):
        listed = (
            f'{words.SIDES[side]} {table.duration(ms)}'
            for side, ms in times.items()
        )
        rows.append(f'{label}: {", ".join(listed)}')
    return '; '.join(rows)


def shows(svg, data):
    """True if a drawing is of these figures."""
    return escape(description(data), quote=False) in svg


def _width(rows):
    """Room for the second longest bar: one alone must not dwarf the others."""
    longest = sorted(ms for _, times in rows for ms in times.values())
    return 1.2 * longest[-2] if len(longest) > 1 else 1.2 * longest[-1]


def _bar(axes, y, ms, width, side):
    colour = charts.COLOURS[side]
    axes.barh(y, min(ms, width), BAR * 0.9, color=colour)
    inside = ms > width
    if inside:  # cut off: a gap before its end says so
        axes.barh(y, width * 0.012, BAR, left=width * 0.8, color='white')
    axes.annotate(
        table.duration(ms),
        (min(ms, width), y),
        xytext=(-4 if inside else 4, 0),
        textcoords='offset points',
        ha='right' if inside else 'left',
        va='center',
        fontsize=9,
        color='white' if inside else charts.INK,
    )


def _legend(axes):
    patches = [
        matplotlib.patches.Patch(color=charts.COLOURS[s], label=words.SIDES[s])
        for s in table.COLUMNS
    ]
    axes.legend(handles=patches, loc='lower right', frameon=False, fontsize=9.5)


@matplotlib.rc_context(STYLE)
def draw(data):
    """The picture as text."""
    rows = bars(data)
    axes = Figure(SIZE, facecolor='white').subplots()
    width = _width(rows)
    for row, (_, times) in enumerate(rows):
        for side, ms in times.items():
            place = row + (table.COLUMNS.index(side) - 1) * BAR
            _bar(axes, place, ms, width, side)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, width * 1.02)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_title(
        'Milliseconds a call, 16.8 million float32 elements; shorter is better',
        loc='left',
        fontsize=10,
    )
    _legend(axes)
    svg = io.StringIO()
    about = {'Date': None, 'Creator': None, 'Description': description(data)}
    axes.figure.savefig(svg, format='svg', metadata=about)
    lines = (line.rstrip() for line in svg.getvalue().splitlines())
    return '\n'.join(lines) + '\n'
