"""Operators on distributed Tensors, in dygraph.

A call reshards its inputs by its plan, runs the operator on the local parts and
returns a distributed Tensor. The local call records the gradient of dense Tensors.
The maps to the parts and back are nodes of Paddle's backward graph that call
Python (native/distributed/callback_node.h), since PyLayer and Paddle's own
reshard nodes fail in a second backward.
Installed as paddle._native_distributed.
"""

import paddle
from paddle._native_dist_masked import PLANS
from paddle.tensor.manipulation import _refuse_leaf_in_place


def run(op, tensors, attrs):
    """Run a call on distributed Tensors of one mesh."""
    return PLANS[op.name](op, tensors, attrs).run(tensors)


def run_inplace(op, tensors, attrs):
    """Run a call, write its result into the in-place input and return the input."""
    x = tensors[op.inplace_input]
    _refuse_leaf_in_place(f'{op.name}_', x)
    plan = PLANS[op.name](op, tensors, attrs)
    if plan.out_shape != list(x.shape):
        raise ValueError(
            f'({op.name}_) The shape of the result should be the shape of '
            f'{op.inputs[op.inplace_input].name}, {list(x.shape)}, but received '
            f'{plan.out_shape}.'
        )
    if op.reads_overwritten and paddle.is_grad_enabled():
        tensors = list(tensors)
        tensors[op.inplace_input] = x.clone()
    return plan.run(tensors, out=x)
