"""Calls of every operator, with what numpy says that they give.

One table for a family of operators: masked, view and index. A table is a
function (rng, dtype) -> calls; the tests go over all of them.
"""

from dataclasses import dataclass

import numpy as np
from index_reduce_cases import (
    REDUCES,
    ROWS,
    WIDE_ROWS,
    defined,
    operands,
    operator_of,
    reference_gradients,
    reference_index_reduce,
    scatter_case,
)
from masked_cases import kinds_of_masks
from masked_scatter_cases import CASES as MASKED_CASES
from masked_scatter_cases import OP as MASKED
from op_table import TOLERANCE, Case, numbers
from scatter_test_utils import GRAD_DTYPES, random_mask, random_numbers
from view_scatter_cases import DIAGONAL, DIAGONAL_CASES, SELECT, SELECT_CASES

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


def moved_gradients(op, case, arrays, out_grad):
    """Of the inputs of an operator that only moves elements: what a number that it
    moves got of `out_grad`. It moves their places, so that it tells them."""
    names = op.differentiable
    ends = np.cumsum([0, *(arrays[name].size for name in names)])
    places = {
        name: np.arange(end, end + arrays[name].size).reshape(
            arrays[name].shape
        )
        for name, end in zip(names, ends)
    }
    origins = case.reference(op, {**arrays, **places})
    shares = numbers(out_grad)
    grads = np.zeros(ends[-1], np.result_type(shares, np.float64))
    np.add.at(grads, origins.reshape(-1), shares.reshape(-1))
    return tuple(grads[places[name]] for name in names)


def moved_call(op, case, dtype):
    """Of an operator that only moves elements."""
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
        rng = np.random.default_rng(8)
        shape = call.expected.shape
        call.out_grad = np.asarray(random_numbers(rng, shape, dtype))
        call.grads = moved_gradients(op, case, arrays, call.out_grad)
        call.grad_rtol = TOLERANCE[dtype] if op is MASKED else 0
    return call


def masked_table(rng, dtype):
    for case in MASKED_CASES:
        yield moved_call(MASKED, case, dtype)


def long_masks(rng):
    """(x shape, mask) around the tiles, of rows that broadcast, of long sums."""
    for size in MASK_LENGTHS:
        for _, mask in kinds_of_masks(rng, (size,)):
            yield (size,), mask
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
            yield x_shape, random_mask(rng, mask_shape)


def long_masked_table(rng, dtype):
    """No value to spare: a read past the end shows."""
    for x_shape, mask in long_masks(rng):
        shape = np.broadcast_shapes(x_shape, mask.shape)
        taken = np.count_nonzero(np.broadcast_to(mask, shape))
        inputs = {'x': x_shape, 'mask': mask, 'value': (taken,)}
        yield moved_call(MASKED, Case(f'{inputs}', inputs), dtype)


def view_table(rng, dtype):
    for case in SELECT_CASES:
        yield moved_call(SELECT, case, dtype)
    for case in DIAGONAL_CASES:
        yield moved_call(DIAGONAL, case, dtype)


def index_call(rng, dtype, name, shapes, index, attributes):
    """`shapes` are those of x and updates."""
    axis, reduce, include_self = attributes
    x, updates = (operands(rng, shape, reduce, dtype) for shape in shapes)
    arrays = x, index, updates
    exact = reduce == 'assign' or x.dtype.kind in 'bi'
    call = Call(
        f'{name}, {attributes}',
        operator_of(reduce),
        arrays,
        attributes,
        x.copy()
        if 0 in x.shape
        else reference_index_reduce(*map(numbers, arrays), *attributes),
        rtol=0 if exact else INDEX_RTOL.get(dtype, 1e-5),
    )
    if reduce == 'assign':
        call.expected = reference_index_reduce(*arrays, *attributes)
    if dtype in GRAD_DTYPES:
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
    """(name, x shape, axis, index, updates shape) of what the operators accept"""
    for row in (*ROWS, *WIDE_ROWS):
        inputs = scatter_case(row, 'sum', True, ()).inputs
        name, x_shape, axis, _, further = row
        if inputs['index'].ndim == 1 and not further:
            yield name, x_shape, axis, inputs['index'], inputs['updates']


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
            updates = list(x_shape)
            updates[axis] = length
            for name, index in kinds.items():
                case = x_shape, axis, index, updates
                yield from index_calls(rng, dtype, f'{name}, {length}', *case)


TABLES = {'masked': masked_table, 'view': view_table, 'index': index_table}
LONG_TABLES = {'masked': long_masked_table, 'index': long_index_table}
