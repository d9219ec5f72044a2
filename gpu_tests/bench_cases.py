"""What the GPU benchmark measures, and how PyTorch does the same."""

from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, product

import torch

from gpu_tests import device, ops

SIZES = tuple(range(10, 31, 2))
DENSITIES = (0.0, 0.01, 0.5, 0.99, 1.0)
LAYOUTS = ('random', 'blocks')
BROADCASTS = ('one row', 'one column')
BLOCK = 256  # elements of a blocked mask that are alike
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
INDEX_OPS = ('index_reduce', 'index_scatter', 'scatter')
INDEX_GRADS = ('index_reduce_grad', 'index_scatter_grad')
VIEW_GRADS = ('select_scatter_grad', 'diagonal_scatter_grad')
# Those that read each update once and compute little with it.
PLAIN_REDUCES = ('assign', 'sum')
TORCH_NAMES = {'mul': 'prod', 'mean': 'mean', 'amax': 'amax', 'amin': 'amin'}


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
    def shape(self):
        """Two nearly equal dimensions, short rows, or only one."""
        if self['rows'] == 'short':
            return ((1 << self.size) // SHORT_ROW, SHORT_ROW)
        if self['rows'] == '1-D':
            return (1 << self.size,)
        return (1 << (self.size + 1) // 2, 1 << self.size // 2)

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
    exact: object = None  # where PyTorch's own result is not: what it should be


def case(op, size, dtype='float32', **details):
    return Case(op, size, dtype, tuple(details.items()))


def _cases(names, sizes, dtypes=DTYPES[:1], **details):
    """Every combination; a detail that has one value may be that itself."""
    values = (v if isinstance(v, tuple) else (v,) for v in details.values())
    for name, size, dtype, *chosen in product(names, sizes, dtypes, *values):
        yield Case(name, size, dtype, tuple(zip(details, chosen)))


def _mask_cases():
    names = ('masked_fill', 'masked_scatter', 'masked_scatter_grad')
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


def _scatter_cases():
    for sizes, index in ((SIZES[:-1], 'random'), ((USUAL,), 'skewed')):
        how = {'index': index, 'axis': 0, 'overwrite': (True, False)}
        yield from _cases(('scatter',), sizes, **how)


@cache
def all_cases():
    """Every case once."""
    found = (_mask_cases(), _view_cases(), _reduce_cases(), _scatter_cases())
    return tuple(dict.fromkeys(chain(*found)))


def goals(case):
    """[('copy' or 'torch', least ratio)] that the case should reach."""
    if case.size < GOAL_SIZE:
        return []
    if case.op in INDEX_OPS:
        return [('torch', _index_goal(case))]
    if case.op in INDEX_GRADS:
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
    plain = case.op == 'scatter' or case['reduce'] in PLAIN_REDUCES
    return 1.0 if plain else 1.5


def _numbers(shape, dtype):
    """Small multiples of 1/8: sums do not depend much on their order."""
    numbers = torch.randint(-100, 101, shape, device=device.name())
    return (numbers / 8).to(getattr(torch, dtype))


def _mask(case):
    shape = case.shape
    if case['layout'] in BROADCASTS:
        row = case['layout'] == 'one row'
        shape = (1, shape[1]) if row else (shape[0], 1)
        return torch.rand(shape, device=device.name()) < case['density']
    if case['layout'] == 'blocks':
        shape = (case.shape[0], max(1, case.shape[1] // BLOCK))
    mask = torch.rand(shape, device=device.name()) < case['density']
    repeats = case.shape[1] // shape[1]
    return mask.repeat_interleave(repeats, 1) if repeats > 1 else mask


def _empty(shape, like):
    return torch.empty(shape, dtype=like.dtype, device=like.device)


def _work(case, arguments, theirs, moved, exact=None):
    call, out = ops.prepare(case.op, *arguments, make=_empty)
    return Work(call, theirs, out, moved, exact)


def _masked(case):
    x, mask = _numbers(case.shape, case.dtype), _mask(case)
    item, count = x.element_size(), x.numel()
    moved = 2 * count * item + mask.numel()
    if case.op == 'masked_fill':
        value = _numbers((), case.dtype)
        theirs = partial(x.masked_fill, mask, value)
        return _work(case, (x, mask, value), theirs, moved)
    taken = int(mask.sum()) * (count // mask.numel())
    value = _numbers((max(1, taken),), case.dtype)
    moved += taken * item
    if case.op == 'masked_scatter':
        theirs = partial(x.masked_scatter, mask, value)
        return _work(case, (x, mask, value), theirs, moved)
    backward = torch.ops.aten.masked_scatter_backward

    def theirs():
        return x.masked_fill(mask, 0), backward(x, mask, value.shape)

    return _work(case, (x, mask, value, x), theirs, moved)


def _view(case):
    x = _numbers(case.shape, case.dtype)
    if case.op.startswith('select_scatter'):
        attributes = case['axis'], case.shape[case['axis']] // 2
        values = _numbers((case.shape[1 - case['axis']],), case.dtype)
        part = torch.select
    else:
        attributes = 0, 0, 1
        values = _numbers((min(case.shape),), case.dtype)
        part = torch.diagonal
    # What the values replace need not be read.
    moved = 2 * x.numel() * x.element_size()
    if case.op not in VIEW_GRADS:
        theirs = partial(getattr(torch, case.op), x, values, *attributes)
        return _work(case, (x, values, *attributes), theirs, moved)

    def theirs():
        """The replaced part on its own, and zeros where it was."""
        x_grad = x.clone()
        part(x_grad, *attributes).zero_()
        return x_grad, part(x, *attributes).clone()

    return _work(case, (x, values, x, *attributes), theirs, moved)


def _index(case):
    """As long as the axis. Skewed: a few slots get most of it."""
    size = case.shape[case['axis']]
    share = torch.rand(size, device=device.name(), dtype=torch.float64)
    if case['index'] == 'skewed':
        share = share**8
    return (share * size).long().clamp(max=size - 1)


def _factors(shape, dtype):
    """1, -1, 2 and a half, mostly ones: products stay in range."""
    choice = torch.rand(shape, device=device.name())
    numbers = torch.where(choice < 0.5, 1.0, -1.0)
    numbers[choice > 0.998] = 2.0
    numbers[choice < 0.002] = 0.5
    return numbers.to(getattr(torch, dtype))


def _torch_scatter(case, index, x, updates):
    """Sums replace what was in a slot, so x has no part in them."""
    if case['overwrite']:
        return partial(x.index_copy, 0, index, updates)
    return lambda: x.index_fill(0, index, 0).index_add_(0, index, updates)


def _torch_reduce(case, index, x, updates):
    axis, reduce = case['axis'], case['reduce']
    if reduce == 'assign':
        return partial(x.index_copy, axis, index, updates)
    if reduce == 'sum':
        return partial(x.index_add, axis, index, updates)
    name = TORCH_NAMES[reduce]
    return partial(
        x.index_reduce, axis, index, updates, name, include_self=True
    )


def _torch_reduce_grad(case, index, x, updates, out_grad):
    """PyTorch's own gradient, of a result that it has made before."""
    leaves = [t.detach().requires_grad_() for t in (x, updates)]
    result = _torch_reduce(case, index, *leaves)()
    return lambda: torch.autograd.grad(
        result, leaves, out_grad, retain_graph=True
    )


def _by_index(case):
    make = _factors if case['reduce'] == 'mul' else _numbers
    is_grad = case.op in INDEX_GRADS
    count = 3 if is_grad else 2
    tensors = [make(case.shape, case.dtype) for _ in range(count)]
    x, updates, *out_grad = tensors
    index = _index(case)
    attributes = case['axis'], case['reduce'], True
    theirs = _torch_reduce_grad if is_grad else _torch_reduce
    if case.op == 'scatter':
        attributes, theirs = (case['overwrite'],), _torch_scatter
    moved = (count + 1) * x.numel() * x.element_size()

    def exact():
        return theirs(case, index, *(t.double() for t in tensors))()

    return _work(
        *(case, (x, index, updates, *out_grad, *attributes)),
        *(theirs(case, index, *tensors), moved + index.numel() * 8, exact),
    )


def prepare(case):
    """The Work of a case."""
    torch.manual_seed(0)
    if case.op.startswith('masked'):
        return _masked(case)
    if case.op in (*INDEX_OPS, *INDEX_GRADS):
        return _by_index(case)
    return _view(case)


def agrees(case, work):
    """Whether the result is right; None if that cannot be told.

    PyTorch takes any of several values that are assigned to one slot.
    """
    if case['reduce'] == 'assign' or case['overwrite']:
        return None
    work.ours()
    right = (work.exact or work.torch)()
    right = right if isinstance(right, tuple) else (right,)
    if not work.exact:
        return all(map(torch.equal, work.outputs, right))
    rtol = {'float32': 1e-4, 'bfloat16': 1e-2}[case.dtype]
    return all(
        torch.allclose(out.double(), numbers, rtol, rtol)
        for out, numbers in zip(work.outputs, right)
    )
