"""A case called through paddle (ours or the release)."""

import ctypes
from pathlib import Path

import paddle
from bench.run import inputs

# The OpenMP runtime that paddle has loaded, and a function that does nothing.
_OPENMP = ctypes.CDLL(str(Path(paddle.__file__).parent / 'libs/libiomp5.so'))
_NOTHING = ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p)
USUAL_BLOCKTIME = 200
load = paddle.to_tensor
gradients = paddle.grad


def quiet():
    """Send idle OpenMP threads to sleep.

    After a parallel loop they spin for a while, which would take processor time
    from the next side's turn.
    """
    _OPENMP.kmp_set_blocktime(0)
    _OPENMP.GOMP_parallel(_NOTHING, None, 0, 0)
    _OPENMP.kmp_set_blocktime(USUAL_BLOCKTIME)


def setup(threads):
    """Use so many threads; OMP_NUM_THREADS says the same."""
    paddle.set_device('cpu')
    paddle.base.core.set_num_threads(threads)


def _scatter_options(case):
    options = {'axis': case['axis']} if case['axis'] else {}
    if case['reduce'] != 'assign':
        options['overwrite'] = False
        # The release spells this without the new arguments.
        if case['reduce'] != 'sum' or case['include_self']:
            options |= {key: case[key] for key in ('reduce', 'include_self')}
    return options


def ways(case, t):
    """{name: a function of x that runs the case on the tensors `t`}"""
    function = getattr(paddle, case.op + '_' * (case.mode == 'inplace'))
    rest = inputs.operands(case, t)
    options = _scatter_options(case) if case.op == 'scatter' else {}
    return {case.op: lambda x: function(x, *rest, **options)}
