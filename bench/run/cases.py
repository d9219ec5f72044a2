"""The table of cases: what is measured, said as data.

Each operator has a headline case; the others change one or two things of it.
A case is a plain value that travels to the worker processes by pickle.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, product

DTYPES = ['bfloat16', 'int64', 'bool']  # besides float32
MORE_DTYPES = ['float16', 'int8', 'float64', 'complex128']
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
# What headlines are called, and variants that are followed over sizes, dtypes
# and modes as headlines are.
LABELS = {
    **{(op, 'headline'): op for op in OPS},
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
# Updates added to x itself.
ADDED = {'reduce': 'sum', 'include_self': True}
# Messages along the edges of a graph: some for each node.
NODES = (100_000, 64)
EDGES = 400_000


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
        return math.prod(self.shape)

    @property
    def slices(self):
        """Slices of updates of a scatter."""
        return self['updates'] or self.shape[self['axis']]

    @property
    def variant(self):
        """What differs from the operator's headline, in words."""
        usual = OPS[self.op].items()
        changed = [pair for pair in self.params if pair not in usual]
        if self.workload:
            changed.insert(0, ('workload', self.workload))
        words = (f'{key}={value}' for key, value in (*changed, *self.env))
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


def case(op, mode='fwd', dtype='float32', shape=(4096, 4096), quick=False,
         env=(), workload='', **params):  # fmt: skip
    """A Case: the headline of `op` with some things changed."""
    unknown = set(params) - set(OPS[op])
    if unknown:
        raise KeyError(f'{op} has no parameter {sorted(unknown)}')
    full = tuple(sorted({**OPS[op], **params}.items()))
    return Case(op, mode, dtype, shape, full, env, quick, workload)


def modes_of(op, dtype='float32'):
    """The modes that exist for an operator and a dtype."""
    modes = ['fwd']
    if dtype in FLOATS:
        modes.append('grad')
    if op in INPLACE:
        modes.append('inplace')
    return modes


# What the wheel's allocator is for.
MALLOC = {'env': (('FLAGS_cpu_idle_memory_limit_in_mb', '0'),)}
CUBE = (256, 256, 256)


def each(op, modes=('fwd',), quick=(), **how):
    """A case for each mode and each combination of values, of which a list has
    several; `quick` are the modes that --quick measures."""
    values = (v if isinstance(v, list) else [v] for v in how.values())
    return [
        case(op, mode, quick=mode in quick, **dict(zip(how, chosen)))
        for chosen in product(*values)
        for mode in modes
    ]


def each_form(forms, *modes, **how):
    """The same of several operators, each with what is changed of it."""
    made = (each(op, *modes, **how, **form) for op, form in forms)
    return list(chain.from_iterable(made))


def unique(cases):
    """Each case once: of the same name the first."""
    found = {}
    for one in cases:
        found.setdefault(one.name, one)
    return list(found.values())


def squares(*exponents):
    return [square(exponent) for exponent in exponents]


def _form_cases(op, form):
    """What is measured of every operator: sizes, dtypes and modes."""
    modes = modes_of(op)
    # 8x8: what a call costs; `where` is the yardstick of each side
    small = ['fwd', 'tape', *modes[1:]]
    cases = each(op, small, ('fwd', 'tape'), shape=square(6), **form)
    cases += each(op, modes, ('fwd',), shape=square(18), **form)
    cases += each(op, modes, MODES, shape=square(24), **form)
    cases += each(op, modes, shape=squares(12, 27), **form)
    for dtype in DTYPES:
        cases += each(op, modes_of(op, dtype), dtype=dtype, **form)
    few = squares(6, 12, 18, 27)
    cases += each(op, dtype=DTYPES, shape=few, **form)
    cases += each(op, ['tape'], shape=square(12), **form)
    return cases + each(op, dtype=MORE_DTYPES, **form)


def _mask_cases(op, form):
    modes = modes_of(op)
    cases = each(op, modes, ('fwd',), density=1, **form)
    cases += each(op, modes, density=0, **form)
    both = ['random', 'runs']
    cases += each(op, modes, density=[0.01, 0.99], layout=both, **form)
    cases += each(op, modes, layout='runs', **form)
    rows = (64, 64, 4096)
    cases += each(op, modes, ('fwd',), shape=rows, mask='row', **form)
    cases += each(op, modes, shape=rows, mask=['column', 'scalar'], **form)
    cases += each(op, ('fwd', 'grad'), x=['row', 'column'], **form)
    quick = ('fwd',) * (op == 'masked_scatter')
    return cases + each(op, quick=quick, **MALLOC, **form)


def _view_cases():
    """select_scatter and diagonal_scatter along other axes."""
    select, diagonal = 'select_scatter', 'diagonal_scatter'
    modes, cubes = modes_of(select), (64, 512, 512)
    cases = each(select, axis=[0, 1], **MALLOC)
    cases += each(select, modes, MODES, shape=[square(24), CUBE], axis=1)
    cases += each(select, shape=CUBE, axis=[0, 2])
    cases += each(diagonal, **MALLOC)
    cases += each(diagonal, modes, shape=[(16384, 1024), (1024, 16384)])
    cases += each(diagonal, offset=-7)
    for axis1, axis2 in ((1, 2), (0, 1), (0, 2)):
        cases += each(diagonal, modes, shape=cubes, axis1=axis1, axis2=axis2)
    return cases


def _training_cases():
    """What a user runs is loss.backward(); the yardsticks are the engine's."""
    forms = [(op, {}) for op in YARDSTICKS]
    forms += [*FORMS, ('select_scatter', {'axis': 1})]
    forms += [('scatter', ADDED), ('scatter', {'reduce': 'amax'})]
    return each_form(forms, ('step', 'above'), shape=squares(18, 24))


MORE_UPDATES = [EDGES // 4, EDGES // 2, EDGES, EDGES * 2, EDGES * 4]


def _growth_cases():
    """The same call of more and more elements, and of more updates."""
    sums = {'reduce': 'sum', 'axis': [0, 1]}
    cases = each_form(FORMS, shape=squares(18, 20, 22, 24, 26))
    cases += each('scatter', **sums, shape=squares(18, 20, 22, 24, 26))
    reduces = ['sum', 'mean', 'amax']
    return cases + each(
        'scatter', shape=NODES, updates=MORE_UPDATES, reduce=reduces
    )


def _scatter_cases():
    op, modes = 'scatter', modes_of('scatter')
    # several updates for each slice, in no order
    graph = {'updates': EDGES, 'shape': NODES}
    cases = each(op, modes, ('fwd',), reduce=['sum', 'assign'], **graph)
    cases += each(op, modes, reduce=['mean', 'amax'], **graph)
    # where the call costs more than the work
    tiny, small = ['fwd', 'tape', *modes[1:]], squares(6, 12)
    cases += each(op, tiny, ('fwd', 'tape'), shape=small[0], reduce='sum')
    cases += each(op, tiny, shape=small, **ADDED)
    cases += each(op, tiny, shape=small, reduce=['mean', 'mul', 'amax'])
    for reduce in ('assign', 'sum', 'mul', 'mean', 'amax', 'amin'):
        for also_x in (False, True)[: 1 + (reduce != 'assign')]:
            how = {'reduce': reduce, 'include_self': also_x, 'axis': [0, 1]}
            few = reduce in ('sum', 'amax') and not also_x
            cases += each(op, modes, ('fwd',) * few, **how)
            index = ['sorted', 'permutation', 'one', 'two']
            cases += each(op, index=index, **how)
    dtypes = ['bfloat16', 'int64', 'float16', 'float64', 'complex128']
    cases += each(op, dtype=dtypes, reduce='sum')
    cases += each(op, shape=CUBE, axis=[1, 2], reduce='sum')
    shapes = squares(6, 12, 18, 27)
    return cases + each(op, shape=shapes, axis=[0, 1], reduce='sum')


# Cases that are looked at together.
GROUPS = {
    'workloads': lambda case: bool(case.workload),
    'tiny': lambda case: case.shape in (square(6), square(12)),
    'training': lambda case: (
        case.mode in ('step', 'above') and not case.workload
    ),
    'growth': lambda case: case.name in _growth_names(),
}


@cache
def _growth_names():
    return {case.name for case in _growth_cases()}


def all_cases():
    """Every case once: headlines and small tensors first."""
    # here, since workloads are made of cases
    from bench.run.workloads import workload_cases

    calls = ('fwd', 'tape', 'grad')
    cases = each('where', calls, quick=calls, shape=square(6))
    cases += each('clone', quick=('fwd',))
    for op, form in FORMS:
        cases += _form_cases(op, form)
    for op, form in FORMS:
        if op in MASKED:
            cases += _mask_cases(op, form)
    cases += workload_cases() + _training_cases()
    cases += each('masked_fill', modes_of('masked_fill'), value=['row', 'full'])
    return unique([*cases, *_view_cases(), *_scatter_cases(), *_growth_cases()])


def urgency(case):
    """A sort key: what to measure first when time may run out."""
    if case.workload:
        return 0 if case.quick else 4
    headline = (case.op, case.variant) in LABELS and case.numel == BIG
    if headline and case.mode == 'fwd':
        return 0
    known_shape = case.numel == BIG or case.shape == NODES
    if case.op == 'scatter' and known_shape and case.mode == 'fwd':
        return 1
    if case.shape == square(6):
        return 2
    return 3 if headline else 4
