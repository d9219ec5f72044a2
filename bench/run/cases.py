"""The table of cases: what is measured, said as data.

Each operator has a headline case; the others change one or two things of it.
A case is a plain value that travels to the worker processes by pickle.
"""

from dataclasses import dataclass, replace

SIZES = (6, 12, 18, 24, 27)
DTYPES = ('float32', 'bfloat16', 'int64', 'bool')
MORE_DTYPES = ('float16', 'int8', 'float64', 'complex128')
FLOATS = ('float32', 'bfloat16', 'float16', 'float64', 'complex128')
ITEM_BYTES = {
    'bool': 1,
    'int8': 1,
    'bfloat16': 2,
    'float16': 2,
    'float32': 4,
    'int64': 8,
    'float64': 8,
    'complex128': 16,
}
# fwd: forward without gradients; tape: forward that records for the backward;
# grad: forward, and the gradients for one that is given (paddle.grad copies it);
# step: forward, sum, backward(), as the end of a loss; above: the same with a
# product in between, so that the gradient that comes in is a Tensor of its own;
# inplace: into x.
MODES = ('fwd', 'tape', 'grad', 'step', 'above', 'inplace')
# The modes in which leaves get gradients.
BACKWARD = ('grad', 'step', 'above')

MASK = {'mask': 'full', 'density': 0.5, 'layout': 'random', 'x': 'full'}
# The headline parameters of each operator.
OPS = {
    'masked_scatter': MASK,
    # value: a number, or a Tensor of one element, of one for each row, or full
    'masked_fill': {**MASK, 'value': 'number'},
    'select_scatter': {'axis': 0},
    'diagonal_scatter': {'offset': 0, 'axis1': 0, 'axis2': 1},
    'scatter': {
        'axis': 0,
        'reduce': 'assign',
        'include_self': False,
        'index': 'random',
        'updates': None,  # how many slices; None: as many as the axis has
    },
    'where': {},
    'clone': {},
}
# Not ours: what a call costs; and a copy, which Paddle's engine makes of the
# gradient that paddle.grad is given, and torch's does not.
YARDSTICKS = ('where', 'clone')
MASKED = ('masked_scatter', 'masked_fill')
INPLACE = (*MASKED, 'scatter')
# Variants that are followed over sizes, dtypes and modes as headlines are.
FOLLOWED = {
    ('masked_fill', 'value=one'): 'masked_fill, Tensor value',
    ('scatter', 'reduce=sum'): 'scatter, sum',
}
# What is measured at every size and dtype: operators and what is changed.
FORMS = (
    ('masked_scatter', {}),
    ('masked_fill', {}),
    ('masked_fill', {'value': 'one'}),
    ('select_scatter', {}),
    ('diagonal_scatter', {}),
    ('scatter', {}),
)
BIG = 1 << 24
# Messages along the edges of a graph: some for each node.
NODES = (100_000, 64)
EDGES = 400_000


def label(op, variant):
    """What a followed variant or a headline is called, else None."""
    if variant == 'headline':
        return op
    return FOLLOWED.get((op, variant))


def square(exponent):
    """The shape of 2**exponent elements in two nearly equal dimensions."""
    return (1 << (exponent + 1) // 2, 1 << exponent // 2)


@dataclass(frozen=True)
class Case:
    """One thing to measure. `params` are those of OPS, as sorted pairs."""

    op: str
    mode: str = 'fwd'
    dtype: str = 'float32'
    shape: tuple = (4096, 4096)
    params: tuple = ()
    env: tuple = ()
    quick: bool = False
    workload: str = ''

    def __getitem__(self, key):
        return dict(self.params)[key]

    @property
    def numel(self):
        """Elements of x (or of the result, where x is broadcast)."""
        product = 1
        for dim in self.shape:
            product *= dim
        return product

    @property
    def slices(self):
        """Slices of updates of a scatter."""
        return self['updates'] or self.shape[self['axis']]

    @property
    def variant(self):
        """What differs from the operator's headline, in words."""
        usual = OPS[self.op]
        words = [
            f'{key}={value}'
            for key, value in self.params
            if value != usual[key]
        ]
        words += [f'{key}={value}' for key, value in self.env]
        if self.workload:
            words.insert(0, f'workload={self.workload}')
        return ','.join(words) or 'headline'

    @property
    def name(self):
        """Unique, and the same in every run."""
        dims = 'x'.join(str(dim) for dim in self.shape)
        return f'{self.op}/{self.mode}/{self.dtype}/{dims}/{self.variant}'

    def within(self, side):
        """The same case with no dimension above `side`."""
        params = dict(self.params)
        if params.get('updates'):
            params['updates'] = min(params['updates'], side)
        shape = tuple(min(size, side) for size in self.shape)
        return replace(self, shape=shape, params=tuple(sorted(params.items())))


def case(op, mode='fwd', dtype='float32', shape=None, quick=False, **params):
    """A Case: the headline of `op` with some things changed."""
    env = params.pop('env', ())
    workload = params.pop('workload', '')
    unknown = set(params) - set(OPS[op])
    if unknown:
        raise KeyError(f'{op} has no parameter {sorted(unknown)}')
    full = tuple(sorted({**OPS[op], **params}.items()))
    shape = shape or square(24)
    return Case(op, mode, dtype, shape, full, env, quick, workload)


def modes_of(op, dtype='float32'):
    """The modes that exist for an operator and a dtype."""
    modes = ['fwd']
    if dtype in FLOATS:
        modes.append('grad')
    if op in INPLACE:
        modes.append('inplace')
    return modes


def _small_cases(op, **form):
    """8x8: what a call costs; `where` is the yardstick of each side."""
    modes = ['fwd', 'tape', *modes_of(op)[1:]]
    return [
        case(op, mode, shape=square(6), quick=mode in ('fwd', 'tape'), **form)
        for mode in modes
    ]


def _size_cases(op, **form):
    cases = _small_cases(op, **form)
    for exponent in SIZES[1:]:
        for mode in modes_of(op):
            quick = exponent == 24 or (exponent == 18 and mode == 'fwd')
            cases.append(
                case(op, mode, shape=square(exponent), quick=quick, **form)
            )
    return cases


def _dtype_cases(op, **form):
    cases = []
    for dtype in DTYPES[1:]:
        cases += [case(op, mode, dtype, **form) for mode in modes_of(op, dtype)]
        for exponent in (6, 12, 18, 27):
            cases.append(case(op, 'fwd', dtype, square(exponent), **form))
    cases += [case(op, 'fwd', dtype, **form) for dtype in MORE_DTYPES]
    return cases


def _mask_cases(op, **form):
    cases = []
    for density in (0, 0.01, 0.5, 0.99, 1):
        for layout in ('random', 'runs'):
            if (density in (0, 1)) and layout == 'runs':
                continue
            if (density, layout) == (0.5, 'random'):
                continue
            for mode in modes_of(op):
                quick = (mode, density) == ('fwd', 1)
                how = {'density': density, 'layout': layout, **form}
                cases.append(case(op, mode, quick=quick, **how))
    for mask in ('row', 'column', 'scalar'):
        for mode in modes_of(op):
            quick = (mask, mode) == ('row', 'fwd')
            how = {'shape': (64, 64, 4096), 'mask': mask, **form}
            cases.append(case(op, mode, quick=quick, **how))
    for x in ('row', 'column'):
        cases += [case(op, mode, x=x, **form) for mode in ('fwd', 'grad')]
    small_pages = (('FLAGS_scatter_ops_use_huge_pages', '0'),)
    quick = op == 'masked_scatter'
    cases.append(case(op, env=small_pages, quick=quick, **form))
    return cases


def _fill_cases():
    return [
        case('masked_fill', mode, value=value)
        for value in ('row', 'full')
        for mode in modes_of('masked_fill')
    ]


def _select_cases():
    small_pages = (('FLAGS_scatter_ops_use_huge_pages', '0'),)
    cases = [case('select_scatter', env=small_pages)]
    cases.append(case('select_scatter', axis=1, env=small_pages))
    for shape, axis in (((4096, 4096), 1), ((256, 256, 256), 1)):
        cases += [
            case('select_scatter', mode, shape=shape, axis=axis, quick=True)
            for mode in modes_of('select_scatter')
        ]
    for axis in (0, 2):
        cases.append(case('select_scatter', shape=(256, 256, 256), axis=axis))
    return cases


def _diagonal_cases():
    small_pages = (('FLAGS_scatter_ops_use_huge_pages', '0'),)
    cases = [case('diagonal_scatter', env=small_pages)]
    for shape in ((16384, 1024), (1024, 16384)):
        cases += [
            case('diagonal_scatter', mode, shape=shape)
            for mode in modes_of('diagonal_scatter')
        ]
    cases.append(case('diagonal_scatter', offset=-7))
    for axis1, axis2 in ((1, 2), (0, 1), (0, 2)):
        cases += [
            case(
                'diagonal_scatter',
                mode,
                shape=(64, 512, 512),
                axis1=axis1,
                axis2=axis2,
            )
            for mode in modes_of('diagonal_scatter')
        ]
    return cases


def _tiny_cases():
    """Where the call costs more than the work, for every reduction."""
    forms = [
        {'reduce': reduce, 'include_self': include_self}
        for reduce, include_self in (
            ('sum', True),
            ('mean', False),
            ('mul', False),
            ('amax', False),
        )
    ]
    return [
        case('scatter', mode, shape=square(exponent), **form)
        for form in forms
        for exponent in (6, 12)
        for mode in ('fwd', 'tape', 'grad', 'inplace')
    ] + [case(op, 'tape', shape=square(12), **form) for op, form in FORMS]


def _training_cases():
    """What a user runs is loss.backward(); the yardsticks are the engine's."""
    forms = [(op, {}) for op in YARDSTICKS]
    forms += [*FORMS, ('select_scatter', {'axis': 1})]
    forms += [
        ('scatter', {'reduce': 'sum', 'include_self': True}),
        ('scatter', {'reduce': 'amax'}),
    ]
    return [
        case(op, mode, shape=square(exponent), **form)
        for op, form in forms
        for exponent in (18, 24)
        for mode in ('step', 'above')
    ]


def _graph_cases():
    """Several updates for each slice, in no order."""
    cases = []
    for reduce in ('sum', 'assign', 'mean', 'amax'):
        for mode in modes_of('scatter'):
            quick = mode == 'fwd' and reduce in ('sum', 'assign')
            how = {'reduce': reduce, 'updates': EDGES, 'quick': quick}
            cases.append(case('scatter', mode, shape=NODES, **how))
    return cases


def _scatter_cases():
    cases = _graph_cases() + _small_cases('scatter', reduce='sum')
    for reduce in ('assign', 'sum', 'mul', 'mean', 'amax', 'amin'):
        selves = (False,) if reduce == 'assign' else (False, True)
        for axis in (0, 1):
            for include_self in selves:
                how = {
                    'axis': axis,
                    'reduce': reduce,
                    'include_self': include_self,
                }
                for mode in modes_of('scatter'):
                    quick = mode == 'fwd' and reduce in ('sum', 'amax')
                    quick = quick and not include_self
                    cases.append(case('scatter', mode, quick=quick, **how))
                cases += [
                    case('scatter', index=index, **how)
                    for index in ('sorted', 'permutation', 'one', 'two')
                ]
    for dtype in ('bfloat16', 'int64', 'float16', 'float64', 'complex128'):
        cases.append(case('scatter', 'fwd', dtype, reduce='sum'))
    for shape, axis in (((256, 256, 256), 1), ((256, 256, 256), 2)):
        cases.append(case('scatter', shape=shape, axis=axis, reduce='sum'))
    for exponent in (6, 12, 18, 27):
        for axis in (0, 1):
            cases.append(
                case('scatter', shape=square(exponent), axis=axis, reduce='sum')
            )
    return cases


# Cases that are looked at together.
def _is_tiny(case):
    return case.shape in (square(6), square(12))


def _is_training(case):
    return case.mode in ('step', 'above') and not case.workload


GROUPS = {
    'workloads': lambda case: bool(case.workload),
    'tiny': _is_tiny,
    'training': _is_training,
}


def groups_of(case):
    """The names of the groups that a case is in."""
    return [name for name, holds in GROUPS.items() if holds(case)]


def all_cases():
    """Every case once: headlines and small tensors first."""
    # here, since workloads are made of cases
    from bench.run.workloads import workload_cases

    cases = [case('where', mode, shape=square(6), quick=True)
             for mode in ('fwd', 'tape', 'grad')]  # fmt: skip
    cases.append(case('clone', quick=True))
    for op, form in FORMS:
        cases += _size_cases(op, **form)
    for op, form in FORMS:
        if op in MASKED:
            cases += _mask_cases(op, **form)
    cases += workload_cases() + _tiny_cases() + _training_cases()
    cases += _fill_cases()
    cases += _select_cases() + _diagonal_cases() + _scatter_cases()
    for op, form in FORMS:
        cases += _dtype_cases(op, **form)
    unique = {c.name: c for c in reversed(cases)}
    return sorted(unique.values(), key=lambda c: cases.index(c))


def urgency(case):
    """A sort key: what to measure first when time may run out."""
    if case.workload:
        return 0 if case.quick else 4
    headline = label(case.op, case.variant) and case.numel == BIG
    if headline and case.mode == 'fwd':
        return 0
    known_shape = case.numel == BIG or case.shape == NODES
    if case.op == 'scatter' and known_shape and case.mode == 'fwd':
        return 1
    if case.shape == square(6):
        return 2
    return 3 if headline else 4
