"""What a side cannot do, or does wrong, and is therefore not measured.

Each entry was seen on the version named; a side that fails for any other
reason is reported as a failure.
"""

from bench.run.cases import BACKWARD

NO_DTYPE = 'no such dtype'
HALVES = ('float16', 'bfloat16')


def _is_plain(case):
    """A call of scatter as the release has it."""
    adds = case['reduce'] == 'sum' and not case['include_self']
    return case['reduce'] == 'assign' or adds


def _overwrites_twice(case):
    """A slot may have several updates, of which one stays."""
    return case['reduce'] == 'assign' and case['index'] != 'permutation'


# Of released Paddle 3.3.1: operator -> (which cases, why), the first that holds.
RELEASE = {
    'masked_scatter': ((lambda c: c.dtype in (*HALVES, 'int8'), NO_DTYPE),),
    'masked_fill': (
        (
            lambda c: c.mode in BACKWARD and c['value'] != 'number',
            'wrong gradient of a Tensor value',
        ),
    ),
    'diagonal_scatter': (
        (lambda c: c.mode in BACKWARD, 'y gets no gradient'),
        (lambda c: c.dtype == 'bfloat16', NO_DTYPE),
    ),
    'scatter': (
        (lambda c: c['axis'] != 0, 'no axis'),
        (
            lambda c: c.mode in BACKWARD and _overwrites_twice(c),
            'each duplicate gets the gradient',
        ),
        (lambda c: not _is_plain(c), 'no reduce or include_self'),
        (lambda c: c.dtype not in ('float32', 'float64', 'int64'), NO_DTYPE),
    ),
}


def gap(side, case):
    """Why a case is not run on a side, or None if it is."""
    known = RELEASE.get(case.op, ()) if side == 'release' else ()
    return next((reason for holds, reason in known if holds(case)), None)


def uncompared(side, case):
    """Why outputs are compared with no other's, or None if they are.

    Torch does not say which of several updates of a slot stays, and its ways
    to assign differ in it.
    """
    repeats = case.op == 'scatter' and _overwrites_twice(case)
    if side == 'torch' and repeats:
        return 'order of duplicates is undefined'
    return None
