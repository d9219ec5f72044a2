"""The operators of one case, called through paddle (ours or the release)."""

import ctypes
from pathlib import Path

import paddle
from bench.run.cases import MASKED
from bench.run.inputs import same_call

NEW_OPS = (
    'masked_scatter', 'select_scatter', 'diagonal_scatter', 'index_scatter',
    'index_reduce',
)  # fmt: skip
# The OpenMP runtime that paddle has loaded, and a function that does nothing.
_OPENMP = ctypes.CDLL(str(Path(paddle.__file__).parent / 'libs/libiomp5.so'))
_NOTHING = ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p)
USUAL_BLOCKTIME = 200


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


def describe():
    """What this side is."""
    return {
        'version': paddle.__version__,
        'native': [op for op in NEW_OPS if hasattr(paddle._C_ops, op)],
        'path': paddle.__file__,
    }


def load(array, dtype):
    """A tensor of its own memory from a numpy array."""
    tensor = paddle.to_tensor(array)
    return tensor.astype('bfloat16') if dtype == 'bfloat16' else tensor


def require_grad(tensor):
    """Let gradients flow to a leaf."""
    tensor.stop_gradient = False


def to_numpy(tensor):
    """A numpy array; bfloat16 becomes float32."""
    if tensor.dtype == paddle.bfloat16:
        tensor = tensor.astype('float32')
    return tensor.detach().numpy()


def gradients(out, inputs, out_grad):
    """The gradients of `inputs`."""
    return paddle.grad([out], inputs, [out_grad])


def step(out, inputs, weight):
    """The gradients that backward() of the sum of `out` leaves at `inputs`."""
    for leaf in inputs:
        leaf.clear_gradient(set_to_zero=False)
    loss = out if weight is None else out * weight
    loss.sum().backward()
    return [leaf.grad for leaf in inputs]


def _scatter_options(attrs):
    options = {'axis': attrs['axis']} if attrs['axis'] else {}
    if attrs['reduce'] == 'assign':
        return options
    options['overwrite'] = False
    # What the release spells without the new arguments.
    if attrs['reduce'] == 'sum' and not attrs['include_self']:
        return options
    how = {key: attrs[key] for key in ('reduce', 'include_self')}
    return {**options, **how}


def _masked(function, t, attrs):
    value = t['value'] if 'value' in t else attrs['value']
    return lambda x: function(x, t['mask'], value)


def _scatter(t, attrs, inplace):
    index, updates = t['index'], t['updates']
    options = _scatter_options(attrs)
    if inplace:
        return lambda x: paddle.scatter_(x, index, updates, **options)
    return lambda x: paddle.scatter(x, index, updates, **options)


def ways(op, t, attrs, inplace=False):
    """{name: a function of x that runs the operator on the tensors `t`}"""
    if op == 'scatter':
        return {op: _scatter(t, attrs, inplace)}
    if op in MASKED:
        function = getattr(paddle, op + '_' if inplace else op)
        return {op: _masked(function, t, attrs)}
    return {op: same_call(paddle, op, t, attrs)}
