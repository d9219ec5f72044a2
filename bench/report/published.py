"""The figures that the project's texts show, kept in docs/speed.json.

README, docs/benchmark.md, the pull requests' texts and the picture are all
made from that one file, so that none of them can say another thing.
"""

import json
from operator import attrgetter, itemgetter
from typing import NamedTuple

from bench.report import table
from bench.run import cases
from bench.run.cases import BIG, EDGES, NODES
from bench.run.workloads import WORKLOADS

RECORD = 'docs/speed.json'  # in the project's folder
MODES = ('fwd', 'grad', 'step', 'inplace')
TINY = 1 << 6
GRAPH = NODES[0] * NODES[1]
KEPT = {
    'op', 'variant', 'mode', 'dtype', 'numel', 'threads', 'others', 'sides',
    'ratio_torch', 'ratio_release', 'bare', *table.COLUMNS, 'ms', 'way', 'na', 'failed',
    'date', 'cpu', 'cores', 'system', 'commit', 'changed_files', 'version',
}  # fmt: skip
FIGURES = 6  # of a number in the record: more than any text shows


# What names a case, and its result; a row of the texts has several modes.
KEY = ('op', 'variant', 'numel', 'dtype', 'mode')
case_key, result_key = attrgetter(*KEY), itemgetter(*KEY, 'threads')


class Row(NamedTuple):
    """Operator, what differs from its headline, how it is called here."""

    op: str
    variant: str
    label: str
    numel: int = BIG
    modes: tuple = MODES
    dtype: str = 'float32'

    def key(self, mode):
        """That of its case in a mode."""
        return self.op, self.variant, self.numel, self.dtype, mode


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
_TINY = tuple(
    (op, 'headline', f'{op}, 8x8', TINY, ('fwd',))
    for op in cases.OPS
    if op not in cases.YARDSTICKS
)
ROWS = [Row(*entry) for entry in (*_TABLE, *_TINY)]
# Each workload the first way that it is called, in every dtype.
WORK_ROWS = [
    Row(case.op, case.variant, work.name, case.numel, (case.mode,), case.dtype)
    for work in WORKLOADS
    for case in work.cases()
    if case.mode == work.modes[0]
]
# The rows of the README and its picture, by forward.
FEW = (
    ('masked_scatter', 'masked_scatter'),
    ('masked_fill', 'masked_fill'),
    ('select_scatter, axis 0', 'select_scatter'),
    ('diagonal_scatter', 'diagonal_scatter'),
    ('scatter, sum', 'scatter, sum'),
)


def chosen():
    """The cases that have to be measured for the texts."""
    wanted = {
        row.key(mode) for row in (*WORK_ROWS, *ROWS) for mode in row.modes
    }
    found = {}
    for case in cases.all_cases():
        if case_key(case) in wanted:
            # some are there in other shapes too
            found.setdefault(case_key(case), case)
    return list(found.values())


def find(data, row, mode, threads=None):
    """The result of a row, or None if it was not measured."""
    wanted = (*row.key(mode), threads or data['threads'])
    for result in data['results']:
        if result_key(result) == wanted and 'ours' in table.measured(result):
            return result
    return None


def _measured(data, rows):
    """[(row, result)] of what was measured, in the order of the rows.

    A result has `alone`: PyTorch's time over ours, both with one thread.
    """
    found = []
    for row in rows:
        for mode in row.modes:
            if result := find(data, row, mode):
                alone = find(data, row, mode, threads=1) or {}
                alone = {'alone': alone.get('ratio_torch')}
                found.append((row, {**result, **alone}))
    return found


def shown(data, ops=None):
    """[(row, result)] of all operators, or of some."""
    return _measured(data, [r for r in ROWS if ops is None or r.op in ops])


def works(data):
    """[(row, result)] of the workloads."""
    return _measured(data, WORK_ROWS)


def few(data):
    """[(label, result)] of the README's few rows."""
    forward = {
        row.label: result
        for row, result in shown(data)
        if result['mode'] == 'fwd'
    }
    return [(text, forward[name]) for name, text in FEW if name in forward]


def _trimmed(value):
    """Of a result, or of the facts of a run, what is kept."""
    if isinstance(value, dict):
        return {k: _trimmed(v) for k, v in value.items() if k in KEPT}
    return float(f'{value:.{FIGURES}g}') if isinstance(value, float) else value


def record(data):
    """What is kept of a run."""
    counts = sorted({r['threads'] for r in data['results']})
    results = []
    for threads in counts:
        of_count = {**data, 'threads': threads}
        pairs = [*works(of_count), *shown(of_count)]
        results += [_trimmed(result) for _, result in pairs]
    meta = _trimmed(data['meta'])
    return {'meta': meta, 'threads': counts[-1], 'results': results}


def text(kept):
    """The record as JSON, a result a line."""
    lines = ',\n'.join(f'  {json.dumps(r)}' for r in kept['results'])
    return (
        f'{{\n "meta": {json.dumps(kept["meta"])},\n'
        f' "threads": {kept["threads"]},\n'
        f' "results": [\n{lines}\n ]\n}}\n'
    )


def load(path):
    """The record as a dictionary."""
    return json.loads(path.read_text(encoding='utf-8'))
