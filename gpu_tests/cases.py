"""Calls of every operator, with what numpy says that they give.

One table for a family of operators: masked, view and index. A table is a
function (rng, dtype) -> calls; the tests go over all of them.
"""

from dataclasses import dataclass

import numpy as np
from index_reduce_cases import (
    LINEAR_REDUCES,
    REDUCES,
    ROWS,
    WIDE_ROWS,
    defined,
    operands,
    reference_gradients,
    reference_index_reduce,
    scatter_case,
)
from masked_cases import kinds_of_masks
from masked_scatter_cases import CASES, reference_masked_scatter
from op_table import TOLERANCE, numbers
from scatter_test_utils import (
    GRAD_DTYPES,
    random_array,
    random_mask,
    random_numbers,
    sum_to_shape,
)
from view_scatter_cases import (
    DIAGONAL,
    DIAGONAL_CASES,
    SELECT,
    SELECT_CASES,
    diagonal,
    selected,
)

from gpu_tests.arrays import resized
from gpu_tests.ops import index_op

# Of masks: around a tile of 256, and more tiles than a block has threads.
MASK_LENGTHS = (1, 2, 255, 256, 257, 511, 513, 1025, 70001)
INDEX_RTOL = {'float16': 1e-3, 'bfloat16': 1e-2, 'float64': 1e-13}


@dataclass
class Call:
    """Arguments in the order of the YAML, and the results."""

    name: str
    op: str
    arrays: tuple
    attributes: tuple
    expected: np.ndarray
    rtol: float = 0  # 0: the same bits
    out_grad: np.ndarray = None
    grads: tuple = None
    grad_rtol: float = 0


def masked_call(rng, dtype, name, x_shape, mask, value_shape=None):
    """No value to spare unless a shape is given: a read past the end shows."""
    shape = np.broadcast_shapes(x_shape, mask.shape)
    where = np.broadcast_to(mask, shape)
    taken = int(np.count_nonzero(where))
    value_shape = value_shape or (taken,)
    x, value = (random_array(rng, s, dtype) for s in (x_shape, value_shape))
    expected = reference_masked_scatter(x, mask, value)
    call = Call(name, 'masked_scatter', (x, mask, value), (), expected)
    if dtype in GRAD_DTYPES:
        call.out_grad = np.asarray(random_numbers(rng, shape, dtype))
        out_grad = numbers(call.out_grad)
        value_grad = np.zeros(int(np.prod(value_shape)), out_grad.dtype)
        value_grad[:taken] = out_grad[where]
        wide = np.result_type(out_grad, np.float64)
        call.grads = (
            sum_to_shape(np.where(where, 0, out_grad).astype(wide), x_shape),
            value_grad.reshape(value_shape),
        )
        call.grad_rtol = TOLERANCE[dtype]
    return call


def masked_table(rng, dtype):
    for case in CASES:
        yield masked_call(rng, dtype, case.name, *case.inputs.values())


def long_masked_table(rng, dtype):
    """Lengths around the tiles, rows that broadcast, sums over many."""
    for size in MASK_LENGTHS:
        for name, mask in kinds_of_masks(rng, (size,)):
            yield masked_call(rng, dtype, f'{size}, {name}', (size,), mask)
    for row in (3, 4097):
        rows = 30000 // row
        shape = rows, row
        for x_shape, mask_shape in (
            (shape, (row,)),
            (shape, (rows, 1)),
            ((row,), shape),
            ((rows, 1), (row,)),
            ((), shape),
            ((rows // 7, 7, row), (rows // 7, 1, row)),
        ):
            mask = random_mask(rng, mask_shape)
            yield masked_call(rng, dtype, f'{mask_shape}', x_shape, mask)


def view_call(op, view, case, dtype):
    arrays = case.arrays(op, dtype)
    attributes = tuple(case.options.values())
    call = Call(
        f'{case.name}, {attributes}',
        op.name,
        tuple(arrays.values()),
        attributes,
        case.reference(op, arrays),
    )
    if dtype in GRAD_DTYPES:
        call.out_grad = arrays['x']
        x_grad = np.array(arrays['x'])
        taken = view(x_grad, **case.options)
        values_grad = np.array(taken, order='C')
        taken[...] = 0
        call.grads = x_grad, values_grad
    return call


def view_table(rng, dtype):
    for case in SELECT_CASES:
        yield view_call(SELECT, selected, case, dtype)
    for case in DIAGONAL_CASES:
        yield view_call(DIAGONAL, diagonal, case, dtype)


def index_call(rng, dtype, name, shapes, index, attributes):
    """`shapes` are those of x and updates."""
    axis, reduce, include_self = attributes
    x, updates = (operands(rng, shape, reduce, dtype) for shape in shapes)
    arrays = x, index, updates
    exact = reduce == 'assign' or x.dtype.kind in 'bi'
    call = Call(
        f'{name}, {attributes}',
        index_op(reduce),
        arrays,
        attributes,
        x.copy()
        if 0 in x.shape
        else reference_index_reduce(*map(numbers, arrays), *attributes),
        rtol=0 if exact else INDEX_RTOL.get(dtype, 1e-5),
    )
    if reduce == 'assign':
        call.expected = reference_index_reduce(*arrays, *attributes)
    if dtype in GRAD_DTYPES and reduce in LINEAR_REDUCES:
        call.out_grad = np.asarray(random_numbers(rng, x.shape, dtype))
        call.grads = reference_gradients(
            *map(numbers, arrays), attributes, numbers(call.out_grad)
        )
        call.grad_rtol = TOLERANCE[dtype]
    return call


def index_calls(rng, dtype, name, x_shape, axis, index, updates_shape):
    shapes = x_shape, updates_shape
    for reduce in REDUCES:
        if defined(reduce, dtype):
            for own in (True, False):
                attributes = axis, reduce, own
                yield index_call(rng, dtype, name, shapes, index, attributes)


def index_rows():
    """(name, x shape, axis, index, updates shape)"""
    for row in (*ROWS, *WIDE_ROWS):
        inputs = scatter_case(row, 'sum', True, ()).inputs
        yield row[0], row[1], row[2], inputs['index'], inputs['updates']


def index_table(rng, dtype):
    for row in index_rows():
        yield from index_calls(rng, dtype, *row)


def long_index_table(rng, dtype):
    """Long indexes of many kinds."""
    for length in (31, 32, 33, 257, 2049):
        skewed = np.minimum(rng.geometric(0.3, length), 70) - 1
        kinds = {
            'random': rng.integers(-70, 70, length),
            'one slot': np.full(length, 35),
            'skewed': skewed.astype('int32'),
            'sorted': np.sort(rng.integers(0, 70, length)),
        }
        for x_shape, axis in (((70, 3), 0), ((3, 70), 1)):
            updates = resized(x_shape, axis, length)
            for name, index in kinds.items():
                case = x_shape, axis, index, updates
                yield from index_calls(rng, dtype, f'{name}, {length}', *case)


TABLES = {'masked': masked_table, 'view': view_table, 'index': index_table}
LONG_TABLES = {'masked': long_masked_table, 'index': long_index_table}
