"""Cases in Paddle: this build, or the release."""

import ctypes
from pathlib import Path
from unittest import mock

import paddle
from bench.run import inputs
from bench.run.cases import C_FUNCTION, IN_PLACE
from paddle.tensor import manipulation

# Paddle's OpenMP runtime, and a function for an empty parallel region.
OPENMP = ctypes.CDLL(str(Path(paddle.__file__).parent / 'libs/libiomp5.so'))
NO_OP = ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p)
load = paddle.to_tensor
compute_grads = paddle.grad


def setup(threads):
    """Select the CPU and the number of threads."""
    paddle.set_device('cpu')
    paddle.base.core.set_num_threads(threads)


def stop_spinning():
    """Put idle OpenMP threads to sleep: they would slow down the next side."""
    OPENMP.kmp_set_blocktime(0)
    OPENMP.GOMP_parallel(NO_OP, None, 0, 0)
    OPENMP.kmp_set_blocktime(200)


def make_scatter_options(case):
    """Return keyword arguments, where possible those of the release."""
    options = {'axis': case.axis} if case.axis else {}
    if case.reduce != 'assign':
        options['overwrite'] = False
    if case.reduce not in ('assign', 'sum') or case.include_self:
        options.update(reduce=case.reduce, include_self=case.include_self)
    return options


def extract_c_call(case, call, x):
    """Return {name: function of x} of the function of _C_ops that `call` calls."""
    wrapper = mock.Mock(wraps=paddle._C_ops)
    with mock.patch.object(manipulation, '_C_ops', wrapper):
        call(x)
    name, (_, *rest), _ = wrapper.method_calls[-1]
    # The release composes some operators of several.
    assert name in (case.op, 'index_scatter', 'index_reduce')
    function = getattr(paddle._C_ops, name)
    return {name: lambda x: function(x, *rest)}


def make_candidates(case, tensors):
    """Return {name: function of x that computes the case}."""
    name = case.op + '_' * (case.mode == IN_PLACE)
    function = getattr(paddle, name)
    rest = inputs.list_arguments(case, tensors)
    options = make_scatter_options(case) if case.op == 'scatter' else {}

    def call(x):
        return function(x, *rest, **options)

    if case.mode == C_FUNCTION:
        return extract_c_call(case, call, tensors['x'])
    return {name: call}
