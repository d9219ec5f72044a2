"""The operators on distributed Tensors, in dygraph.

A call reshards its inputs as its plan says, runs the kernel on the local parts
and returns a distributed Tensor. Its gradient is a node of Paddle's backward
graph that calls back into Python (native/distributed/callback_node.h): a PyLayer
and the node of a custom operator both fail in a second backward.
Installed as paddle._native_distributed.
"""

from contextlib import nullcontext

import paddle
import paddle.distributed as dist
from paddle import _native_lib as _lib
from paddle._native_dist_layout import (
    assemble,
    part,
    place_in_mesh,
    placements_of,
    reshard,
    settled,
)
from paddle._native_dist_masked import PLANS
from paddle._native_dist_plans import Plan
from paddle._native_modes import has_grad
from paddle.base import core


def run(op, tensors, attrs):
    """A call, at least one of whose Tensors is distributed."""
    call = Call(op, tensors, attrs)
    out = call.forward()
    if op.wants_gradient(tensors):
        call.keep_for_gradient()
        call.record(tensors, out)
    return out


def run_inplace(op, tensors, attrs, x):
    """The same with the result written into `x`, which is returned."""
    call = Call(op, tensors, attrs)
    if not x.is_dist() or call.plan.out_shape != list(x.shape):
        raise ValueError(
            f'({op.name}_) the result must have the shape of '
            f'{op.inputs[op.inplace_input]}, which is changed in place, '
            f'{list(x.shape)}, but it would have the shape '
            f'{call.plan.out_shape}.'
        )
    wants = op.wants_gradient(tensors)
    out = reshard(call.forward(), x.placements)
    if wants:
        call.keep_for_gradient(overwritten=x)
        call.record(tensors, out)
    core.eager.ops.assign_out_(
        out._local_value().detach(), x._local_value().detach()
    )
    if wants:
        _lib.take_history(x, out)
    return x


def _on_one_mesh(op, tensors):
    """Makes dense Tensors replicated ones, as Paddle's operators do."""
    like = next(t for t in tensors if t.is_dist())
    for name, tensor in zip(op.inputs, tensors):
        if not tensor.is_dist():
            _lib.to_distributed(tensor, like)
        if tensor.process_mesh != like.process_mesh:
            raise ValueError(
                f'({op.name}) {name} must be on the mesh of the other Tensors, '
                f'{like.process_mesh}, but it is on {tensor.process_mesh}: '
                f'move it with paddle.distributed.reshard.'
            )
    if place_in_mesh(like.process_mesh) is None:
        raise NotImplementedError(
            f'({op.name}) this process, rank {dist.get_rank()}, is not in the '
            f'mesh of the Tensors, {like.process_mesh}: call the operator on '
            f'the ranks of the mesh only.'
        )


class Slot:
    """What a gradient has to know of its input."""

    def __init__(self, tensor, placements, local_shape):
        self.shape = list(tensor.shape)
        self.local_shape = local_shape
        self.dtype = tensor.dtype
        self.wanted = not tensor.stop_gradient
        self.placements = placements  # in the local call
        self.grad_placements = _summed(placements_of(tensor))


def _summed(placements):
    """Where `placements` have sums pending, these done."""
    return [dist.Replicate() if p.is_partial() else p for p in placements]


class Call:
    """One call: forward, its gradient (pull), and the gradient of that (push).

    An operator whose gradient does not read what it overwrites is linear in
    the inputs that have a gradient, so push is the operator itself, and the
    gradient of that is pull. It is the last order, as it is in YAML.
    """

    def __init__(self, op, tensors, attrs):
        _on_one_mesh(op, tensors)
        self.op = op
        self.plan = PLANS.get(op.name, Plan)(op, tensors, attrs)
        self.whole = [
            reshard(tensor, placements)
            for tensor, placements in zip(tensors, self.plan.input_placements)
        ]
        parts = [part(tensor) for tensor in self.whole]
        self.shapes = [list(local.shape) for local in parts]
        self.plan.prepare(parts)
        self.slots = {
            i: Slot(tensors[i], self.plan.input_placements[i], self.shapes[i])
            for i in op.differentiable
        }

    def forward(self):
        return self._run([part(tensor) for tensor in self.whole])

    def _run(self, parts):
        plan = self.plan
        local = plan.forward(parts)
        if local is NotImplemented:
            self.op.refuse(parts)
        return assemble(local, plan.out_shape, plan.mesh, plan.out_placements)

    def keep_for_gradient(self, overwritten=None):
        """Holds on to what the gradient reads, and to nothing else."""
        self.kept = {}
        for i in self.plan.reads:
            tensor = self.whole[i]
            if tensor is overwritten:
                tensor = assemble(
                    part(tensor).clone(),
                    tensor.shape,
                    self.plan.mesh,
                    tensor.placements,
                )
            self.kept[i] = (tensor.detach(), tensor.inplace_version)
        self.whole = None

    def _kept_parts(self):
        found = [None] * len(self.op.inputs)
        for i, (tensor, version) in self.kept.items():
            if tensor.inplace_version != version:
                raise RuntimeError(
                    f'({self.op.name}_grad) {self.op.inputs[i]} was changed in '
                    f'place after the call, but the gradient needs it as it '
                    f'was.'
                )
            found[i] = part(tensor)
        return found

    def record(self, tensors, out):
        """Connects `out` to those of `tensors` that want a gradient."""
        placements = _summed(placements_of(out))
        inputs = [
            tensors[i] if slot.wanted else None
            for i, slot in self.slots.items()
        ]
        _record(
            self.op.name,
            inputs,
            [out],
            lambda grads: self.pull(grads[0], placements),
        )

    def _refuse_further(self, order):
        """Raises where a graph is asked for of the last order, `grad` or
        `double_grad`."""
        if has_grad():
            # The words of Paddle's own nodes.
            raise RuntimeError(
                f"The Op {self.op.name}_{order} doesn't have any grad op. If "
                f"you don't intend calculating higher order derivatives, "
                f"please set `create_graph`to False."
            )

    def pull(self, grad, out_placements):
        """The gradients of the inputs for `grad`, that of the result."""
        if self.op.reads_overwritten:
            self._refuse_further('grad')
        plan = self.plan
        found = plan.backward(
            self._kept_parts(),
            self.shapes,
            part(reshard(grad, plan.out_placements)),
        )
        results = [None] * len(found)
        for n, (slot, (local, placements)) in enumerate(
            zip(self.slots.values(), found)
        ):
            if slot.wanted:
                results[n] = settled(
                    local,
                    slot.shape,
                    plan.mesh,
                    placements,
                    slot.grad_placements,
                )
        if has_grad() and not grad.stop_gradient:
            _record(
                self.op.name + '_grad',
                [grad],
                [result for result in results if result is not None],
                lambda tangents: [self.push(tangents, out_placements)],
            )
        return results

    def push(self, tangents, out_placements):
        """The gradient of pull, where `tangents` belong to the gradients that
        it computed: None stands for zeros. It is the last order."""
        self._refuse_further('double_grad')
        tangents = iter(tangents)
        given = {
            i: next(tangents) if slot.wanted else None
            for i, slot in self.slots.items()
        }
        parts = self._kept_parts()
        for i, tangent in given.items():
            slot = self.slots[i]
            parts[i] = (
                paddle.zeros(slot.local_shape, slot.dtype)
                if tangent is None
                else part(reshard(tangent, slot.placements))
            )
        return reshard(self._run(parts), out_placements)


def _record(name, inputs, outputs, backward):
    def call(create_graph, grads):
        with nullcontext() if create_graph else paddle.no_grad():
            return backward(grads)

    _lib.record_callback(name, call, inputs, outputs)
