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

import jinja2

from bench.report import published, speed_picture, table, words
from bench.report.summary import NOISE
from bench.run.cases import EDGES, NODES, OPS, YARDSTICKS
from bench.run.workloads import WORKLOADS
from scripts.common.text_lines import between

ROOT = Path(__file__).resolve().parents[2]
START = '<!-- speed: written by python -m bench.report.readme_table -->'
END = '<!-- end of speed -->'
TEMPLATE = Path(__file__).with_name('figures.md.j2')
PICTURE = 'docs/speed.svg'
# Texts of pull requests, each of which sums up the rows of its operator.
TEXTS = {
    op: f'docs/pull_requests/{op}.md' for op in OPS if op not in YARDSTICKS
}

# What a result has of the others' times over ours.
RATIOS = {
    'ratio_torch': 'PyTorch',
    'alone': 'PyTorch with one thread',
    'ratio_release': 'released Paddle',
}


def _text(data, name, *arguments):
    """A macro of the template, filled in."""
    template = jinja2.Template(TEMPLATE.read_text('utf-8'))
    module = template.make_module(
        {**data, 'words': words, 'table': table, 'nodes': NODES, 'edges': EDGES}
    )
    return str(getattr(module, name)(*arguments))


def rows(data):
    """The lines of a table of all operators."""
    return _text(data, 'rows', published.shown(data))


def brief(data, op):
    """An operator's cases by mode: {mode: {ratio: (mean, least, its label)}}."""
    found = {}
    for row, result in published.shown(data, (op,)):
        for key in RATIOS:
            if ratio := result[key]:
                modes = found.setdefault(words.MODES[result['mode']], {})
                modes.setdefault(key, []).append((ratio, row.label))
    for ratios_of in found.values():
        for key, ratios in ratios_of.items():
            mean = geometric_mean(ratio for ratio, _ in ratios)
            ratios_of[key] = mean, *min(ratios)
    return _text(data, 'brief', found, RATIOS)


def workloads(data):
    """The lines of a table of the workloads."""
    return _text(data, 'workloads', published.works(data), WORKLOADS)


def section(data):
    """The few rows of the README, and every slow one."""
    few, shown = published.few(data), published.shown(data)
    works = published.works(data)
    works = [x for x in works if x[1]['ratio_torch'] is not None]
    means = []
    for key in ('ratio_torch', 'alone'):
        ratios = [x[1][key] for x in works if x[1][key] is not None]
        means.append(geometric_mean(ratios) if ratios else None)
    compared = {k: v for k, v in RATIOS.items() if any(x[1][k] for x in shown)}
    slow = {
        key: [x for x in shown if (x[1][key] or 1) < NOISE] for key in compared
    }
    return _text(data, 'section', few, shown, works, *means, slow, compared)


def texts(data, root):
    """{file: its whole text} of all that shows the figures."""
    sections = {
        'README.md': section(data),
        'docs/benchmark.md': f'{rows(data)}\n\n{workloads(data)}',
        **{path: brief(data, op) for op, path in TEXTS.items()},
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
