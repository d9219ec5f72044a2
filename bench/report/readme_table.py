"""The figures in README, docs, the pull requests' texts and the picture.

`python -m bench --publish` measures them and calls this. All are made from
docs/speed.json, so that none of them can say another thing. By itself this
makes the texts of that file again; `results.json` takes the figures of another
run first.
"""

import argparse
import json
import sys
from pathlib import Path

import jinja2

from bench.report import table
from bench.run.cases import MODES, OPS, find, headers, sources
from bench.run.processes import ROOT
from scripts.common.text_lines import between

RECORD = 'docs/speed.json'  # in the project's folder
PICTURE = 'docs/speed.svg'
START = '<!-- speed: written by python -m bench.report.readme_table -->'
END = '<!-- end of speed -->'
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent)
)
# Of a result, what no text shows.
DROPPED = {'header', 'params', 'shape', 'shown', 'ways'}
FIGURES = 6  # of a number in the record: more than any text shows
# The rows of the README and its picture, by forward.
FEW = (
    'masked_scatter', 'masked_fill', 'select_scatter, axis 0',
    'diagonal_scatter', 'scatter, sum',
)  # fmt: skip
# What a result has of the others' times over ours.
OTHERS = {
    'ratio_torch': 'PyTorch',
    'alone': 'PyTorch with one thread',
    'ratio_release': 'released Paddle',
}
COLOURS = {'ours': '#1f6feb', 'torch': '#e8710a', 'release': '#7a808a'}


def _trimmed(value):
    """Of a result, what is kept."""
    if isinstance(value, dict):
        kept = value.keys() - DROPPED
        return {k: _trimmed(v) for k, v in value.items() if k in kept}
    return float(f'{value:.{FIGURES}g}') if isinstance(value, float) else value


def record(data, old):
    """What is kept of a run, beside what it did not measure of an older one."""
    results = [r for r in data['results'] if 'ours' in table.measured(r)]
    meta, found = data['meta'], dict(old.get('headers', {}))
    for header in data['headers']:
        of_it = [_trimmed(r) for r in results if r['header'] == header]
        found[header] = {'meta': meta, 'results': of_it}
    if data['headers']:
        return {**old, 'headers': found}
    kept = {
        'meta': meta,
        'threads': max(r['threads'] for r in results),
        'results': [_trimmed(r) for r in results if r['shown']],
    }
    if data['page_fault_free']:
        return {**old, 'page_fault_free': kept}
    return {**old, **kept}


def shown(data):
    """The results that the texts show, of the most threads.

    A result has more times of PyTorch over ours: `alone`, both with one thread;
    `page_fault_free` and `page_fault_free_alone`, the same from a run with
    --page-fault-free; `loop` and `loop_torch` are our time and PyTorch's over
    that of the bare loop.
    """
    fresh, page_fault_free = (
        {table.key(r): r['ratio_torch'] for r in part.get('results', ())}
        for part in (data, data.get('page_fault_free', {}))
    )
    return [
        {
            **r,
            'alone': fresh.get((r['name'], 1)),
            'page_fault_free': page_fault_free.get(table.key(r)),
            'page_fault_free_alone': page_fault_free.get((r['name'], 1)),
            'loop': table.loop(r),
            'loop_torch': table.loop(r, 'torch'),
        }
        for r in data['results']
        if r['threads'] == data['threads']
    ]


def texts(data):
    """{path: its whole text} of all that shows the figures."""
    macros = TEMPLATES.get_template('figures.md.j2').make_module(
        {**data, 'data': data, 'table': table, 'modes': MODES, 'others': OTHERS}
    )
    found = shown(data)
    works = [r for r in found if r['group'] == 'workloads']
    rest = [r for r in found if r['group'] == 'table']
    few, large = (
        {
            r['label'].replace(', axis 0', ''): r
            for r in found
            if (r['group'], r['mode']) == (group, 'fwd') and r['label'] in FEW
        }
        for group in ('table', 'large')
    )
    more = (find('scatter, graph'), sources(), headers())
    sections = {
        'README.md': macros.section(few, large, rest, works),
        'docs/benchmark.md': macros.rows(
            [*rest, *large.values()], works, *more
        ),
    }
    for op in OPS:  # the text of its pull request sums up its rows
        of_it = [r for r in rest if r['op'] == op]
        sections[f'docs/pull_requests/{op}.md'] = macros.brief(of_it)
    bars = {label: table.measured(result) for label, result in few.items()}
    # room for the second longest bar: one alone must not dwarf the others
    longest = sorted(ms for times in bars.values() for ms in times.values())
    picture = TEMPLATES.get_template('speed.svg.j2').render(
        rows=bars, most=1.1 * longest[-2:][0], table=table, colours=COLOURS
    )
    made = {ROOT / PICTURE: picture + '\n'}
    for name, new in sections.items():
        old = (ROOT / name).read_text('utf-8')
        made[ROOT / name] = between(old, START, END, str(new), name)
    return made


def load():
    """The record."""
    return json.loads((ROOT / RECORD).read_text('utf-8'))


def take(path, busy):
    """Put the figures of a run into the record."""
    data = json.loads(path.read_text('utf-8'))
    warning = table.busy_lines(data['results'])
    if warning and not busy:
        sys.exit(
            '\n'.join(warning) + '\nNothing is written. Measure again, or '
            f'python -m bench.report.readme_table {path} --busy'
        )
    # a result a line
    text = json.dumps(record(data, load())).replace('{"name"', '\n{"name"')
    (ROOT / RECORD).write_text(text + '\n', 'utf-8')


def main(arguments=None):
    """Write the texts, of a run if one is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add('json', type=Path, nargs='?', help='results of a run')
    add('--busy', action='store_true', help='take numbers of a busy machine')
    args = parser.parse_args(arguments)
    if args.json:
        take(args.json, args.busy)
    for path, text in texts(load()).items():
        path.write_text(text, 'utf-8')


if __name__ == '__main__':
    main()
