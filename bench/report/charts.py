"""The charts of the page, drawn by matplotlib as SVG text.

Each is as narrow as a phone, so that it is never scaled to where its text
cannot be read. A colour stands for a side, red for slower; modes of a call
differ by the shape of their mark.
"""

import io
import re
from html import escape

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from bench.run.cases import MODES

COLOURS = {'ours': '#1f6feb', 'torch': '#e8710a', 'release': '#7a808a'}
BAD, INK, RULE = '#c62828', '#1d2430', '#d7dbe1'
MARKS = dict(zip(MODES, 'oDsPX^'))
WIDTH = 4.6  # inches: 440 CSS pixels
STYLE = {
    'font.size': 9.5,
    'font.family': 'DejaVu Sans',
    'text.color': INK,
    'axes.edgecolor': RULE,
    'axes.grid': True,
    'axes.axisbelow': True,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'grid.color': RULE,
    'svg.fonttype': 'path',  # looks the same wherever it is read
    'figure.constrained_layout.use': True,
}


def _axes(height):
    axes = Figure((WIDTH, height)).subplots()
    axes.tick_params(which='both', length=0)
    return axes


def _svg(axes, label):
    """The figure for a page; its size is that of the column it stands in."""
    text = io.StringIO()
    axes.figure.savefig(
        text, format='svg', transparent=True, metadata={'Date': None}
    )
    svg = text.getvalue()[text.getvalue().index('<svg') :]
    head, rest = svg.split('>', 1)
    head = re.sub(r' (width|height)="[^"]*"', '', head)
    return f'{head} role="img" aria-label="{escape(label)}">{rest}'


def _rows(axes, names):
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis='y', visible=False)


def _log(axis, shown, subs=(1,)):
    axis.set_major_locator(LogLocator(10, subs=subs, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))
    axis.set_minor_formatter(NullFormatter())


@matplotlib.rc_context(STYLE)
def ratios(rows, least, label):
    """rows: {operator: [(ratio, mode)]}; red below `least`."""
    axes = _axes(0.7 + 0.42 * len(rows))
    axes.axvline(1, color=INK, linewidth=1)
    for row, points in enumerate(rows.values()):
        for place, (ratio, mode) in enumerate(sorted(points)):
            # beside each other: equal ratios can be told apart
            offset = (place * 7 % 19 - 9) / 30
            colour = BAD if ratio < least else COLOURS['ours']
            axes.plot(
                ratio, row + offset, MARKS[mode], color=colour,
                markersize=4.5, alpha=0.75, markeredgewidth=0,
            )  # fmt: skip
    axes.set_xscale('log')
    spread = max(axes.get_xlim()) / min(axes.get_xlim())
    subs = (1, 2, 5) if spread < 100 else (1,)
    _log(axes.xaxis, lambda value: f'{value:g}x', subs)
    _rows(axes, list(rows))
    return _svg(axes, label)


@matplotlib.rc_context(STYLE)
def lines(title, sides, shown):
    """sides: {side: [(elements, ms)]}; both axes are logarithmic."""
    axes = _axes(2.6)
    for side, points in sides.items():
        axes.plot(
            *zip(*sorted(points)), color=COLOURS[side], marker='o',
            markersize=4,
        )  # fmt: skip
    axes.set_xscale('log', base=2)
    axes.set_yscale('log')
    sizes = sorted({point[0] for line in sides.values() for point in line})
    names = [f'$2^{{{size.bit_length() - 1}}}$' for size in sizes]
    axes.set_xticks(sizes, names)
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.grid(axis='x', visible=False)
    _log(axes.yaxis, shown)
    axes.set_title(title, loc='left', fontsize=10)
    return _svg(axes, f'time of {title} by number of elements')


@matplotlib.rc_context(STYLE)
def dots(rows, shown, label):
    """rows: [(name, {side: value})] on one logarithmic axis."""
    axes = _axes(0.6 + 0.24 * len(rows))
    for row, (_, values) in enumerate(rows):
        # ours last: it is drawn over the others
        for side in reversed(COLOURS):
            if side in values:
                axes.plot(values[side], row, 'o', color=COLOURS[side])
    axes.set_xscale('log')
    _log(axes.xaxis, shown)
    _rows(axes, [name for name, _ in rows])
    return _svg(axes, label)
