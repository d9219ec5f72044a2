"""Call every CPU kernel for every dtype, from a table, and compare with numpy.

    python -m fuzz.table

Integers span their whole range, so that sums, products and gradients wrap around.
Gradients are computed for every dtype that has a kernel, to the second order if
there is one. The exit code is 1 if a result is wrong or a kernel is not called.
"""

import itertools
from functools import cache
from pathlib import Path

import numpy as np

import paddle
from fuzz.arrays import (
    ALL_DTYPES,
    GRAD_DTYPES,
    INT_DTYPES,
    draw_array,
    storage_dtype,
)
from fuzz.draw import INPLACE_APIS, Case
from fuzz.reference import diagonal, select
from fuzz.run import compute, find_problems, get_tensors, place_all
from fuzz.scatter_reference import (
    LINEAR_REDUCES,
    OTHER_REDUCES,
    is_defined,
    scatter_options,
)
from scripts.op_rules import schema

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ('ops_yaml', 'native/kernels/base_ops')
# 'n' below: enough rows of 1030 elements for several threads.
LARGE = {name: 136 // storage_dtype(name).itemsize + 1 for name in ALL_DTYPES}
# x and mask
MASKED = [
    *(((8,), (8,)), ((0, 3), (3,)), ((41, 70), (41, 70))),
    *(((41, 70), (70,)), ((1, 70), (41, 1)), ((5, 1, 7), (9, 7))),
    *(((6, 600), (6, 1)), ((70,), (41, 70)), (('n', 1030), ('n', 1030))),
    *(((1030,), ('n', 1030)), (('n', 1030), ('n', 1))),
]
# x, axis, index
SELECTED = [((4, 5, 6), axis, -2) for axis in (0, 1, -1)]
SELECTED += [(('n', 1030), 1, 7), ((3,), 0, 1)]
# x, offset, axis1, axis2
DIAGONALS = [((5, 7), 2, 0, 1), ((5, 7), -3, 1, 0), ((4, 5, 6), 1, 2, 0)]
DIAGONALS += [((5, 7), 9, 0, 1), (('n', 1030), 0, 0, 1)]
# x, axis, length of the index: short and long rows, a sparse index, the last axis,
# few and many entries per slice
SCATTERED = [
    *(((50,), 0, 120), ((50, 3), 0, 120), ((7, 300), 0, 40)),
    *(((3, 200, 2), 1, 2), ((20, 30), 1, 50), ((3, 9), 0, 200)),
    *(((0, 3), 0, 0), ((1030, 'n'), 0, 700), (('n', 1030), 1, 1200)),
]


def resolve_shape(shape, dtype):
    return tuple(LARGE[dtype] if n == 'n' else n for n in shape)


def draw_masked(rng, array, dtype):
    for shapes in MASKED:
        x, mask = (resolve_shape(shape, dtype) for shape in shapes)
        out = np.broadcast_shapes(x, mask)
        arrays = {'x': array(x), 'mask': rng.random(mask) < 0.5}
        count = np.count_nonzero(np.broadcast_to(arrays['mask'], out))
        yield 'masked_scatter', {**arrays, 'value': array((count + 3,))}, {}
        for value in {(), out[-1:], (1,), (*out[:-1], 1), out}:
            yield 'masked_fill', {**arrays, 'value': array(value)}, {}


def draw_views(rng, array, dtype):
    for x, axis, index in SELECTED:
        arrays = {'x': array(resolve_shape(x, dtype))}
        options = {'axis': axis, 'index': index}
        arrays['values'] = array(select(arrays['x'], **options).shape)
        yield 'select_scatter', arrays, options
    for x, offset, axis1, axis2 in DIAGONALS:
        options = {'offset': offset, 'axis1': axis1, 'axis2': axis2}
        arrays = {'x': array(resolve_shape(x, dtype))}
        arrays['y'] = array(diagonal(arrays['x'], **options).shape)
        yield 'diagonal_scatter', arrays, options


def draw_scatter(rng, array, dtype):
    reduces = [
        r for r in LINEAR_REDUCES + OTHER_REDUCES if is_defined(r, dtype)
    ]
    for (x, axis, n), reduce, include_self in itertools.product(
        SCATTERED, reduces, (False, True)
    ):
        if reduce == 'mean' and dtype in INT_DTYPES and 'n' in x:
            continue  # the reference takes seconds
        kind = 'factors' if reduce == 'mul' else 'finite'
        x = resolve_shape(x, dtype)
        size = x[axis]
        index = rng.integers(-size, size, n) if n else np.zeros(0, 'int64')
        updates = list(x)
        updates[axis] = n + include_self  # may be longer than the index
        arrays = {
            'x': array(x, kind),
            'index': index.astype('int32' if include_self else 'int64'),
            'updates': array(updates, kind),
        }
        options = scatter_options(axis, reduce, include_self)
        yield 'scatter', arrays, options


def table(dtype):
    """Yield all cases of a dtype."""
    rng = np.random.default_rng(ALL_DTYPES.index(dtype))

    def array(shape, kind='finite'):
        return draw_array(rng, shape, dtype, kind)

    groups = (draw_masked, draw_views, draw_scatter)
    calls = [group(rng, array, dtype) for group in groups]
    for number, call in enumerate(itertools.chain(*calls)):
        api, arrays, options = call
        linear = options.get('reduce') not in OTHER_REDUCES
        for inplace in (False, True) if api in INPLACE_APIS else (False,):
            differentiable = (dtype in GRAD_DTYPES or linear) and not inplace
            case = Case(
                api=api,
                dtype=dtype,
                seed=(ALL_DTYPES.index(dtype), number),
                inplace=inplace,
                arrays=arrays,
                options=options,
                second_order=differentiable and linear,
            )
            if differentiable:
                case.wrt = 'x', case.source
            if not inplace or case.out_shape == arrays['x'].shape:
                yield case


def check(case, called):
    """Return the problems of a case; add the nodes of its gradients to `called`."""
    placed = place_all(case)
    results = compute(case, get_tensors(placed))
    called |= {t.grad_fn.name() for t in results.values() if t.grad_fn}
    shapes = [a.shape for a in case.arrays.values()]
    return [
        f'{case.api}{"_" * case.inplace} {case.dtype} {shapes} {case.options}: '
        f'{problem}'
        for problem in find_problems(case, placed, results)
    ]


@cache
def load_kernel_names():
    """Return the names of the kernels of all YAML entries."""
    files = itertools.chain(*(schema.load_dir(ROOT / f) for f in FOLDERS))
    # Entries of higher orders share kernels.
    return {entry.kernel for file in files for entry in file.entries}


def expected_calls(dtype):
    """Return the names of the operators, and of the nodes of their gradients."""
    names = set(load_kernel_names())
    if dtype not in GRAD_DTYPES:
        names.discard('index_reduce_grad')
    if dtype == 'bool':
        names.discard('index_reduce')
    return {
        node_name(name) if name.endswith('_grad') else name for name in names
    }


def node_name(kernel):
    words = kernel.replace('_double_grad', '_grad_grad').split('_')
    return ''.join(map(str.title, words)) + 'Node'


def main():
    problems, count = [], 0
    core = paddle.base.core
    core.set_num_threads(2)
    paddle.set_flags({'FLAGS_low_precision_op_list': 1})
    for dtype in ALL_DTYPES:
        core.clear_low_precision_op_list()
        called = set()
        for case in table(dtype):
            problems += check(case, called)
            count += 1
        called |= core.get_low_precision_op_list().keys()
        if missing := expected_calls(dtype) - called:
            problems.append(f'{dtype}: never called: {sorted(missing)}')
    print('\n'.join(problems))
    print(f'{count} cases, {len(problems)} problems')
    return int(bool(problems))


if __name__ == '__main__':
    raise SystemExit(main())
