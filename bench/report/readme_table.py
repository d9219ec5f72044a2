"""The figures in README, docs and the pull requests' texts.

`python -m bench --publish` measures them and calls this. By itself it makes
the texts of docs/speed.json again; `results.json` takes the figures of another
run first.
"""

import argparse
import json
import sys
from pathlib import Path

import jinja2

from bench.report import published, speed_picture, table
from bench.run.cases import MODES, OPS, all_cases, headers, sources
from bench.run.processes import ROOT
from scripts.common.text_lines import between

START = '<!-- speed: written by python -m bench.report.readme_table -->'
END = '<!-- end of speed -->'
TEMPLATE = Path(__file__).with_name('figures.md.j2')
PICTURE = 'docs/speed.svg'
# What a result has of the others' times over ours.
OTHERS = {
    'ratio_torch': 'PyTorch',
    'alone': 'PyTorch with one thread',
    'ratio_release': 'released Paddle',
}


def sections(data):
    """{file: what it shows}"""
    macros = jinja2.Template(TEMPLATE.read_text('utf-8')).make_module(
        {**data, 'data': data, 'table': table, 'modes': MODES, 'others': OTHERS}
    )
    shown = published.shown(data)
    works = [r for r in shown if r['group'] == 'workloads']
    rest = [r for r in shown if r['group'] != 'workloads']
    graph = next(c for c in all_cases() if c.label == 'scatter, graph')
    more = (graph, sources(), headers())
    found = {
        'README.md': macros.section(published.few(data), rest, works),
        'docs/benchmark.md': macros.rows(rest, works, *more),
    }
    # each text of a pull request sums up the rows of its operator
    for op in OPS:
        rows = [r for r in rest if r['op'] == op]
        found[f'docs/pull_requests/{op}.md'] = macros.brief(rows)
    return found


def texts(data, root):
    """{path: its whole text} of all that shows the figures."""
    return {
        root / name: between(
            (root / name).read_text('utf-8'), START, END, str(new), name
        )
        for name, new in sections(data).items()
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
    return found if speed_picture.shows(picture, data) else [*found, PICTURE]


def take(path, root, busy):
    """Put the figures of a run into the record."""
    data = json.loads(path.read_text('utf-8'))
    warning = table.busy_lines(data['results'])
    if warning and not busy:
        sys.exit(
            '\n'.join(warning) + '\nNothing is written. Measure again, or '
            f'python -m bench.report.readme_table {path} --busy'
        )
    record = root / published.RECORD
    old = published.load(record) if record.exists() else {}
    new = published.text(published.record(data, old))
    record.write_text(new, 'utf-8')


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
