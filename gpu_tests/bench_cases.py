"""What the GPU benchmark measures, and how PyTorch does the same."""

from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, product

import torch
from bench.run import cases as cpu_cases
from bench.run import inputs, torch_side

from gpu_tests import device, ops

SIZES = tuple(range(10, 31, 2))
DENSITIES = (0.0, 0.01, 0.5, 0.99, 1.0)
BROADCASTS = ('one row', 'one column')
# What the CPU's benchmark calls a layout of the mask.
LAYOUT_PARAMETERS = {
    'random': {'layout': 'random'},
    'blocks': {'layout': 'runs'},
    'one row': {'mask': 'column'},
    'one column': {'mask': 'row'},
}
DTYPES = ('float32', 'bfloat16')
AXES = (0, 1)
INDEXES = ('random', 'skewed')
REDUCES = ('assign', 'sum', 'mul', 'mean', 'amax', 'amin')
# Sizes, as powers of 2, for all that is not a row of sizes.
USUAL, BIG = 26, 28
# Share of a copy's bandwidth, or times PyTorch, that is aimed at from here on.
GOAL_SIZE = 26
COPY_GOAL = 0.9
SCATTER_COPY_GOALS = {'float32': 0.85, 'bfloat16': 0.75}
BROADCAST_COPY_GOAL = 0.7
SCATTER_TORCH_GOAL = 2.5
SHORT_ROW = 8
INDEX_OPS = ('index_reduce', 'index_scatter')
# Those that read each update once and compute little with it.
PLAIN_REDUCES = ('assign', 'sum')


@dataclass(frozen=True)
class Case:
    """One thing to measure; 2**size elements of x."""

    op: str
    size: int
    dtype: str = 'float32'
    details: tuple = ()

    def __getitem__(self, key):
        """A detail; None where the case does not have it."""
        return dict(self.details).get(key)

    @property
    def is_grad(self):
        return self.op.endswith('_grad')

    @property
    def shape(self):
        """Two nearly equal dimensions, short rows, or only one."""
        if self['rows'] == 'short':
            return ((1 << self.size) // SHORT_ROW, SHORT_ROW)
        if self['rows'] == '1-D':
            return (1 << self.size,)
        return cpu_cases.square(self.size)

    @property
    def name(self):
        """Unique, and the same in every run."""
        words = ','.join(f'{key}={value}' for key, value in self.details)
        return f'{self.op}/{self.dtype}/2^{self.size}/{words}'


@dataclass
class Work:
    """A case on the device. `bytes` have to be read or written at least."""

    ours: object
    torch: object
    outputs: list
    bytes: int
    exact: object  # what the result should be


def case(op, size, dtype='float32', **details):
    return Case(op, size, dtype, tuple(details.items()))


def _cases(names, sizes, dtypes=DTYPES[:1], **details):
    """Every combination; a detail that has one value may be that itself."""
    values = (v if isinstance(v, tuple) else (v,) for v in details.values())
    for name, size, dtype, *chosen in product(names, sizes, dtypes, *values):
        yield Case(name, size, dtype, tuple(zip(details, chosen)))


def _mask_cases():
    names = ('masked_scatter', 'masked_scatter_grad')
    half = {'density': 0.5, 'layout': 'random'}
    inside = tuple(density for density in DENSITIES if 0 < density < 1)
    yield from _cases(names, SIZES, **half)
    yield from _cases(names, (20, USUAL, BIG), DTYPES, **half)
    for density, layout in (
        (DENSITIES, 'random'),
        (inside, 'blocks'),
        (0.5, BROADCASTS),
    ):
        how = {'density': density, 'layout': layout}
        yield from _cases(names, (USUAL,), DTYPES, **how)


def _view_cases():
    for suffix, sizes, dtypes in (
        ('', SIZES, ('float32',)),
        ('', (USUAL, BIG), ('bfloat16',)),
        ('_grad', (10, USUAL, BIG), ('float32',)),
    ):
        yield from _cases(
            (f'select_scatter{suffix}',), sizes, dtypes, axis=AXES
        )
        yield from _cases((f'diagonal_scatter{suffix}',), sizes, dtypes)


def _reduce_cases():
    short = {'axis': 0, 'index': INDEXES, 'rows': ('1-D', 'short')}
    for reduce in REDUCES:
        how = {'reduce': reduce, 'axis': AXES}
        name = ops.index_op(reduce)
        yield from _cases((name,), (USUAL,), DTYPES, **how, index=INDEXES)
        if reduce in ('sum', 'amax'):
            yield from _cases((name,), SIZES[:-1], **how, index='random')
            yield from _cases((name,), (10, USUAL), reduce=reduce, **short)
        if reduce != 'amin':  # the gradient is that of amax
            grads = (f'{name}_grad',)
            yield from _cases(grads, (10, USUAL), **how, index='random')


@cache
def all_cases():
    """Every case once."""
    found = (_mask_cases(), _view_cases(), _reduce_cases())
    return tuple(dict.fromkeys(chain(*found)))


def goals(case):
    """[('copy' or 'torch', least ratio)] that the case should reach."""
    if case.size < GOAL_SIZE:
        return []
    if case.op in INDEX_OPS:
        return [('torch', _index_goal(case))]
    if case.op.removesuffix('_grad') in INDEX_OPS:
        return [('torch', 1.0)]
    if not case.op.startswith('masked_scatter'):
        return [('copy', COPY_GOAL)]
    least = SCATTER_COPY_GOALS[case.dtype]
    if case['layout'] in BROADCASTS:
        least = BROADCAST_COPY_GOAL
    return [('copy', least), ('torch', SCATTER_TORCH_GOAL)]


def _index_goal(case):
    """Twice as fast as PyTorch where many of its atomics meet."""
    if case['rows']:
        return 1.0
    if case['axis'] == 1 or case['index'] == 'skewed':
        return 2.0
    return 1.0 if case['reduce'] in PLAIN_REDUCES else 1.5


def _cpu_case(case):
    """The case of the CPU's benchmark that has the same operands."""
    how = dict(case.details)
    op = case.op.removesuffix('_grad')
    if op in INDEX_OPS:
        how.pop('rows', None)
        how['include_self'] = True
        op = 'scatter'
    how.update(LAYOUT_PARAMETERS.get(how.pop('layout', None), {}))
    mode = 'grad' if case.is_grad else 'fwd'
    return cpu_cases.case(op, mode, case.dtype, case.shape, **how)


def _load(array, dtype):
    return torch_side.load(array, dtype).to(device.name())


def _empty(shape, like):
    return torch.empty(shape, dtype=like.dtype, device=like.device)


def _torch_call(op, tensors, made):
    """PyTorch's usual way; of gradients, that of a result made before."""
    function = next(iter(torch_side.ways(op, tensors, made.attrs).values()))
    if not made.grads:
        return partial(function, tensors['x'])
    leaves = [tensors[name].requires_grad_() for name in made.grads]
    result = function(tensors['x'])
    out_grad = tensors['out_grad']
    return lambda: torch.autograd.grad(
        result, leaves, out_grad, retain_graph=True
    )


def _least_bytes(case, tensors, made):
    """What has to be read or written at least."""
    x = tensors['x']
    if made.index:
        moved = (len(made.data) + 1) * x.numel() * x.element_size()
        return moved + made.index['index'].nbytes
    # What the values replace need not be read.
    moved = 2 * x.numel() * x.element_size()
    moved += sum(mask.nbytes for mask in made.masks.values())
    if case.op.startswith('masked_scatter'):
        moved += tensors['value'].numel() * x.element_size()
    return moved


def prepare(case):
    """The Work of a case."""
    of_cpu = _cpu_case(case)
    made = inputs.build(of_cpu)
    tensors = {
        name: _load(array, case.dtype) for name, array in made.data.items()
    }
    for name, array in {**made.masks, **made.index}.items():
        tensors[name] = _load(array, None)
    entry = ops.entries()[case.op]
    call, out = ops.prepare(
        case.op,
        *(tensors[tensor.name] for tensor in entry.tensors),
        *(made.attrs[attr.name] for attr in entry.attrs),
        make=_empty,
    )

    def exact():
        """In double precision where sums depend on their order."""
        wide = {
            name: tensor.detach().double() if name in made.data else tensor
            for name, tensor in tensors.items()
        }
        return _torch_call(of_cpu.op, wide, made)()

    theirs = _torch_call(of_cpu.op, tensors, made)
    moved = _least_bytes(case, tensors, made)
    return Work(call, theirs, out, moved, exact if made.index else theirs)


def agrees(case, work):
    """Whether the result is right; None if that cannot be told.

    PyTorch takes any of several values that are assigned to one slot.
    """
    if case['reduce'] == 'assign':
        return None
    work.ours()
    right = work.exact()
    right = right if isinstance(right, tuple) else (right,)
    rtol = {'float32': 1e-4, 'bfloat16': 1e-2}[case.dtype]
    return all(
        torch.allclose(out.to(numbers.dtype), numbers, rtol, rtol)
        if numbers.dtype == torch.float64
        else torch.equal(out, numbers)
        for out, numbers in zip(work.outputs, right)
    )
