"""A case called through paddle (ours or the release)."""

import contextlib
import ctypes
from pathlib import Path
from unittest import mock

import paddle
from bench.run import inputs
from paddle import _C_ops

# The OpenMP runtime that paddle has loaded, and a function that does nothing.
_OPENMP = ctypes.CDLL(str(Path(paddle.__file__).parent / 'libs/libiomp5.so'))
_NOTHING = ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p)
USUAL_BLOCKTIME = 200
OPERATORS = (
    'masked_scatter',
    'masked_fill',
    'select_scatter',
    'diagonal_scatter',
    'scatter',
    'index_scatter',
    'index_reduce',
)
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


def _operator(call, suffix, x):
    """The call of an operator that a call of a Python function ends with."""
    found = []

    def record(operator):
        def recorder(_, *rest):
            found.append(lambda x: operator(x, *rest))
            return operator(_, *rest)

        return recorder

    with contextlib.ExitStack() as stack:
        for name in OPERATORS:
            operator = getattr(_C_ops, name + suffix, None)
            if operator is not None:
                patch = mock.patch.object(
                    _C_ops, name + suffix, record(operator)
                )
                stack.enter_context(patch)
        call(x.clone())
    return found[-1]


def ways(case, t, only_operator=False):
    """{name: a function of x that runs the case on the tensors `t`}"""
    suffix = '_' * (case.mode == 'inplace')
    function = getattr(paddle, case.op + suffix)
    rest = inputs.operands(case, t)
    options = _scatter_options(case) if case.op == 'scatter' else {}

    def call(x):
        return function(x, *rest, **options)

    if only_operator:
        return {case.op: _operator(call, suffix, t['x'])}
    return {case.op: call}
