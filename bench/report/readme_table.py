"""The figures in README, docs and the pull requests' texts.

`python -m bench --publish` measures them and calls this. By itself it makes
the texts of docs/speed.json again; `results.json` takes the figures of another
run first.
"""

import argparse
import json
import sys
from pathlib import Path
from statistics import geometric_mean

from bench.report import published, speed_picture, table, words
from bench.report.summary import NOISE
from bench.run.cases import EDGES, NODES
from bench.run.workloads import WORKLOADS
from scripts.common.text_lines import between

ROOT = Path(__file__).resolve().parents[2]
START = '<!-- speed: written by python -m bench.report.readme_table -->'
END = '<!-- end of speed -->'
PICTURE = 'docs/speed.svg'
# Texts of pull requests, and the operators whose rows they show.
TEXTS = {
    'masked_scatter.md': ('masked_scatter',),
    'masked_fill.md': ('masked_fill',),
    'select_scatter.md': ('select_scatter',),
    'diagonal_scatter.md': ('diagonal_scatter',),
    'scatter.md': ('scatter',),
}
OTHERS = {'torch': 'PyTorch', 'release': 'released Paddle'}


def _line(label, result):
    sides = result['sides']
    cells = [
        label,
        words.MODES[result['mode']],
        table.cell(sides['ours']),
        table.cell(sides.get('torch')),
        table.way(result),
        table.cell(sides.get('release')),
        table.times(result['ratio_torch']),
        table.times(result['ratio_release']),
    ]
    return '| ' + ' | '.join(cells) + ' |'


def _machine(data):
    meta = data['meta']
    versions = {name: s['version'] for name, s in meta['sides'].items()}
    return (
        f'{meta["date"][:10]}: {meta["cpu"]}, {meta["cores"]} cores, '
        f'{meta["system"]}, {data["threads"]} threads; PyTorch '
        f'{versions.get("torch", "-")}, released Paddle '
        f'{versions.get("release", "-")}'
    )


def _about(data):
    meta = data['meta']
    commit = (meta.get('commit') or 'no commit')[:10]
    changed = ' with local changes' if meta.get('changed_files') else ''
    return (
        f'Measured on {_machine(data)}; commit {commit}{changed}. float32, '
        '16.8 million elements, half of the mask True, medians of several '
        'turns. "By": the fastest of the ways that PyTorch has to the same '
        f'result. "Graph": {EDGES:,} updates in random order into '
        f'{NODES[0]:,} rows of {NODES[1]}.'
    )


def rows(data, ops=None):
    """The lines of a table of all operators, or of some."""
    lines = [_about(data), '']
    lines.append(
        '| API | | ours | PyTorch | by | released | x PyTorch | x released |'
    )
    lines.append('|---|---|---:|---:|---|---:|---:|---:|')
    for row, result in published.shown(data, ops):
        lines.append(_line(row.label, result))
    return '\n'.join(lines)


def workloads(data):
    """The lines of a table of the workloads."""
    lines = [
        '| workload | API | | dtype | ours | PyTorch | by | released '
        '| x PyTorch | x released |',
        '|---|---|---|---|---:|---:|---|---:|---:|---:|',
    ]
    for row, result in published.works(data):
        _, *cells = _line('', result).split(' | ')
        start = [row.label, f'`{row.op}`', cells[0], row.dtype]
        lines.append(f'| {" | ".join([*start, *cells[1:]])}')
    lines.append('')
    lines += [f'- {work.name}: {work.source}.' for work in WORKLOADS]
    return '\n'.join(lines)


def _workloads_in_short(data):
    pairs = [
        (row, result)
        for row, result in published.works(data)
        if result['ratio_torch'] is not None
    ]
    if not pairs:
        return []
    mean = geometric_mean([result['ratio_torch'] for _, result in pairs])
    row, worst = min(pairs, key=lambda pair: pair[1]['ratio_torch'])
    return [
        f'{len(pairs)} calls of models, by name and size in '
        '[docs/benchmark.md](docs/benchmark.md): '
        f'{table.times(mean)} PyTorch (geometric mean), at worst '
        f'{table.times(worst["ratio_torch"])} ({row.label}, {row.dtype}).',
        '',
    ]


def _compared(entry, ratio):
    time = table.cell(entry)
    return time if ratio is None else f'{time} ({table.times(ratio)})'


def _slow(data, side):
    slow = [
        f'{row.label} {words.MODES[result["mode"]]} ({table.times(ratio)})'
        for row, result in published.shown(data)
        if (ratio := result[f'ratio_{side}']) is not None and ratio < NOISE
    ]
    listed = f': {"; ".join(slow)}' if slow else ' in none of them'
    return f'Slower than {OTHERS[side]}{listed}.'


def section(data):
    """The few rows of the README, and every slow one."""
    lines = ['| forward | ours | PyTorch | released Paddle |']
    lines.append('|---|---:|---:|---:|')
    for label, result in published.few(data):
        sides = result['sides']
        cells = [f'`{label}`', table.cell(sides['ours'])]
        cells += [
            _compared(sides.get(side), result[f'ratio_{side}'])
            for side in OTHERS
        ]
        lines.append(f'| {" | ".join(cells)} |')
    lines += [
        '',
        'In brackets: how many times as long as ours. float32, 4096x4096, half '
        f'of the mask True. {_machine(data)}.',
        '',
        *_workloads_in_short(data),
        f'Of {len(published.shown(data))} cases measured '
        '([docs/benchmark.md](docs/benchmark.md) has them all). '
        + ' '.join(_slow(data, side) for side in OTHERS),
    ]
    return '\n'.join(lines)


def texts(data, root):
    """{file: its whole text} of all that shows the figures."""
    sections = {
        'README.md': section(data),
        'docs/benchmark.md': f'{rows(data)}\n\n{workloads(data)}',
        **{
            f'docs/pull_requests/{name}': rows(data, ops)
            for name, ops in TEXTS.items()
        },
    }
    return {
        root / name: between(
            (root / name).read_text('utf-8'), START, END, new, name
        )
        for name, new in sections.items()
    }


def write(data, root):
    """Bring every text and the picture up to date."""
    found = texts(data, root)  # before anything is written
    for path, text in found.items():
        path.write_text(text, 'utf-8')
    (root / PICTURE).write_text(speed_picture.draw(data), 'utf-8')


def outdated(data, root):
    """The files that show other figures than the record has."""
    found = [
        str(path.relative_to(root))
        for path, text in texts(data, root).items()
        if path.read_text('utf-8') != text
    ]
    picture = (root / PICTURE).read_text('utf-8')
    if not speed_picture.shows(picture, data):
        found.append(PICTURE)
    return found


def take(path, root, busy):
    """Put the figures of a run into the record."""
    data = json.loads(path.read_text('utf-8'))
    warning = table.busy_lines(data['results'])
    if warning and not busy:
        sys.exit(
            '\n'.join(warning) + '\nNothing is written. Measure again, or '
            f'python -m bench.report.readme_table {path} --busy'
        )
    record = published.text(published.record(data))
    (root / published.RECORD).write_text(record, 'utf-8')


def main(arguments=None):
    """Write the texts, of a run if one is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('json', type=Path, nargs='?', help='results of a run')
    parser.add_argument(
        '--busy', action='store_true', help='take numbers of a busy machine'
    )
    parser.add_argument('--root', type=Path, default=ROOT)
    args = parser.parse_args(arguments)
    if args.json:
        take(args.json, args.root, args.busy)
    write(published.load(args.root / published.RECORD), args.root)


if __name__ == '__main__':
    main()
