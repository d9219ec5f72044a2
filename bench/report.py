"""The results as one self-contained page."""

from html import escape
from pathlib import Path

from bench import cases, svg, table

TEMPLATE = Path(__file__).resolve().parent / 'report.html.j2'
LABELS = {
    'ours': 'ours',
    'torch': 'PyTorch',
    'release': 'released Paddle',
    'limit': 'limit',
}
MODES = ('fwd', 'grad', 'inplace')
WORDS = {
    'fwd': '',
    'tape': ', with gradients',
    'grad': ' and backward',
    'inplace': ', in place',
}


def _words(result):
    times = ', '.join(
        f'{LABELS[name]} {table.cell(entry)}'
        + (f' by {entry["way"]}' if 'way' in entry else '')
        for name, entry in result['sides'].items()
        if 'ms' in entry
    )
    threads = f'{result["threads"]} threads'
    return f'{result["name"]}, {threads}: {times}'


def ratio_strips(results, key, label):
    """Dots of a ratio, a strip for each operator; '' without results."""
    rows = {}
    for result in results:
        if result.get(key) and result['mode'] in MODES:
            words = f'{table.times(result[key])}: {_words(result)}'
            dots = rows.setdefault(result['op'], [])
            dots.append((result[key], result['mode'], words))
    for op in cases.YARDSTICKS:
        rows.pop(op, None)
    return svg.strips(list(rows.items()), label) if rows else ''


def _by_size(results, threads):
    """{op: {side: [(elements, ms, words)]}} of the float32 headlines."""
    found = {}
    for result in results:
        label = cases.label(result['op'], result['variant'])
        if not label or len(result['shape']) != 2:
            continue
        if (result['mode'], result['dtype']) != ('fwd', 'float32'):
            continue
        if result['threads'] != threads:
            continue
        for name, entry in result['sides'].items():
            if 'ms' in entry:
                line = found.setdefault(label, {}).setdefault(name, [])
                words = f'{LABELS[name]}: {table.duration(entry["ms"])}'
                line.append((result['numel'], entry['ms'], words))
    return found


def size_charts(results, threads):
    """A chart for each operator measured at several sizes."""
    charts = []
    for op, sides in _by_size(results, threads).items():
        series = [
            (name, sorted(sides[name])) for name in LABELS if name in sides
        ]
        if max(len(line) for _, line in series) > 1:
            label = f'time of {op} by number of elements'
            charts.append(svg.lines(series, label, op, table.duration))
    return charts


def small_chart(rows):
    """Microseconds of a call on 8x8 tensors."""
    groups = []
    most = max((row['threads'] for row in rows), default=0)
    for row in rows:
        label = cases.label(row['op'], row['variant'])
        if row['threads'] != most or row['dtype'] != 'float32' or not label:
            continue
        # ours last: it is drawn over the others
        dots = [
            (row[side], side, f'{LABELS[side]}: {row[side]:.2f} us')
            for side in reversed(LABELS)
            if side in row
        ]
        name = label + WORDS[row['mode']]
        if dots:
            groups.append((name, dots))
    if not groups:
        return ''
    label = 'microseconds of a call on tiny tensors'
    return svg.strips(groups, label, ' us', parity=False, left=220)


def memory_chart(rows):
    """Temporaries as a share of x."""
    groups = []
    for row in rows:
        bars = []
        for side in LABELS:
            entry = row['sides'].get(side, {})
            if 'bytes' in entry:
                share = entry['bytes'] / row['x_bytes']
                words = f'{LABELS[side]}: {table.size(entry["bytes"])}'
                bars.append((share, side, words))
        if bars:
            op, mode, _, _, variant = row['name'].split('/')
            extra = '' if variant == 'headline' else f', {variant}'
            groups.append((op + WORDS[mode] + extra, bars))
    if not groups:
        return ''
    label = 'temporary memory as a share of x'
    return svg.bars(groups, label, table.percent)


def tiles(summary, failed):
    """The few numbers on top."""
    found = []
    for key, words in (
        ('torch', 'as fast as PyTorch, geometric mean'),
        ('release', 'as fast as released Paddle, geometric mean'),
    ):
        part = summary.get(key)
        if part:
            value = table.times(part['geometric_mean'])
            found.append({'value': value, 'text': words, 'warn': False})
    if summary.get('limit'):
        value = table.percent(summary['limit']['geometric_mean'])
        words = 'of the speed of a bare copy, large cases'
        found.append({'value': value, 'text': words, 'warn': False})
    if summary.get('torch'):
        slower = len(summary['torch']['slower'])
        words = f'of {summary["torch"]["cases"]} cases slower than PyTorch'
        found.append({'value': slower, 'text': words, 'warn': slower > 0})
    if failed:
        words = 'failures or differences'
        found.append({'value': failed, 'text': words, 'warn': True})
    return found


def _cell(result, side):
    entry = result['sides'].get(side)
    if entry is None or 'ms' in entry:
        return f'<td>{table.cell(entry)}</td>'
    kind = 'na' if 'na' in entry else 'bad'
    reason = escape(entry.get('na') or entry.get('failed'), quote=True)
    return f'<td class="{kind}" title="{reason}">{table.cell(entry)}</td>'


def _ratio(value):
    kind = ' class="bad"' if value is not None and value < 1 else ''
    return f'<td{kind}>{table.times(value)}</td>'


def render(data):
    """The page as text."""
    # Only here, so that measuring needs nothing but numpy.
    import jinja2

    results = data['results']
    threads = max((r['threads'] for r in results), default=0)
    failed = sum('failed' in s for r in results for s in r['sides'].values())
    # The charts and cells are markup of our own; names are escaped in them.
    template = jinja2.Environment(autoescape=False).from_string(
        TEMPLATE.read_text()
    )
    return template.render(
        meta=data['meta'],
        results=results,
        not_run=len(data.get('not_run', [])),
        busy=' '.join(table.busy_lines(results)),
        labels=LABELS,
        columns=table.COLUMNS,
        threads=threads,
        tiles=tiles(data['summary'], failed),
        strips=ratio_strips(results, 'ratio_torch', 'ratio to PyTorch'),
        release_strips=ratio_strips(
            results, 'ratio_release', 'ratio to released Paddle'
        ),
        sizes=size_charts(results, threads),
        small=small_chart(data['overhead']),
        memory=memory_chart(data.get('memory', [])),
        instructions=data.get('instructions', {}),
        floors=data['floors'],
        cell=_cell,
        way=table.way,
        ratio=_ratio,
        percent=table.percent,
    )


def write(path, data):
    """Write the page."""
    path.write_text(render(data) + '\n')
