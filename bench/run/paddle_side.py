"""A case called through paddle, ours or released."""

import ctypes
from pathlib import Path

import paddle
from bench.run import inputs
from bench.run.cases import IN_PLACE

# Paddle's OpenMP runtime, and a function that does nothing.
OPENMP = ctypes.CDLL(str(Path(paddle.__file__).parent / 'libs/libiomp5.so'))
NOTHING = ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p)
load = paddle.to_tensor
gradients = paddle.grad


def setup(threads):
    """Compute with this number of threads, on the CPU."""
    paddle.set_device('cpu')
    paddle.base.core.set_num_threads(threads)


def idle():
    """Let no idle OpenMP thread spin in the time of the next side."""
    OPENMP.kmp_set_blocktime(0)
    OPENMP.GOMP_parallel(NOTHING, None, 0, 0)
    OPENMP.kmp_set_blocktime(200)


def scatter_options(case):
    """The keyword arguments, as the release spells them where it can."""
    options = {'axis': case.axis} if case.axis else {}
    if case.reduce != 'assign':
        options['overwrite'] = False
    if case.reduce not in ('assign', 'sum') or case.include_self:
        options.update(reduce=case.reduce, include_self=case.include_self)
    return options


def candidates(case, tensors):
    """{name: a function of x that runs the case}"""
    name = case.op + '_' * (case.mode == IN_PLACE)
    function = getattr(paddle, name)
    rest = inputs.arguments(case, tensors)
    options = scatter_options(case) if case.op == 'scatter' else {}
    return {name: lambda x: function(x, *rest, **options)}
