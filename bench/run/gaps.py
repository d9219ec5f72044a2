"""What a side cannot do, or does wrong, and is therefore not measured.

Each entry was seen on the version named; a side that fails for any other
reason is reported as a failure.
"""

from bench.run.cases import BACKWARD

NO_DTYPE = 'no such dtype'
OLD_SCATTER_DTYPES = ('float32', 'float64', 'int64')


def _release_masked_scatter(case):
    if case.dtype in ('float16', 'bfloat16', 'int8'):
        return NO_DTYPE
    return None


def _release_masked_fill(case):
    if case.mode in BACKWARD and case['value'] != 'number':
        return 'wrong gradient of a Tensor value'
    return None


def _release_diagonal_scatter(case):
    if case.mode in BACKWARD:
        return 'y gets no gradient'
    if case.dtype == 'bfloat16':
        return NO_DTYPE
    return None


def _release_scatter(case):
    if case['axis'] != 0:
        return 'no axis'
    plain = case['reduce'] == 'assign' or (
        case['reduce'] == 'sum' and not case['include_self']
    )
    if not plain:
        return 'no reduce or include_self'
    if case.dtype not in OLD_SCATTER_DTYPES:
        return NO_DTYPE
    return None


RELEASE = {
    'masked_scatter': _release_masked_scatter,
    'masked_fill': _release_masked_fill,
    'diagonal_scatter': _release_diagonal_scatter,
    'scatter': _release_scatter,
}


def gap(side, case):
    """Why a case is not run on a side, or None if it is."""
    if side == 'release' and case.op in RELEASE:
        return RELEASE[case.op](case)
    return None


def uncompared(side, case):
    """Why outputs are compared with no other's, or None if they are.

    Torch does not say which of several updates of a slot stays, and its ways
    to assign differ in it.
    """
    repeats = case.op == 'scatter' and case['index'] != 'permutation'
    if side == 'torch' and repeats and case['reduce'] == 'assign':
        return 'order of duplicates is undefined'
    return None
