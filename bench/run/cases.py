"""The cases of cases.yaml, which says what is measured.

A case is a plain value that travels to the worker processes by pickle.
"""

import math
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import yaml

FLOATS = ('float32', 'bfloat16', 'float16', 'float64', 'complex128')
# grad: the gradients for one that is given (paddle.grad copies it); step: those
# of backward() from a sum, as the end of a loss; above: the same with a product
# in between, so that the gradient that comes in is a Tensor of its own.
MODES = {
    'fwd': 'forward',
    'tape': 'forward, recorded for the backward',
    'grad': 'forward + backward',
    'step': 'training step',
    'above': 'training step, a product above',
    'inplace': 'in place',
}
BACKWARD = ('grad', 'step', 'above')

MASK = {'mask': 'full', 'density': 0.5, 'layout': 'random'}
# The operators, and what a row's params change.
OPS = {
    'masked_scatter': MASK,
    # value: a number, or a Tensor of one element or full
    'masked_fill': {**MASK, 'value': 'number'},
    'select_scatter': {'axis': 0},
    'diagonal_scatter': {'axis1': 0, 'axis2': 1},
    'scatter': {
        'axis': 0,
        'reduce': 'assign',
        'include_self': False,
        'index': 'random',
        'updates': None,  # how many slices; None: as many as the axis has
    },
}
TABLE = Path(__file__).with_suffix('.yaml')
USUAL = {
    'op': '',
    'modes': (),
    'also': (),
    'shapes': [[4096, 4096]],
    'dtypes': ['float32'],
    'header': '',
    'source': '',
}


@dataclass(frozen=True)
class Case:
    """One thing to measure. `params` are the pairs of a dict."""

    label: str
    op: str
    mode: str
    dtype: str
    shape: tuple
    params: tuple
    group: str
    shown: bool  # by the texts
    header: str

    def __getitem__(self, key):
        return {**OPS[self.op], **dict(self.params)}[key]

    @property
    def numel(self):
        """Elements of x."""
        return math.prod(self.shape)

    @property
    def slices(self):
        """Slices of updates of a scatter."""
        return self['updates'] or self.shape[self['axis']]

    @property
    def repeats(self):
        """True if a slot may have several updates, of which one stays."""
        assigns = self.op == 'scatter' and self['reduce'] == 'assign'
        return assigns and self['index'] != 'permutation'

    @property
    def name(self):
        """Unique, and the same in every run."""
        dims = 'x'.join(map(str, self.shape))
        return f'{self.label}/{self.mode}/{self.dtype}/{dims}'


def _expand(group, row):
    """The cases of a row: of each value, where a param has several."""
    params = {k: v for k, v in row.items() if k not in {'labels', *USUAL}}
    several = [k for k, value in params.items() if isinstance(value, list)]
    for values, label, dtype, shape, mode in product(
        product(*(params[k] for k in several)),
        *(row['labels'], row['dtypes'], row['shapes']),
        (*row['modes'], *row['also']),
    ):
        op = row['op'] or label.split(',')[0]
        if unknown := set(params) - set(OPS[op]):
            raise KeyError(f'{TABLE.name}: {op} has no {sorted(unknown)}')
        chosen = dict(zip(several, values))
        label += ''.join(f', {k} {value}' for k, value in chosen.items())
        given = tuple({**params, **chosen}.items())
        shown, header = mode in row['modes'], row['header']
        yield Case(
            label, op, mode, dtype, tuple(shape), given, group, shown, header
        )


@cache
def _read():
    """{group: its rows}"""
    return {
        group: [{**USUAL, **part['usual'], **row} for row in part['rows']]
        for group, part in yaml.safe_load(TABLE.read_text('utf-8')).items()
    }


def groups():
    """The names of the groups."""
    return list(_read())


def all_cases(only=None):
    """Each case once, of all groups or of one."""
    found = {}
    for group in [only] if only else groups():
        for row in _read()[group]:
            for case in _expand(group, row):
                found.setdefault(case.name, case)
    return list(found.values())


def find(label):
    """The first case of a label."""
    return next(case for case in all_cases() if case.label == label)


def headers():
    """The speed headers that have cases."""
    return list(dict.fromkeys(c.header for c in all_cases() if c.header))


def sources():
    """(label, source) of the workloads."""
    return [(*row['labels'], row['source']) for row in _read()['workloads']]
