"""Write the tables of README.md and docs/ from docs/benchmark.csv."""

import csv
from dataclasses import replace
from itertools import product
from statistics import geometric_mean

from bench.run import cases
from bench.run.processes import MEMORY, ROOT
from bench.run.runner import KEY

PUBLISHED = ROOT / 'docs' / 'benchmark.csv'
START = '<!-- speed: written by python -m bench.report -->'
END = '<!-- end of speed -->'
NOISE = 0.05  # relative error of a ratio
INSTALLED, PAGE_FAULT_FREE = MEMORY


class Results:
    """The rows of a CSV file."""

    def __init__(self, rows):
        self.facts = rows[0]
        self.threads = max(int(row['threads']) for row in rows)
        self.rows = {tuple(row[k] for k in KEY): row for row in rows}

    def ms(self, side, case, threads=None, memory=INSTALLED):
        """A side's time, or None."""
        key = *case.key, str(threads or self.threads), memory
        text = self.rows.get(key, {}).get(f'{side}_ms')
        return float(text) if text else None

    def ratio(self, side, case, *where):
        """A side's time over ours, or None."""
        ours = self.ms('ours', case, *where)
        other = self.ms(side, case, *where)
        return other / ours if ours and other else None

    def ratios(self, side, *where):
        """The ratios of all cases that have one."""
        ratios = (self.ratio(side, case, *where) for case in cases.all_cases())
        return [ratio for ratio in ratios if ratio]

    def column(self, side, *where, **changes):
        """A function that returns the cell of a case, with changes."""
        return lambda case: times(
            self.ratio(side, replace(case, **changes), *where)
        )


def times(ratio):
    return f'{ratio:.3g}x' if ratio else '-'


def table(rows, columns):
    """A table in Markdown, without the columns that have no value."""
    cells = [[title, *map(cell, rows)] for title, cell in columns.items()]
    cells = [column for column in cells if {*column[1:]} != {'-'}]
    header, *lines = zip(*cells)
    rule = ['---', *['---:'] * (len(header) - 1)]
    return '\n'.join(f'|{"|".join(row)}|' for row in (header, rule, *lines))


def origin(results):
    """When and where the times were measured."""
    return (
        '{date}, {machine}; PyTorch {torch}, released Paddle {paddle}; commit '
        '{commit}.'
    ).format(**results.facts)


def summary(results, *numbers_of_threads):
    """The ratios of all cases."""

    def compare(side, *where):
        ratios = results.ratios(side, *where)
        slower = sum(ratio < 1 - NOISE for ratio in ratios)
        return (
            f'{times(geometric_mean(ratios))} (ours slower in {slower} of '
            f'{len(ratios)} cases, at worst {times(min(ratios))})'
        )

    text = f'{origin(results)} Geometric means of all cases:\n'
    for threads, memory in product(numbers_of_threads, MEMORY):
        text += (
            f'\n- threads: {threads}, {memory}. PyTorch '
            f'{compare("torch", threads, memory)}, released Paddle '
            f'{compare("release", threads, memory)}'
        )
    return text


def texts(rows):
    """{path: its whole text} of the pages that show the results."""
    results = Results(rows)
    measured = [c for c in cases.all_cases() if results.ms('ours', c)]
    operators = [c for c in measured if c in cases.OPERATORS]
    models = [
        c for c in measured if replace(c, dtype='float32') in cases.MODELS
    ]
    column = results.column
    figures = {
        'ours, ms': lambda case: f'{results.ms("ours", case):.3g}',
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
    calls = {
        'call': lambda case: case.label,
        'operator': lambda case: case.op + '_' * (case.mode == cases.IN_PLACE),
        'dtype': lambda case: case.dtype,
    }
    sections = {
        'README.md': [
            table(operators, forward),
            summary(results, results.threads),
        ],
        'docs/benchmark.md': [
            summary(results, results.threads, 1),
            table(operators, {**forward, **other_calls}),
            table(models, {**calls, **figures}),
        ],
    }
    for op in {case.op for case in operators}:
        rows = [case for case in operators if case.op == op]
        sections[f'docs/pull_requests/{op}.md'] = [
            table(rows, {**forward, **other_calls}),
            origin(results),
        ]
    pages = {}
    for name, parts in sections.items():
        before, rest = (ROOT / name).read_text('utf-8').split(START)
        section = '\n\n'.join([START, *parts, END])
        pages[name] = before + section + rest.split(END)[1]
    return pages


def read():
    """The published rows."""
    with open(PUBLISHED, newline='', encoding='utf-8') as file:
        return [*csv.DictReader(file)]


if __name__ == '__main__':
    for name, text in texts(read()).items():
        (ROOT / name).write_text(text, 'utf-8')
