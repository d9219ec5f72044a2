"""Plans of calls with distributed Tensors: placements, and the differentiable maps
between a Tensor and its local part.

Installed as paddle._native_dist_plans.
"""

from contextlib import nullcontext

import paddle
import paddle.distributed as dist
from paddle import _native_lib as _lib
from paddle._native_dist_layout import (
    mesh_of,
    part,
    placements_of,
    reshard,
    reshard_local,
)
from paddle.base import core
from paddle.distributed.auto_parallel.placement_type import (
    dims_mapping_to_placements,
    placemetns_to_dist_status,
)
from paddle.distributed.auto_parallel.static.dist_attribute import (
    DistTensorSpec,
    TensorDistAttr,
)


def linear(name, tensor, function, transpose, out=None):
    """Return function(tensor), a linear map, written into `out` if that is not
    None. Its gradient is `transpose`, whose gradient is `function`, to every
    order."""
    with paddle.no_grad():
        result = function(tensor)
    if out is not None:
        core.eager.ops.assign_out_(
            result._local_value(), out._local_value().detach()
        )
        result = out
    if not paddle.is_grad_enabled() or tensor.stop_gradient:
        return result

    def backward(create_graph, grad):
        with nullcontext() if create_graph else paddle.no_grad():
            return linear(f'{name}_grad', grad, transpose, function)

    _lib.record_callback(name, backward, tensor, result)
    return result


class Plan:
    """A call whose local results are the parts of the whole result.

    The operator's SPMD rule decides the placements of inputs and result.
    """

    def __init__(self, op, tensors, attrs):
        self.op, self.attrs = op, attrs
        self.mesh = mesh_of(tensors[0])
        if dist.get_rank() not in self.mesh.process_ids:
            raise NotImplementedError(
                f'({op.name}) The rank should be in the mesh of the Tensors, '
                f'{self.mesh}, but received rank {dist.get_rank()}.'
            )
        # Infers from the global shapes, so that every rank raises alike.
        (self.out_shape,) = op.infer(list(tensors), attrs)
        self.lay_out(tensors)

    def lay_out(self, tensors):
        self.input_placements, self.out_placements = infer_layout(
            self.op.name, tensors, self.attrs
        )

    def run(self, tensors, out=None):
        """Return the distributed result, written into `out` if that is not None."""
        function = getattr(paddle._C_ops, self.op.name)
        local = function(*self.parts(tensors), *self.attrs)
        current = self.out_placements
        target = current if out is None else placements_of(out)
        return linear(
            self.op.name,
            local,
            lambda local: reshard_local(
                local, self.out_shape, self.mesh, current, target
            ),
            lambda whole: part(reshard(whole, current)),
            out,
        )

    def parts(self, tensors):
        """Return the inputs of the local call."""
        return [self._part(*item) for item in enumerate(tensors)]

    def _part(self, at, tensor):
        mesh, placements = self.mesh, self.input_placements[at]
        shape, shares = list(tensor.shape), self._shares(placements)
        # The gradient of a partial sum is replicated.
        target = [
            dist.Replicate() if p.is_partial() else p
            for p in placements_of(tensor)
        ]
        return linear(
            self.op.name,
            tensor,
            lambda whole: part(reshard(whole, placements)),
            lambda grad: reshard_local(grad, shape, mesh, shares, target),
        )

    def _shares(self, placements):
        """Return the placements of the local gradients of an input: partial along
        mesh dims that shard the result, but not the input."""
        return [
            dist.Partial() if out.is_shard() and not own.is_shard() else own
            for own, out in zip(placements, self.out_placements)
        ]


def infer_layout(name, tensors, attrs=()):
    """Infer the placements of inputs and result by the SPMD rule."""
    mesh = mesh_of(tensors[0])
    inputs, outputs = core.get_phi_spmd_rule(name).infer_forward(
        *[DistTensorSpec(t.shape, _dist_attr(t)) for t in tensors], *attrs
    )
    *inputs, out = [
        dims_mapping_to_placements(attr.multi_dims_mapping, mesh)
        for attr in [*inputs, outputs[0]]
    ]
    return inputs, out


def _dist_attr(tensor):
    dims_mapping, _ = placemetns_to_dist_status(tensor.placements, tensor.ndim)
    attr = TensorDistAttr()
    # The rules support one mesh dim per tensor dim and keep the largest. Keep the
    # first instead: resharding from the largest to all of them permutes parts.
    attr.multi_dims_mapping = [mesh_dims[:1] for mesh_dims in dims_mapping]
    attr.process_mesh = mesh_of(tensor)
    return attr
