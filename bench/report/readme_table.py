"""The speed section of the README, made from a result file.

`python -m bench.report.readme_table results.json` prints it; --write puts it
between the two marker lines of the README, and each operator's rows between
those of its pull request's text.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple

from bench.report import table, words
from bench.run.cases import EDGES, NODES

README = Path(__file__).resolve().parents[2] / 'README.md'
START = '<!-- speed: written by python -m bench.report.readme_table -->'
END = '<!-- end of speed -->'
MODES = ('fwd', 'grad', 'inplace')
ELEMENTS = 1 << 24
GRAPH = NODES[0] * NODES[1]


class Row(NamedTuple):
    """Operator, what differs from its headline, how it is called here."""

    op: str
    variant: str
    label: str
    elements: int = ELEMENTS


_TABLE = (
    ('masked_scatter', 'headline', 'masked_scatter'),
    ('masked_scatter', 'mask=row', 'masked_scatter, row mask'),
    ('masked_fill', 'headline', 'masked_fill'),
    ('masked_fill', 'mask=row', 'masked_fill, row mask'),
    ('masked_fill', 'value=one', 'masked_fill, Tensor value'),
    ('select_scatter', 'headline', 'select_scatter, axis 0'),
    ('select_scatter', 'axis=1', 'select_scatter, axis 1'),
    ('diagonal_scatter', 'headline', 'diagonal_scatter'),
    ('scatter', 'headline', 'scatter'),
    ('scatter', 'reduce=sum', 'scatter, sum'),
    ('scatter', 'axis=1,reduce=sum', 'scatter, sum, axis 1'),
    ('scatter', 'reduce=amax', 'scatter, amax'),
    ('scatter', 'axis=1,reduce=amax', 'scatter, amax, axis 1'),
    ('scatter', f'updates={EDGES}', 'scatter, graph', GRAPH),
    ('scatter', f'reduce=sum,updates={EDGES}', 'scatter, sum, graph', GRAPH),
    ('scatter', f'reduce=mean,updates={EDGES}', 'scatter, mean, graph', GRAPH),
    ('scatter', f'reduce=amax,updates={EDGES}', 'scatter, amax, graph', GRAPH),
)
ROWS = [Row(*entry) for entry in _TABLE]
PULL_REQUESTS = README.parent / 'docs/pull_requests'
# Texts, and the operators whose rows they show.
TEXTS = {
    'masked_scatter.md': ('masked_scatter',),
    'masked_fill.md': ('masked_fill',),
    'select_scatter.md': ('select_scatter',),
    'diagonal_scatter.md': ('diagonal_scatter',),
    'scatter.md': ('scatter',),
}


def _find(results, row, mode, threads):
    for result in results:
        if (
            (result['op'], result['variant']) == (row.op, row.variant)
            and (result['mode'], result['threads']) == (mode, threads)
            and (result['dtype'], result['numel']) == ('float32', row.elements)
            and 'ms' in result['sides'].get('ours', {})
        ):
            return result
    return None


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


def _about(data, threads):
    meta = data['meta']
    versions = {name: s['version'] for name, s in meta['sides'].items()}
    commit = (meta.get('commit') or 'no commit')[:10]
    changed = ' with local changes' if meta.get('changed_files') else ''
    return (
        f'Measured on {meta["date"][:10]}: {meta["cpu"]}, {meta["cores"]} '
        f'cores, {meta["system"]}, {threads} threads, commit {commit}'
        f'{changed}; PyTorch {versions.get("torch", "-")}, released Paddle '
        f'{versions.get("release", "-")}. float32, 16.8 million elements, '
        'half of the mask True, medians of several turns. "By": the fastest '
        'of the ways that PyTorch has to the same result. "Graph": '
        f'{EDGES:,} updates in random order into {NODES[0]:,} rows of '
        f'{NODES[1]}.'
    )


def _means(summary):
    parts = []
    for key, name in (('torch', 'PyTorch'), ('release', 'released Paddle')):
        part = summary.get(key)
        if part:
            parts.append(
                f'{table.times(part["geometric_mean"])} {name} '
                f'({part["cases"]} cases, {len(part["slower"])} slower)'
            )
    if not parts:
        return []
    return [
        '',
        'Geometric mean over the cases of this run that both sides have: '
        f'{"; ".join(parts)}.',
    ]


def _instructions(counts):
    if not counts:
        return []
    listed = ', '.join(f'{loop} {n:.2f}' for loop, n in counts.items())
    return [
        '',
        'Instructions per float32 element of the hot loops (callgrind, one '
        f'thread): {listed}.',
    ]


def section(data):
    """The text between the markers of the README."""
    lines = rows(data, [row.op for row in ROWS])
    lines += _means(data['summary'])
    return '\n'.join(lines + _instructions(data.get('instructions', {})))


def rows(data, ops):
    """The lines of a table of some operators."""
    results = data['results']
    threads = max((r['threads'] for r in results), default=0)
    lines = [_about(data, threads), '']
    lines.append(
        '| API | | ours | PyTorch | by | released | x PyTorch | x released |'
    )
    lines.append('|---|---|---:|---:|---|---:|---:|---:|')
    for row in ROWS:
        for mode in MODES:
            result = _find(results, row, mode, threads)
            if result and row.op in ops:
                lines.append(_line(row.label, result))
    return lines


def replaced(text, new):
    """A text with another speed section."""
    if text.count(START) != 1 or text.count(END) != 1:
        sys.exit(
            'bench.report.readme_table: the text must hold these two lines once '
            f'each:\n{START}\n{END}'
        )
    before, rest = text.split(START)
    after = rest.split(END)[1]
    return f'{before}{START}\n{new}\n{END}{after}'


def _write(path, new):
    path.write_text(replaced(path.read_text(), new))


def main(arguments=None):
    """Print the section, or write it into the texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('json', type=Path)
    parser.add_argument('--write', action='store_true')
    parser.add_argument(
        '--busy', action='store_true', help='write numbers of a busy machine'
    )
    parser.add_argument('--readme', type=Path, default=README)
    parser.add_argument('--pull-requests', type=Path, default=PULL_REQUESTS)
    args = parser.parse_args(arguments)
    data = json.loads(args.json.read_text())
    new = section(data)
    if args.write:
        warning = table.busy_lines(data['results'])
        if warning and not args.busy:
            sys.exit('\n'.join([*warning, 'Measure again, or add --busy.']))
        _write(args.readme, new)
        for name, ops in TEXTS.items():
            _write(args.pull_requests / name, '\n'.join(rows(data, ops)))
    else:
        print(new)


if __name__ == '__main__':
    main()
