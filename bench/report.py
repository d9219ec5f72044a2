"""Write the tables of README.md and docs/ from docs/benchmark.csv."""

import csv
from dataclasses import replace
from itertools import product
from statistics import geometric_mean

from bench.run import cases
from bench.run.runner import KEY, MEMORY, ROOT

PUBLISHED = ROOT / 'docs' / 'benchmark.csv'
START = '<!-- speed: written by python -m bench.report -->'
END = '<!-- end of speed -->'
NOISE = 0.05  # relative error of a ratio
INSTALLED, PAGE_FAULT_FREE = MEMORY
SIDES = {'torch': 'PyTorch', 'release': 'released Paddle'}


class Results:
    """The rows of a CSV file."""

    def __init__(self, rows):
        self.metadata = rows[0]
        self.threads = max(int(row['threads']) for row in rows)
        self.rows = {tuple(row[k] for k in KEY): row for row in rows}

    def get_ms(self, side, case, threads=None, memory=INSTALLED):
        """Return a side's time, or None."""
        key = *case.key, str(threads or self.threads), memory
        text = self.rows.get(key, {}).get(f'{side}_ms')
        return float(text) if text else None

    def get_ratio(self, side, case, *where):
        """Return a side's time divided by ours, or None."""
        ours = self.get_ms('ours', case, *where)
        other = self.get_ms(side, case, *where)
        return other / ours if ours and other else None

    def make_column(self, side, *where, **changes):
        """Return a function of a case that formats the changed case's ratio."""
        return lambda case: format_ratio(
            self.get_ratio(side, replace(case, **changes), *where)
        )


def format_ratio(ratio):
    return f'{ratio:.3g}x' if ratio else '-'


def format_table(rows, columns):
    """Format a Markdown table without empty columns."""
    cells = [[title, *map(cell, rows)] for title, cell in columns.items()]
    cells = [column for column in cells if {*column[1:]} != {'-'}]
    header, *lines = zip(*cells)
    rule = ['---', *['---:'] * (len(header) - 1)]
    return '\n'.join(f'|{"|".join(row)}|' for row in (header, rule, *lines))


def describe_origin(results):
    """State the date, machine, versions and commit of the measurement."""
    return (
        '{date}, {machine}; PyTorch {torch}, released Paddle {paddle}; commit '
        '{commit}.'
    ).format(**results.metadata)


def summarize(results, *thread_counts):
    """Summarize the ratios of all cases."""
    ratios = {}
    for threads, memory in product(thread_counts, MEMORY):
        setting = f'{threads} thread{"s" * (threads > 1)}, {memory}'
        for side, name in SIDES.items():
            ratios[f'{name}, {setting}'] = [
                ratio
                for case in cases.list_cases()
                if case.mode != cases.C_FUNCTION  # nobody calls it
                and (ratio := results.get_ratio(side, case, threads, memory))
            ]

    def count_slower(row):
        slower = sum(ratio < 1 - NOISE for ratio in ratios[row])
        return f'{slower} of {len(ratios[row])}'

    columns = {
        'all cases': str,
        'geometric mean': lambda row: format_ratio(geometric_mean(ratios[row])),
        'lowest': lambda row: format_ratio(min(ratios[row])),
        f'below {1 - NOISE:g}x': count_slower,
    }
    return f'{describe_origin(results)}\n\n{format_table(ratios, columns)}'


def render_pages(rows):
    """Return {path: whole text} of the pages that show the results."""
    results = Results(rows)
    measured = [c for c in cases.list_cases() if results.get_ms('ours', c)]
    operators = [c for c in measured if c in cases.OPERATORS]
    models = [
        c for c in measured if replace(c, dtype='float32') in cases.MODELS
    ]
    column = results.make_column
    figures = {
        'ours, ms': lambda case: f'{results.get_ms("ours", case):.3g}',
        'PyTorch': column('torch'),
        'PyTorch, 1 thread': column('torch', 1),
        'PyTorch, page-fault-free': column('torch', None, PAGE_FAULT_FREE),
        'released Paddle': column('release'),
        'baseline': column('baseline'),
    }
    forward = {'forward': lambda case: case.label, **figures}
    other_calls = {
        mode: column('torch', mode=mode)
        for mode in (cases.BACKWARD, cases.IN_PLACE)
    }
    for size in cases.OTHER_SIZES:
        title = 'x'.join(map(str, size))
        other_calls[title] = column('torch', shape=size)
    tiny = {'mode': cases.C_FUNCTION, 'shape': cases.TINY}
    other_calls['8x8, `_C_ops`'] = column('torch', **tiny)
    calls = {
        'call': lambda case: case.label,
        'operator': lambda case: case.op + '_' * (case.mode == cases.IN_PLACE),
        'dtype': lambda case: case.dtype,
    }
    sections = {
        'README.md': [
            format_table(operators, forward),
            summarize(results, results.threads),
        ],
        'docs/benchmark.md': [
            summarize(results, results.threads, 1),
            format_table(operators, {**forward, **other_calls}),
            format_table(models, {**calls, **figures}),
        ],
    }
    for op in {case.op for case in operators}:
        rows = [case for case in operators if case.op == op]
        sections[f'docs/pull_requests/{op}.md'] = [
            format_table(rows, {**forward, **other_calls}),
            describe_origin(results),
        ]
    pages = {}
    for name, parts in sections.items():
        before, rest = (ROOT / name).read_text('utf-8').split(START)
        section = '\n\n'.join([START, *parts, END])
        pages[name] = before + section + rest.split(END)[1]
    return pages


def read_rows():
    """Read the published rows."""
    with open(PUBLISHED, newline='', encoding='utf-8') as file:
        return [*csv.DictReader(file)]


if __name__ == '__main__':
    for name, text in render_pages(read_rows()).items():
        (ROOT / name).write_text(text, 'utf-8')
