"""Operators on distributed Tensors, in dygraph.

A call reshards its inputs by its plan, runs the operator on the local parts and
returns a distributed Tensor. The local call records the gradient of dense Tensors.
The maps to the parts and back are nodes of Paddle's backward graph that call
Python (native/distributed/callback_node.h), since PyLayer and Paddle's own
reshard nodes fail in a second backward.
Installed as paddle._native_distributed.
"""

import paddle.distributed as dist
from paddle import _native_lib as _lib
from paddle._native_dist_layout import copied, place_in_mesh, placements_of
from paddle._native_dist_masked import PLANS
from paddle._native_dist_plans import Plan, linear
from paddle.base import core


def run(op, tensors, attrs):
    """Run a call with at least one distributed Tensor."""
    plan = _make_plan(op, tensors, attrs)
    return plan.result(plan.call(tensors))


def run_inplace(op, tensors, attrs):
    """Run a call, write its result into the in-place input and return the input."""
    x = tensors[op.inplace_input]
    plan = _make_plan(op, tensors, attrs)
    if plan.out_shape != list(x.shape):
        raise ValueError(
            f'({op.name}_) The shape of the result should be the shape of '
            f'{op.inputs[op.inplace_input].name}, {list(x.shape)}, but received '
            f'{plan.out_shape}.'
        )
    needs_grad = plan.requires_grad(tensors)
    if needs_grad and op.reads_overwritten:
        tensors = list(tensors)
        tensors[op.inplace_input] = linear(
            op.name, x, copied, lambda grad: grad
        )
    out = plan.result(plan.call(tensors), placements_of(x))
    core.eager.ops.assign_out_(
        out._local_value().detach(), x._local_value().detach()
    )
    if needs_grad:
        _lib.rebase_history(x, out)
    return x


def _make_plan(op, tensors, attrs):
    _replicate_dense(op, tensors)
    return PLANS.get(op.name, Plan)(op, tensors, attrs)


def _replicate_dense(op, tensors):
    """Convert dense Tensors to replicated ones in place, as Paddle's operators do;
    raise for Tensors on different meshes."""
    like = next(t for t in tensors if t.is_dist())
    for one, tensor in zip(op.inputs, tensors):
        if not tensor.is_dist():
            _lib.to_distributed(tensor, like)
        if tensor.process_mesh != like.process_mesh:
            raise ValueError(
                f'({op.name}) The mesh of {one.name} should be the mesh of the other '
                f'Tensors, {like.process_mesh}, but received '
                f'{tensor.process_mesh}. Use paddle.distributed.reshard.'
            )
    if place_in_mesh(like.process_mesh) is None:
        raise NotImplementedError(
            f'({op.name}) The rank should be in the mesh of the Tensors, '
            f'{like.process_mesh}, but received rank {dist.get_rank()}.'
        )
