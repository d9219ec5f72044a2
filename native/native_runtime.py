"""How the functions of paddle._native_ops reach paddle._native_lib.

Dygraph calls the kernels directly, and records gradients itself. Distributed
Tensors are the matter of _native_distributed. Static graphs go through custom
operators: see _native_static.
Installed as paddle._native_runtime.
"""

import contextlib

from paddle import _native_lib as _lib
from paddle._native_modes import has_grad, in_dygraph
from paddle.base import core

Tensor = core.eager.Tensor


def _distributed():
    # Not at the top: paddle.distributed is imported later.
    from paddle import _native_distributed

    return _native_distributed


def _kind(tensor):
    if tensor.is_sparse_coo() or tensor.is_sparse_csr():
        return 'sparse'
    return 'selected rows' if tensor.is_selected_rows() else 'dense'


class Op:
    """One operator, as the generated module tells of it.

    differentiable: positions of the inputs that have a gradient.
    reads_overwritten: a gradient needs the values that the in-place form
    overwrites.
    """

    def __init__(
        self,
        name,
        inputs,
        outputs,
        inplace_input,
        differentiable,
        reads_overwritten,
    ):
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.inplace_input = inplace_input
        self.differentiable = differentiable
        self.reads_overwritten = reads_overwritten
        self.call = getattr(_lib, name)
        self.call_inplace = getattr(_lib, name + '_', None)
        self.infer = getattr(_lib, 'infer_' + name)
        self.record = getattr(_lib, 'record_' + name)
        self.encode = getattr(_lib, 'encode_' + name)

    @property
    def gradient_reads(self):
        """Positions of the inputs whose elements a gradient reads."""
        everything = range(len(self.inputs))
        if self.reads_overwritten:
            return list(everything)
        return [i for i in everything if i not in self.differentiable]

    def check_tensors(self, tensors):
        """A TypeError that names the first argument that is no Tensor."""
        for name, tensor in zip(self.inputs, tensors):
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f'({self.name}) {name} must be a Tensor, '
                    f'but it is {type(tensor).__name__}.'
                )

    def refuse(self, tensors):
        """The error for Tensors that the kernels do not serve."""
        self.check_tensors(tensors)
        kinds = ', '.join(
            f'{name} {_kind(tensor)} on {tensor.place}'
            for name, tensor in zip(self.inputs, tensors)
        )
        raise NotImplementedError(
            f'({self.name}) expected dense Tensors on the CPU, but got {kinds}.'
        )

    def wants_gradient(self, tensors):
        return has_grad() and not all(
            tensors[i].stop_gradient for i in self.differentiable
        )

    def compute(self, tensors, attrs):
        """The result for dense Tensors; its gradient is recorded if wanted."""
        if self.wants_gradient(tensors):
            return self.compute_recorded(tensors, attrs)
        out = self.call(*tensors, *attrs)
        return self.refuse(tensors) if out is NotImplemented else out

    def compute_recorded(self, tensors, attrs, inplace=False):
        out = self.record(*tensors, *attrs, inplace)
        return self.refuse(tensors) if out is NotImplemented else out

    def check_inplace_shape(self, x, shape):
        """An error if a result of this shape does not fit into `x`."""
        if list(shape) != list(x.shape):
            raise ValueError(
                f'({self.name}_) the result must have the shape of '
                f'{self.inputs[self.inplace_input]}, which is changed in '
                f'place, {list(x.shape)}, but it would have the shape '
                f'{list(shape)}.'
            )


# ---- dygraph


def run_eager(op, tensors, attrs):
    """A call on other arguments than dense Tensors on the CPU."""
    op.check_tensors(tensors)
    if not any(t.is_dist() for t in tensors):
        op.refuse(tensors)
    return _distributed().run(op, tensors, attrs)


@contextlib.contextmanager
def _as_they_are():
    """Without auto_cast, which Paddle's in-place operators do not obey."""
    state = core._get_amp_attrs()
    level = state._amp_level
    if level == core.AmpLevel.O0:
        # the state is that of all threads: another may set it meanwhile
        yield
        return
    state._amp_level = core.AmpLevel.O0
    try:
        yield
    finally:
        state._amp_level = level


def run_inplace(op, tensors, attrs):
    """The in-place form: `x`, which is returned, takes the result."""
    if not isinstance(tensors[0], Tensor):
        raise TypeError(
            f'({op.name}_) expected Tensors of dynamic graph mode, '
            f'but got {type(tensors[0]).__name__}.'
        )
    op.check_tensors(tensors)
    x = tensors[op.inplace_input]
    if has_grad() and x.is_leaf and not x.stop_gradient:
        raise ValueError(
            f"({op.name}_) Leaf Var ({x.name}) that doesn't stop gradient "
            f"can't use inplace strategy."
        )
    if any(t.is_dist() for t in tensors):
        return _distributed().run_inplace(op, tensors, attrs, x)
    if op.wants_gradient(tensors):
        return _record_inplace(op, tensors, attrs, x)
    if not x.is_contiguous():
        with _as_they_are():
            out = op.compute([t.detach() for t in tensors], attrs)
        return _assign_out_(op, out, x)
    out = op.call_inplace(*tensors, *attrs)
    if out is NotImplemented:
        op.refuse(tensors)
    return out


def _record_inplace(op, tensors, attrs, x):
    if x.is_contiguous() and not op.reads_overwritten:
        # The result shares the memory of x.
        out = op.compute_recorded(tensors, attrs, inplace=True)
        _lib.bump_version(x)
    else:
        tensors = list(tensors)
        with _as_they_are():
            if op.reads_overwritten:
                import paddle

                tensors[op.inplace_input] = paddle.assign(x)
            out = op.compute_recorded(tensors, attrs)
        _assign_out_(op, out.detach(), x.detach())
    _lib.take_history(x, out)
    return x


def _assign_out_(op, out, x):
    op.check_inplace_shape(x, out.shape)
    return core.eager.ops.assign_out_(out, x)


def _is_dense_on_cpu(tensor):
    return (
        isinstance(tensor, Tensor)
        and tensor.is_dense()
        and not tensor.is_dist()
        and tensor.place.is_cpu_place()
    )


def sharded_masked_fill(op, masked_fill, masked_fill_):
    """Paddle's operator and its in-place form, which keep distributed Tensors
    sharded: for those of the release every rank gathers the whole."""

    def sharded(stock, run):
        def function(*args, **kwargs):
            if in_dygraph() and any(
                isinstance(t, Tensor) and t.is_dist() for t in args
            ):
                return run(op, args, ())
            return stock(*args, **kwargs)

        return function

    return sharded(masked_fill, run_eager), sharded(masked_fill_, run_inplace)


def recorded_scatter(op, scatter, scatter_):
    """Paddle's operator and its in-place form, with nodes of ours where a
    gradient is recorded: those of the release have no second order."""

    def recorded(stock, run):
        def function(*args, **kwargs):
            tensors = args[:3]
            if (
                len(args) == 4
                and isinstance(args[3], bool)
                and in_dygraph()
                and all(map(_is_dense_on_cpu, tensors))
                and op.wants_gradient(tensors)
            ):
                return run(op, tensors, args[3:])
            return stock(*args, **kwargs)

        return function

    return recorded(scatter, Op.compute_recorded), recorded(
        scatter_, run_inplace
    )


def check_version(found):
    """The compiled module fits one release of Paddle only."""
    if found != _lib.paddle_version:
        raise ImportError(
            f'paddle._native_lib was built for paddle {_lib.paddle_version}, '
            f'but this is paddle {found}: run scripts/apply_and_build.sh again.'
        )


def _installed_version():
    from paddle.version import full_version

    return full_version


check_version(_installed_version())
