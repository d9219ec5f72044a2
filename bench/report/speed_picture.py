"""The picture on top of the README: bars of time for a few calls.

An SVG on a white ground, so that it reads the same in a dark page. Its
description holds the figures in words, by which it is known to be up to date:
the drawing itself differs between versions of matplotlib.
"""

import io
from html import escape

import matplotlib
from matplotlib.figure import Figure

from bench.report import published, table

SIZE = (7.2, 3.9)  # inches
BAR = 0.25
TITLE = 'Milliseconds a call, 16.8 million float32 elements; shorter is better'
COLOURS = {'ours': '#1f6feb', 'torch': '#e8710a', 'release': '#7a808a'}
STYLE = {
    'font.size': 9.5,
    'font.family': 'sans-serif',
    'text.color': '#1d2430',
    'axes.edgecolor': '#d7dbe1',
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.spines.bottom': False,
    'svg.fonttype': 'none',  # text stays text: a small file
    'svg.hashsalt': 'speed',  # the same names of parts in every run
    'figure.constrained_layout.use': True,
}


def description(data):
    """'masked_scatter: ours 11.4 ms, PyTorch 87.3 ms, ...; ...'"""
    rows = []
    for label, result in published.few(data):
        listed = (
            f'{table.SIDES[side]} {table.duration(ms)}'
            for side, ms in table.measured(result).items()
        )
        rows.append(f'{label}: {", ".join(listed)}')
    return '; '.join(rows)


def shows(svg, data):
    """True if a drawing is of these figures."""
    return escape(description(data), quote=False) in svg


@matplotlib.rc_context(STYLE)
def draw(data):
    """The picture as text."""
    few = published.few(data)
    rows = [(label, table.measured(result)) for label, result in few]
    axes = Figure(SIZE, facecolor='white').subplots()
    # room for the second longest bar: one alone must not dwarf the others
    longest = sorted(ms for _, times in rows for ms in times.values())
    width = 1.1 * longest[-2:][0]
    for place, (side, colour) in enumerate(COLOURS.items()):
        found = [(row, times[side]) for row, (_, times) in enumerate(rows)
                 if side in times]  # fmt: skip
        drawn = axes.barh(
            [row + (place - 1) * BAR for row, _ in found],
            [min(ms, width) for _, ms in found],
            BAR * 0.9,
            color=colour,
            label=table.SIDES[side],
        )
        said = [table.duration(ms) + ' (cut off)' * (ms > width)
                for _, ms in found]  # fmt: skip
        axes.bar_label(drawn, said, padding=4, fontsize=9)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, width * 1.25)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_title(TITLE, loc='left', fontsize=10)
    axes.legend(loc='lower right', frameon=False, fontsize=9.5)
    svg = io.StringIO()
    about = {'Date': None, 'Creator': None, 'Description': description(data)}
    axes.figure.savefig(svg, format='svg', metadata=about)
    lines = (line.rstrip() for line in svg.getvalue().splitlines())
    return '\n'.join(lines) + '\n'
