"""How the inputs of an operator lie for the local calls, and those calls.

Installed as paddle._native_dist_plans.
"""

import paddle.distributed as dist
from paddle import _native_lib as _lib
from paddle._native_dist_layout import mesh_of
from paddle.base import core
from paddle.distributed.auto_parallel.placement_type import (
    dims_mapping_to_placements,
    placemetns_to_dist_status,
)
from paddle.distributed.auto_parallel.static.dist_attribute import (
    DistTensorSpec,
    TensorDistAttr,
)


class Plan:
    """A call whose local results are the parts of the whole one.

    The rule that auto-parallel has for the operator decides how its inputs
    lie. The first of them gives the result its layout.
    """

    def __init__(self, op, tensors, attrs):
        self.op, self.attrs = op, attrs
        self.mesh = mesh_of(tensors[0])
        # Found from the whole shapes, so that every rank has the same error.
        shapes = op.infer(
            [list(t.shape) for t in tensors],
            [t.dtype.value for t in tensors],
            *attrs,
        )
        self.out_shape = list(shapes[0])
        self.lay_out(tensors)

    # The positions of the inputs that the gradient reads.
    @property
    def reads(self):
        everything = range(len(self.op.inputs))
        if self.op.reads_overwritten:
            return list(everything)
        return [i for i in everything if i not in self.op.differentiable]

    def lay_out(self, tensors):
        self.input_placements, self.out_placements = infer_layout(
            self.op.name, tensors, self.attrs
        )

    def prepare(self, parts):
        """Called once with the local inputs, before the local calls."""

    def forward(self, parts):
        return self.op.call(*parts, *self.attrs)

    def backward(self, parts, shapes, grad):
        """The gradients of the differentiable inputs and how they lie."""
        gradient = getattr(_lib, f'gradient_{self.op.name}_grad')
        reads = self.reads
        given = [
            parts[i] if i in reads else shapes[i]
            for i in range(len(self.op.inputs))
        ]
        found = gradient(*given, grad, *self.attrs)
        return self.shares_of_gradients(found)

    def shares_of_gradients(self, parts):
        """Local gradients and how they lie: a sum is pending along the dims of
        the mesh that split the result, but not the input."""
        return [
            (
                local,
                [
                    dist.Partial()
                    if out.is_shard() and not own.is_shard()
                    else own
                    for own, out in zip(
                        self.input_placements[i], self.out_placements
                    )
                ],
            )
            for i, local in zip(self.op.differentiable, parts)
        ]


def infer_layout(name, tensors, attrs=()):
    """What the SPMD rule of an operator says: the placements of the inputs, and
    those of the result."""
    mesh = mesh_of(tensors[0])
    inputs, outputs = core.get_phi_spmd_rule(name).infer_forward(
        *[DistTensorSpec(t.shape, _dist_attr(t)) for t in tensors], *attrs
    )
    # As in Paddle's operators, one dim of the mesh splits a dim.
    *inputs, out = [
        dims_mapping_to_placements(
            [mesh_dims[:1] for mesh_dims in attr.multi_dims_mapping], mesh
        )
        for attr in [*inputs, outputs[0]]
    ]
    return inputs, out


def _dist_attr(tensor):
    dims_mapping, _ = placemetns_to_dist_status(tensor.placements, tensor.ndim)
    attr = TensorDistAttr()
    attr.multi_dims_mapping = dims_mapping
    attr.process_mesh = mesh_of(tensor)
    return attr
