"""Small charts as SVG text; colours come from the page's style sheet."""

import math
from html import escape

LEFT = 150
ROW = 34


def decades(low, high):
    """Powers of ten that enclose [low, high]."""
    first = math.floor(math.log10(low))
    last = max(first + 1, math.ceil(math.log10(high)))
    return [10.0**power for power in range(first, last + 1)]


def log_scale(low, high, start, end):
    """A function from a positive number to a place on a log axis."""
    span = math.log10(high) - math.log10(low)

    def place(value):
        share = (math.log10(value) - math.log10(low)) / span
        return start + share * (end - start)

    return place


def text(x, y, words, anchor='start', kind=''):
    """A text element."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'class="{kind}">{escape(str(words))}</text>'
    )


def rule(x1, y1, x2, y2, kind='grid'):
    """A straight line."""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'class="{kind}"/>'
    )


def dot(x, y, kind, words, radius=4):
    """A dot that tells its value when pointed at."""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="{kind}">'
        f'<title>{escape(words)}</title></circle>'
    )


def bar(x, y, width, height, kind, words):
    """A bar that tells its value when pointed at."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" '
        f'height="{height}" rx="2" class="{kind}">'
        f'<title>{escape(words)}</title></rect>'
    )


def picture(width, height, parts, label):
    """The whole SVG element."""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(label)}">' + ''.join(parts) + '</svg>'
    )


def plain(value):
    """A tick label without needless digits."""
    return f'{value:g}'


def _strip_axis(ticks, place, bottom, unit, parity):
    parts = []
    for tick in ticks:
        kind = 'one' if parity and tick == 1 else 'grid'
        parts.append(rule(place(tick), 20, place(tick), bottom, kind))
        words = plain(tick) + unit
        parts.append(text(place(tick), bottom + 16, words, 'middle', 'tick'))
    if parity:
        parts.append(text(place(1) - 6, 14, 'slower', 'end', 'tick'))
        parts.append(text(place(1) + 6, 14, 'faster', 'start', 'tick'))
    return parts


def strips(rows, label, unit='x', parity=True, left=LEFT, width=900):
    """Dots on one log axis, a strip for each row.

    rows: [(name, [(value, class, words)])]. `parity` draws the line at 1
    strongly and spreads the dots, so that equal values can be told apart.
    """
    everything = [value for _, dots in rows for value, _, _ in dots]
    everything += [1.0] if parity else []
    ticks = decades(min(everything), max(everything))
    place = log_scale(ticks[0], ticks[-1], left, width - 40)
    step = ROW if parity else ROW * 0.7
    bottom = 20 + step * len(rows)
    parts = _strip_axis(ticks, place, bottom, unit, parity)
    for order, (name, dots) in enumerate(rows):
        middle = 20 + step * (order + 0.5)
        parts.append(text(left - 12, middle + 4, name, 'end'))
        for count, (value, kind, words) in enumerate(dots):
            y = middle + ((count * 7 % 19) - 9 if parity else 0)
            parts.append(dot(place(value), y, kind, words, 4 + (not parity)))
    return picture(width, bottom + 26, parts, label)


def lines(series, label, title, unit, width=440, height=270):
    """Lines on two log axes. series: [(class, [(x, y, words)])]."""
    points = [point for _, line in series for point in line]
    across = log_scale(
        min(p[0] for p in points) / 1.5,
        max(p[0] for p in points) * 1.5,
        52,
        width - 12,
    )
    ticks = decades(min(p[1] for p in points), max(p[1] for p in points))
    up = log_scale(ticks[0], ticks[-1], height - 34, 30)
    parts = [text(52, 16, title, 'start', 'title')]
    for tick in ticks:
        parts.append(rule(52, up(tick), width - 12, up(tick)))
        parts.append(text(46, up(tick) + 4, unit(tick), 'end', 'tick'))
    for size in sorted({p[0] for p in points}):
        words = f'2^{round(math.log2(size))}'
        parts.append(text(across(size), height - 14, words, 'middle', 'tick'))
    for kind, line in series:
        path = ' '.join(f'{across(x):.1f},{up(y):.1f}' for x, y, _ in line)
        parts.append(f'<polyline points="{path}" class="line {kind}"/>')
        parts += [dot(across(x), up(y), kind, w, 3.5) for x, y, w in line]
    return picture(width, height, parts, label)


def bars(rows, label, shown, width=900):
    """Groups of horizontal bars. rows: [(name, [(value, class, words)])]."""
    values = [value for _, group in rows for value, _, _ in group]
    most = max([*values, 1e-9])
    left, room = 250, width - 250 - 90
    parts, y = [], 4
    for name, group in rows:
        parts.append(text(left - 12, y + 8 * len(group), name, 'end'))
        for value, kind, words in group:
            length = room * value / most
            parts.append(bar(left, y, length, 12, kind, words))
            parts.append(
                text(left + length + 6, y + 10, shown(value), 'start', 'tick')
            )
            y += 15
        y += 12
    return picture(width, max(y, 20), parts, label)
