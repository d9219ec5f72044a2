"""The figures to keep that look at all cases of a run together."""

from bench.report import words
from bench.report.summary import LIMIT

TEMPORARIES = 0.01
IMPORT_MS = 20
# Time per element may grow by this much over the sizes; caches end somewhere.
FLAT = 1.3
GAIN = 1.6


def _row(text, value, bound, at_least=False):
    passed = None
    if value is not None:
        passed = value >= bound if at_least else value <= bound
    return {'text': text, 'value': value, 'bound': bound, 'passed': passed}


def _means(summary):
    rows = []
    for key, name in (('torch', 'PyTorch'), ('release', 'released Paddle')):
        part = summary.get(key)
        if part is None:
            continue
        text = (
            f'geometric mean at least {part["floor"]:g} times as fast as {name}'
        )
        rows.append(_row(text, part['geometric_mean'], part['floor'], True))
        rows.append(
            _row(f'cases slower than {name}: none', len(part['slower']), 0)
        )
    if summary.get('limit'):
        text = f'large cases over {LIMIT:g} times a bare copy: none'
        rows.append(_row(text, len(summary['limit']['slower']), 0))
    return rows


def _scaling(summary):
    # 1.0: the same time per element as the smallest size
    worst = max((row['worst'] for row in summary['scaling']), default=None)
    text = f'time per element at most {FLAT:g}x that of 2^18 elements'
    return _row(text, worst, FLAT)


def _gain(summary, results):
    """The least gain by a second thread where memory is not the limit."""
    bound = {
        r['name']
        for r in results
        if r['threads'] == 2 and (r['of_limit'] or 0) >= 1 / LIMIT
    }
    gains = [
        row['gain']
        for row in summary['thread_gain']
        if row['name'] not in bound
    ]
    text = f'two threads at least {GAIN:g}x one, where memory is not the limit'
    return _row(text, min(gains, default=None), GAIN, True)


def _memory(rows):
    found = []
    for row in rows:
        entry = row['sides'].get('ours', {})
        if row['op'] == 'masked_scatter' and 'bytes' in entry:
            name = f'{row["op"]}: {words.MODES[row["mode"]]}'
            text = f'{name}: temporaries under 1% of x'
            share = entry['bytes'] / row['x_bytes']
            found.append(_row(text, share, TEMPORARIES))
    return found


def judge(data):
    """Rows like those of the floors."""
    summary = data['summary']
    rows = _means(summary)
    rows.append(_scaling(summary))
    rows.append(_gain(summary, data['results']))
    rows += _memory(data.get('memory', []))
    took = data.get('import_ms', {})
    if len(took) == 2:
        text = f'import of paddle at most {IMPORT_MS} ms longer'
        rows.append(_row(text, took['ours'] - took['release'], IMPORT_MS))
    return rows
