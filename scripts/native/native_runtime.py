"""How the functions of paddle._native_ops reach paddle._native_lib.

Dygraph calls the kernels directly and records gradients with a PyLayer, so
that they can be differentiated again. Static graphs and distributed tensors go
through a custom operator of the same name. Installed as paddle._native_runtime.
"""

import struct

from paddle.base import core

from paddle import _native_lib as _lib

Tensor = core.eager.Tensor


def _framework():
    # Not at the top: paddle.base.framework imports paddle._C_ops.
    from paddle.base import framework

    return framework


def has_grad():
    """Whether dygraph records gradients now."""
    tracer = _framework().global_var._dygraph_tracer_
    return tracer is None or tracer._has_grad


class Op:
    """One entry of the YAML.

    attrs: (name, kind) pairs. backward: None, or the gradient entry's name,
    where each of its Tensors comes from ((kind, position, needs no buffer)),
    and the input that each of its results is the gradient of.
    """

    by_name = {}

    def __init__(
        self, name, inputs, optional, attrs, outputs, inplace_input, backward
    ):
        self.name = name
        self.inputs = inputs
        self.optional = optional
        self.attrs = attrs
        self.outputs = outputs
        self.inplace_input = inplace_input
        self.backward = backward
        self.call = getattr(_lib, name)
        self.call_inplace = getattr(_lib, name + '_', None)
        self.infer = getattr(_lib, 'infer_' + name)
        self.function = None
        self._node = None
        Op.by_name[name] = self

    @property
    def node(self):
        if self._node is None:
            self._node = _make_node(self)
        return self._node

    def check_tensors(self, tensors):
        """A TypeError that names the first argument that is no Tensor."""
        for name, tensor in zip(self.inputs, tensors):
            if tensor is None and name in self.optional:
                continue
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f'({self.name}) {name} must be a Tensor, '
                    f'but it is {type(tensor).__name__}.'
                )

    def refuse(self, tensors):
        """The error for Tensors that the kernels do not serve."""
        self.check_tensors(tensors)
        kinds = ', '.join(
            f'{name} on {tensor.place}'
            for name, tensor in zip(self.inputs, tensors)
            if tensor is not None
        )
        raise NotImplementedError(
            f'({self.name}) expected dense Tensors on the CPU, but got {kinds}.'
        )


def load(functions):
    """Called once by the generated module, when all entries are known."""
    for name, function in functions.items():
        if name in Op.by_name:
            Op.by_name[name].function = function
    core.load_op_meta_info_and_register_op(_lib.__file__)


# ---- dygraph


class _Call:
    """What a node needs besides Tensors: attributes, the wanted outputs, the
    in-place flag; and what backward will need."""

    __slots__ = ('attrs', 'need', 'inplace', 'buffers', 'metas', 'wanted')

    def __init__(self, attrs, need, inplace=False):
        self.attrs = attrs
        self.need = need
        self.inplace = inplace


def _save(op, ctx, call, tensors, outputs):
    """Keep what the gradient entry reads, and no more."""
    buffers, metas = [], {}
    for place, (kind, i, meta_only) in enumerate(op.backward[1]):
        if kind == 'grad':
            continue
        source = tensors[i] if kind == 'input' else outputs[i]
        if source is None:
            metas[place] = None
        elif meta_only:
            metas[place] = _lib.meta_like(source)
        else:
            name = op.inputs[i] if kind == 'input' else op.outputs[i]
            buffers.append([place, source, source.inplace_version, name])
    ctx.save_for_backward(*(source for _, source, _, _ in buffers))
    # The Tensors themselves are ctx's alone, so that it can release them.
    call.buffers = [(place, version, name) for place, _, version, name in buffers]
    call.metas = metas


def _load(op, ctx, call):
    """Arguments of the gradient entry, without the gradients."""
    saved = dict(call.metas)
    for (place, version, name), tensor in zip(
        call.buffers, ctx.saved_tensor()
    ):
        if tensor.inplace_version != version:
            raise RuntimeError(
                f'({op.name}) {name} was needed for the gradient but has been '
                f'modified by an inplace operation: received tensor_version:'
                f'{tensor.inplace_version} != wrapper_version_snapshot:{version}.'
            )
        saved[place] = tensor
    return saved


def _run_forward(op, ctx, call, tensors):
    if not call.inplace:
        out = op.call(*tensors, *call.attrs, call.need)
        if out is NotImplemented:
            op.refuse(tensors)
        return out
    x = tensors[op.inplace_input].detach()
    inner = list(tensors)
    inner[op.inplace_input] = x
    if op.call_inplace(*inner, *call.attrs) is NotImplemented:
        op.refuse(tensors)
    return x


def _reads_overwritten(op):
    """The gradient needs the values that the in-place form overwrites."""
    return op.backward is not None and any(
        kind == 'input' and i == op.inplace_input and not meta_only
        for kind, i, meta_only in op.backward[1]
    )


def _gradients(op, ctx, call, out_grads):
    name, sources, targets = op.backward
    saved = _load(op, ctx, call)
    backward = Op.by_name[name]
    args = []
    for place, (kind, i, _) in enumerate(sources):
        if kind != 'grad':
            args.append(saved[place])
        elif out_grads[i] is None and backward.inputs[place] not in backward.optional:
            args.append(_zeros_like_output(ctx, i))
        else:
            args.append(out_grads[i])
    need = sum(1 << k for k, i in enumerate(targets) if call.wanted[i])
    found = backward.function(*args, *call.attrs, need=need)
    return dict(zip(targets, found if isinstance(found, tuple) else (found,)))


def _zeros_like_output(ctx, i):
    import paddle

    shape, dtype = ctx.output_metas[i]
    return paddle.zeros(shape, dtype)


def _make_node(op):
    from paddle.autograd import PyLayer

    class Node(PyLayer):
        @staticmethod
        def forward(ctx, call, *tensors):
            ctx.set_materialize_grads(False)
            ctx.call = call
            ctx.present = [t is not None for t in tensors]
            call.wanted = [t is not None and not t.stop_gradient for t in tensors]
            kept = tensors
            if call.inplace and _reads_overwritten(op):
                kept = list(tensors)
                kept[op.inplace_input] = tensors[op.inplace_input].clone()
            out = _run_forward(op, ctx, call, tensors)
            outputs = out if isinstance(out, tuple) else (out,)
            ctx.output_metas = [
                None if t is None else (t.shape, t.dtype) for t in outputs
            ]
            if op.backward is not None:
                _save(op, ctx, call, kept, outputs)
            if isinstance(out, tuple):
                return tuple(t for t in out if t is not None)
            return out

        @staticmethod
        def backward(ctx, *grads):
            call = ctx.call
            if op.backward is None:
                raise NotImplementedError(
                    f'({op.name}) has no gradient: its results cannot be '
                    f'differentiated again.'
                )
            found = iter(grads)
            out_grads = [
                None if meta is None else next(found)
                for meta in ctx.output_metas
            ]
            results = {}
            if any(grad is not None for grad in out_grads):
                results = _gradients(op, ctx, call, out_grads)
            wanted = tuple(
                results.get(i) for i, there in enumerate(ctx.present) if there
            )
            return wanted if len(wanted) > 1 else wanted[0]

    Node.__name__ = Node.__qualname__ = op.name
    return Node


def run_eager(op, tensors, attrs, need):
    """A call that the fast path did not serve: gradients, or other Tensors."""
    op.check_tensors(tensors)
    if any(t is not None and t.is_dist() for t in tensors):
        return _run_custom(op, tensors, attrs)
    if not has_grad():
        op.refuse(tensors)
    return _apply(op, tensors, _Call(attrs, need))


def _apply(op, tensors, call):
    found = op.node.apply(call, *tensors)
    if len(op.outputs) == 1:
        return found
    # Outputs that were not wanted come back as None, in their places.
    found = iter(found if isinstance(found, tuple) else (found,))
    return tuple(
        next(found) if call.need >> i & 1 else None
        for i in range(len(op.outputs))
    )


def run_inplace(op, tensors, attrs):
    """The in-place form: `x`, which is returned, takes the result."""
    if not isinstance(tensors[0], Tensor):
        raise TypeError(
            f'({op.name}_) expected Tensors of dynamic graph mode, '
            f'but got {type(tensors[0]).__name__}.'
        )
    op.check_tensors(tensors)
    x = tensors[op.inplace_input]
    recording = has_grad()
    if recording and x.is_leaf and not x.stop_gradient:
        raise ValueError(
            f"({op.name}_) Leaf Var ({x.name}) that doesn't stop gradient "
            f"can't use inplace strategy."
        )
    if x.is_dist() or not x.is_contiguous():
        out = op.function(*tensors, *attrs)
        _check_inplace_shape(op, x, out)
        return _assign_out_(out, x)
    if recording and not all(t.stop_gradient for t in tensors):
        call = _Call(attrs, 1, inplace=True)
        out = op.node.apply(call, *tensors)
        result = _assign_out_(out, x)
        _refresh_versions(op, call, x)
        return result
    if op.call_inplace(*tensors, *attrs) is NotImplemented:
        op.refuse(tensors)
    return x


def _assign_out_(out, x):
    return core.eager.ops.assign_out_(out, x)


def _check_inplace_shape(op, x, out):
    if out.shape != x.shape:
        raise ValueError(
            f'({op.name}_) the result must have the shape of '
            f'{op.inputs[op.inplace_input]}, which is changed in place, '
            f'{x.shape}, but it would have the shape {out.shape}.'
        )


def _refresh_versions(op, call, x):
    """The result shares its version with x, which has just been bumped."""
    if op.backward is None:
        return
    sources = op.backward[1]
    call.buffers = [
        (place, x.inplace_version if sources[place][0] == 'output' else version, name)
        for place, version, name in call.buffers
    ]


# ---- static graphs and distributed tensors


def _bits(value):
    return struct.unpack('<q', struct.pack('<d', value))[0]


def _encode_scalar(op, name, value):
    """[kind, bits, bits], as the glue's DecodeScalar reads it."""
    if isinstance(value, bool) or type(value).__name__ in ('bool_', 'bool'):
        return [0, int(value), 0]
    if hasattr(value, '__index__'):
        value = value.__index__()
        if not -(1 << 63) <= value < 1 << 63:
            raise ValueError(f'({op.name}) {name} is too large: {value!r}.')
        return [1, value, 0]
    if isinstance(value, complex) or hasattr(value, 'imag') and value.imag:
        value = complex(value)
        return [3, _bits(value.real), _bits(value.imag)]
    return [2, _bits(float(value)), 0]


_COERCE = {
    'kBool': bool,
    'kInt': int,
    'kInt64': int,
    'kFloat': float,
    'kString': str,
    'kInt64s': lambda value: [int(item) for item in value],
}


def _custom_attrs(op, attrs, zero_dim):
    """In the order of the custom operator: Scalars last, after zero_dim."""
    plain, scalars = [], []
    for (name, kind), value in zip(op.attrs, attrs):
        if kind == 'kScalar':
            scalars.append(_encode_scalar(op, name, value))
        else:
            plain.append(_COERCE[kind](value))
    return [*plain, zero_dim, *scalars]


def _run_custom(op, tensors, attrs, zero_dim=''):
    found = core.pir.ops._run_custom_op(
        op.name, *tensors, *_custom_attrs(op, attrs, zero_dim)
    )
    found = found[: len(op.outputs)]
    return found[0] if len(op.outputs) == 1 else tuple(found)


def _dtype_number(dtype):
    return dtype.value if hasattr(dtype, 'value') else int(dtype)


def _promote(tensors):
    """Under auto_cast, mixed floating inputs take the widest of their types,
    as Paddle's own operators of no list do."""
    import paddle

    if core._get_amp_attrs()._amp_level == core.AmpLevel.O0:
        return tensors
    order = ['float16', 'bfloat16', 'float32', 'float64']
    names = [str(t.dtype).rpartition('.')[2].lower() for t in tensors]
    floating = [name for name in names if name in order]
    if len(set(floating)) < 2:
        return tensors
    widest = max(floating, key=order.index)
    if set(floating) == {'float16', 'bfloat16'}:
        widest = 'float32'
    return tuple(
        paddle.cast(t, widest) if name in order and name != widest else t
        for t, name in zip(tensors, names)
    )


def run_static(op, tensors, attrs):
    framework = _framework()
    if not framework.in_pir_mode():
        if framework.in_dygraph_mode():
            op.check_tensors(tensors)
        return _append_op(op, tensors, attrs)
    for name, tensor in zip(op.inputs, tensors):
        if not isinstance(tensor, (core.pir.Value, Tensor)):
            raise TypeError(
                f'({op.name}) {name} must be a Tensor, '
                f'but it is {type(tensor).__name__}.'
            )
    tensors = _promote(tensors)
    # An exception that Paddle's own InferMeta call throws ends the process.
    shapes = op.infer(
        [list(t.shape) for t in tensors],
        [_dtype_number(t.dtype) for t in tensors],
        *attrs,
    )
    named = [*zip(op.inputs, (t.shape for t in tensors))]
    named += zip(op.outputs, shapes)
    zero_dim = ','.join(name for name, shape in named if len(shape) == 0)
    if not zero_dim:
        return _run_custom(op, tensors, attrs)
    # A static gradient takes an empty shape for a Tensor that is not there.
    lifted = [t if len(t.shape) else t.reshape([1]) for t in tensors]
    found = _run_custom(op, lifted, attrs, zero_dim)
    if len(op.outputs) == 1:
        return found if len(shapes[0]) else found.reshape([])
    return tuple(
        out if len(shape) else out.reshape([])
        for out, shape in zip(found, shapes)
    )


def _append_op(op, tensors, attrs):
    from paddle.base.layer_helper import LayerHelper

    helper = LayerHelper(op.name)
    outputs = {
        name: helper.create_variable_for_type_inference(dtype=tensors[0].dtype)
        for name in op.outputs
    }
    names = [name for name, _ in op.attrs]
    helper.append_op(
        type=op.name,
        inputs=dict(zip(op.inputs, tensors)),
        outputs=outputs,
        attrs=dict(zip(names, attrs)),
    )
    found = list(outputs.values())
    return found[0] if len(found) == 1 else tuple(found)


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
