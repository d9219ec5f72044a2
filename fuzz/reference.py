"""Results and gradients of every API in numpy, in storage form (see arrays.py).

A call is a list of entries, each of which reduces an element of x or of the source
to an element of the result. Results are exact: entries are reduced in order, and
out_grad consists of small integers, whose sums are exact. Only gradients of mul
and complex products are rounded differently (see `tolerance`).
"""

import numpy as np

from fuzz.arrays import (
    COMPLEX_DTYPES,
    HALF_DTYPES,
    INT_DTYPES,
    to_numbers,
    to_storage,
)

LINEAR_REDUCES = ('assign', 'sum', 'mean')
REDUCES = (*LINEAR_REDUCES, 'mul', 'amax', 'amin')
RTOL = {'float16': 2e-3, 'bfloat16': 2e-2, 'float32': 1e-4, 'complex64': 1e-4}
RTOL |= {'float64': 1e-11, 'complex128': 1e-11}
_UFUNCS = {'assign': np.maximum, 'sum': np.add, 'mean': np.add}
_UFUNCS |= {'mul': np.multiply, 'amax': np.maximum, 'amin': np.minimum}


def is_defined(reduce, dtype):
    """Return whether the reduction exists for the dtype."""
    ordered = reduce in ('amax', 'amin')
    defined = dtype != 'bool' and not (ordered and dtype in COMPLEX_DTYPES)
    return defined or reduce in ('assign', 'sum')


def tolerance(case, is_gradient=False):
    """Return the rtol of a result; None if bits are equal, 0 if NaN may differ."""
    if case.reduce == 'mul' and (is_gradient or case.dtype in COMPLEX_DTYPES):
        return RTOL[case.dtype]
    return None if case.reduce == 'assign' else 0


def overwritten(array, options):
    """Return the part that select_scatter or diagonal_scatter overwrites."""
    if 'index' in options:
        return np.take(array, options['index'], options['axis'])
    return np.diagonal(array, **options)


def _entries(case):
    """Return the operands as one array of numbers; for each entry, in order, which
    of them it reads; and to which element of the result it is reduced."""
    x, arrays, options = case.arrays['x'], case.arrays, case.options
    source = np.asarray(arrays.get('source', options.get('value')))
    source = to_numbers(to_storage(to_numbers(source), case.dtype))
    shape = case.out_grad.shape
    out_at = np.arange(case.out_grad.size).reshape(shape)
    x_at = np.arange(x.size).reshape(x.shape)
    source_at = x.size + np.arange(source.size).reshape(source.shape)
    if case.api == 'scatter':
        index, axis = arrays['index'], options['axis']
        if index.ndim:
            index = index.reshape(-1)
            source_at = np.take(source_at, range(len(index)), axis)
        written = np.take(out_at, index, axis)
    elif case.api in ('masked_scatter', 'masked_fill'):
        mask = np.broadcast_to(arrays['mask'].astype(bool), shape)
        written = out_at[mask]
        if case.api == 'masked_fill':
            source_at = np.broadcast_to(source_at, shape)[mask]
        else:
            source_at = source_at.flat[: written.size]
    else:
        written = overwritten(out_at, options)
    if not options.get('include_self', False):
        out_at = np.delete(out_at, written)
    x_at = np.broadcast_to(x_at, shape).take(out_at)
    pairs = (to_numbers(x), source), (x_at, source_at), (out_at, written)
    return [np.concatenate(pair, axis=None) for pair in pairs]


def _divide(array, counts):
    """Divide integers toward minus infinity, and the parts of complex numbers."""
    parts = array[:, None].view(array.real.dtype)
    divide = np.true_divide if parts.dtype.kind == 'f' else np.floor_divide
    quotient = divide(parts, counts[:, None].astype(parts.dtype))
    return quotient.view(array.dtype)[:, 0]


@np.errstate(all='ignore')
def results(case):
    """Return {name: array} of the result, and of the gradients of x and the source
    if the case has gradients."""
    numbers, origins, targets = _entries(case)
    accumulated = 'float32' if case.dtype in HALF_DTYPES else case.dtype
    if case.reduce == 'mean' and case.dtype in INT_DTYPES:
        accumulated = 'int64'
    rows = numbers.astype(accumulated)[origins]
    first = np.unique(targets, return_index=True)[1]

    def reduce(ufunc, rows):
        out = rows[first]
        ufunc.at(out, np.delete(targets, first), np.delete(rows, first))
        return out

    # When overwriting, the last entry of an element wins: it has the largest key.
    keys = np.arange(len(rows)) if case.reduce == 'assign' else rows
    reduced = reduce(_UFUNCS[case.reduce], keys)
    out = rows[reduced] if case.reduce == 'assign' else reduced
    if case.reduce == 'mean':
        out = _divide(out, np.bincount(targets))
    out = to_storage(out, case.dtype).reshape(case.out_grad.shape)
    arrays = {'result': out}
    if not case.wrt:
        return arrays
    grads = to_numbers(case.out_grad).astype(accumulated).reshape(-1)[targets]
    if case.reduce == 'mul':
        is_zero = rows == 0
        factors = np.where(is_zero, np.float64(1), rows)
        others = reduce(np.multiply, factors)[targets] / factors
        num_zeros = np.bincount(targets, is_zero)[targets] - is_zero
        grads = grads * np.where(num_zeros, 0, others.conj())
    elif case.reduce != 'sum':
        # Entries that equal the result share its gradient, all those of a mean.
        shares = (keys == reduced[targets]) | (case.reduce == 'mean')
        grads = _divide(grads * shares, np.bincount(targets, shares)[targets])
    sums = np.zeros(len(numbers), grads.dtype)
    np.add.at(sums, origins, grads)
    sums = np.split(to_storage(sums, case.dtype), [case.arrays['x'].size])
    for name, grad in zip(('x', 'source'), sums):
        arrays[name] = grad.reshape(np.shape(case.arrays.get(name, 0)))
    return arrays
