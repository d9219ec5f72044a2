"""Puts something wrong into the arguments of a call.

Each fault is a function of its name, which changes the arguments and is False
if it can't.
"""

import numpy as np
from scatter_test_utils import GRAD_DTYPES, INT_DTYPES


def _source(arrays):
    """The name of the last Tensor, if there is one besides x and mask."""
    name = list(arrays)[-1]
    return None if name in ('x', 'mask') else name


def short_source(case, arguments, rng):
    arrays = arguments.arrays
    name = _source(arrays)
    if case.api == 'scatter':
        return _short_updates(case, arrays)
    trues = np.broadcast_to(
        arrays['mask'], np.broadcast(arrays['x'], arrays['mask']).shape
    )
    count = int(trues.sum())
    if not count:
        return False
    kept = int(rng.choice([count - 1, count // 2, 0]))
    arrays[name] = arrays[name].reshape(-1)[:kept]
    return True


def _short_updates(case, arrays):
    n = arrays['index'].size
    if arrays['index'].ndim == 0 or n == 0:
        return False
    updates = arrays['updates']
    axis = case.attrs['axis'] % updates.ndim
    arrays['updates'] = updates.take(range(n - 1), axis)
    return True


def mask_dtype(case, arguments, rng):
    arguments.arrays['mask'] = arguments.arrays['mask'].astype('int32')
    return True


def source_dtype(case, arguments, rng):
    name = _source(arguments.arrays)
    if name is None:
        return False
    if _goes_unseen(case, arguments.arrays):
        return False
    shape = arguments.arrays[name].shape
    arguments.arrays[name] = np.ones(shape, _other_dtype(case))
    return True


def complex_source(case, arguments, rng):
    """Complex numbers for a real x."""
    name = _source(arguments.arrays)
    if name is None or case.dtype.startswith('complex'):
        return False
    shape = arguments.arrays[name].shape
    arguments.arrays[name] = np.ones(shape, 'complex64')
    return True


def _other_dtype(case):
    # Paddle casts a real Tensor for a complex kernel of its own operators
    others = {'complex64': 'complex128', 'complex128': 'complex64'}
    default = 'int32' if case.dtype == 'float64' else 'float64'
    return others.get(case.dtype, default)


def _goes_unseen(case, arrays):
    """Paddle's own scatter does not look at arguments without elements."""
    tensors = ('x', 'index', 'updates')
    return case.is_plain_scatter and not all(arrays[n].size for n in tensors)


def mask_shape(case, arguments, rng):
    """A mask that does not fit x; in place, also one that is larger."""
    shape = list(arguments.arrays['x'].shape)
    if case.inplace and rng.random() < 0.5:
        shape = [2, *shape]
    elif not shape:
        return False
    else:
        wrong = int(rng.integers(len(shape)))
        if shape[wrong] == 1 and not case.inplace:
            return False
        shape[wrong] = shape[wrong] + 1 if shape[wrong] else 2
    arguments.arrays['mask'] = np.asarray(rng.random(shape) < 0.5)
    return True


def number_range(case, arguments, rng):
    if 'number' not in case.attrs or 'int' not in case.dtype:
        return False
    info = np.iinfo(case.dtype)
    below = (info.min or -info.max) - 1  # uint8 takes -1 for 255
    wrong = [info.max + 1, below, float('nan'), float('inf'), 10**30]
    arguments.attrs['value'] = wrong[int(rng.integers(len(wrong)))]
    return True


def index_range(case, arguments, rng):
    size = case.shape[case.attrs['axis']]
    wrong = [size, -size - 1, size + 1000, 2**40, -(2**63), 2**63 - 1]
    arguments.attrs['index'] = wrong[int(rng.integers(len(wrong)))]
    return True


def axis_range(case, arguments, rng):
    names = [name for name in arguments.attrs if name.startswith('axis')]
    rank = len(case.shape)
    wrong = [rank, -rank - 1, 100, -100, 2**31 - 1]
    name = names[int(rng.integers(len(names)))]
    arguments.attrs[name] = wrong[int(rng.integers(len(wrong)))]
    return True


def same_axes(case, arguments, rng):
    attrs = arguments.attrs
    attrs['axis2'] = attrs['axis1'] % len(case.shape)
    return True


def source_shape(case, arguments, rng):
    """One dim too many, or one that is too large."""
    if _goes_unseen(case, arguments.arrays):
        return False
    name = _source(arguments.arrays)
    source = arguments.arrays[name]
    if not source.ndim or rng.random() < 0.3:
        arguments.arrays[name] = np.stack([source, source])
        return True
    wrong = int(rng.integers(source.ndim))
    if case.api == 'scatter':
        if arguments.arrays['index'].ndim and (
            wrong == case.attrs['axis'] % source.ndim
        ):
            return False  # more updates than needed are fine
    filler = (
        np.zeros_like(source.take([0], wrong, mode='clip'))
        if (source.size)
        else None
    )
    if filler is None:
        return False
    arguments.arrays[name] = np.concatenate([source, filler], wrong)
    return True


def index_value(case, arguments, rng):
    index = arguments.arrays['index']
    if not index.size or _goes_unseen(case, arguments.arrays):
        return False
    size = case.shape[case.attrs['axis']]
    limits = np.iinfo(index.dtype)
    wrong = [size, -size - 1, size + 7, limits.max, limits.min]
    index = index.copy()
    place = int(rng.integers(index.size))
    index.reshape(-1)[place] = wrong[int(rng.integers(len(wrong)))]
    arguments.arrays['index'] = index
    return True


def index_dtype(case, arguments, rng):
    if _goes_unseen(case, arguments.arrays):
        return False
    wrong = ('int16', 'float32', 'bool', 'uint8')[int(rng.integers(4))]
    arguments.arrays['index'] = arguments.arrays['index'].astype(wrong)
    return True


def reduce_name(case, arguments, rng):
    """A reduction that is unknown or not for the dtype."""
    attrs = arguments.attrs
    if case.dtype == 'bool':
        attrs.update(overwrite=False, reduce='mul')
    elif case.dtype.startswith('complex'):
        attrs.update(overwrite=False, reduce='amax')
    else:
        attrs.update(reduce='median')
    return True


# second_order is in fuzz/run.py: the arguments themselves are right.
FAULTS = {
    'masked_scatter': (short_source, mask_dtype, source_dtype, mask_shape),
    'masked_fill': (number_range, complex_source, mask_shape),
    'select_scatter': (index_range, axis_range, source_shape, complex_source),
    'diagonal_scatter': (axis_range, same_axes, source_shape, complex_source),
    'scatter': (
        index_value,
        index_dtype,
        source_dtype,
        source_shape,
        axis_range,
        reduce_name,
        short_source,
    ),
}


# The documented errors; of a fault that is not listed, a ValueError.
_ERRORS = {
    ('masked_scatter', 'short_source'): AssertionError,
    ('masked_scatter', 'mask_dtype'): AssertionError,
    ('masked_scatter', 'source_dtype'): AssertionError,
    ('select_scatter', 'index_range'): IndexError,
    ('select_scatter', 'axis_range'): IndexError,
    ('select_scatter', 'source_shape'): RuntimeError,
    ('diagonal_scatter', 'axis_range'): AssertionError,
    ('diagonal_scatter', 'same_axes'): AssertionError,
    ('diagonal_scatter', 'source_shape'): AssertionError,
    ('scatter', 'index_value'): IndexError,
}


def expected_errors(case, in_program):
    """The types of error that the documentation gives for the fault.

    What a static graph finds only when it runs is an error of the operator.
    """
    documented = _ERRORS.get((case.api, case.fault), ValueError)
    if case.fault == 'source_dtype' and case.dtype.startswith('complex'):
        # Paddle tries to cast for its own operators, before they are called
        return documented, NotImplementedError
    if in_program:
        return documented, ValueError, IndexError
    return (documented,)


def fault_names(api, dtype, attrs):
    """What a case of the API may have as its fault."""
    names = [fault.__name__ for fault in FAULTS[api]]
    if api in ('masked_fill', 'scatter') and dtype in GRAD_DTYPES:
        names.append('second_order')
    if 'number' in attrs:
        names = ['mask_shape'] + ['number_range'] * (dtype in INT_DTYPES)
    elif 'number_range' in names:
        names.remove('number_range')
    return names


def spoil(case, arguments):
    """Puts the fault of the case in; False if these arguments can't have it."""
    rng = np.random.default_rng([case.seed, 1])
    chosen = {fault.__name__: fault for fault in FAULTS[case.api]}[case.fault]
    return chosen(case, arguments, rng)
