"""The figures that the project's texts show, kept in docs/speed.json.

README, docs/benchmark.md, the pull requests' texts and the picture are all
made from that one file, so that none of them can say another thing.
"""

import json

from bench.report import table

RECORD = 'docs/speed.json'  # in the project's folder
# Of a result, what no text shows.
DROPPED = {'header', 'shown', 'turns', 'calls', 'ways'}
FIGURES = 6  # of a number in the record: more than any text shows
# The rows of the README and its picture, by forward.
FEW = (
    'masked_scatter', 'masked_fill', 'select_scatter, axis 0',
    'diagonal_scatter', 'scatter, sum',
)  # fmt: skip


def _trimmed(value):
    """Of a result, what is kept."""
    if isinstance(value, dict):
        kept = value.keys() - DROPPED
        return {k: _trimmed(v) for k, v in value.items() if k in kept}
    return float(f'{value:.{FIGURES}g}') if isinstance(value, float) else value


def record(data, old):
    """What is kept of a run, beside what it did not measure of an older one."""
    results = [r for r in data['results'] if 'ours' in table.measured(r)]
    meta = data['meta']
    if data['headers']:
        found = dict(old.get('headers', {}))
        for header in data['headers']:
            of_it = [_trimmed(r) for r in results if r['header'] == header]
            found[header] = {'meta': meta, 'results': of_it}
        return {**old, 'headers': found}
    return {
        **old,
        'meta': meta,
        'threads': max(r['threads'] for r in results),
        'results': [_trimmed(r) for r in results if r['shown']],
    }


def text(kept):
    """The record as JSON, a result a line."""
    return json.dumps(kept).replace('{"group"', '\n{"group"') + '\n'


def load(path):
    """The record as a dictionary."""
    return json.loads(path.read_text('utf-8'))


def shown(data):
    """The results that the texts show, of the most threads.

    A result has `alone`: PyTorch's time over ours, both with one thread.
    """
    ratios = {table.key(r): r['ratio_torch'] for r in data['results']}
    return [
        {**r, 'alone': ratios.get((r['name'], 1))}
        for r in data['results']
        if r['threads'] == data['threads']
    ]


def few(data):
    """[(label, result)] of the README's few rows."""
    forward = {r['label']: r for r in shown(data) if r['mode'] == 'fwd'}
    found = [forward[label] for label in FEW if label in forward]
    return [(r['label'].replace(', axis 0', ''), r) for r in found]
