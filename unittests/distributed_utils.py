# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""What the modules that run on several ranks share."""

import sys
import unittest

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate

LINE = dist.ProcessMesh([0, 1], dim_names=['x'])
PLANE = dist.ProcessMesh([[0, 1]], dim_names=['dp', 'mp'])


def run_tests():
    """The tests of the main module, on each rank. The first failure ends the
    rank, so that it does not leave the others waiting in a later test."""
    paddle.set_device('cpu')
    dist.init_parallel_env()
    result = unittest.main(exit=False, failfast=True, verbosity=2).result
    sys.exit(not result.wasSuccessful())


def shard(array, *placements, grad=False, mesh=LINE):
    tensor = dist.shard_tensor(paddle.to_tensor(array), mesh, list(placements))
    tensor.stop_gradient = not grad
    return tensor


def whole(tensor):
    """All elements, on every rank."""
    if tensor is None:
        return None
    if not tensor.is_dist():
        return tensor.numpy()
    mesh = tensor.process_mesh
    placements = [Replicate() for _ in mesh.shape]
    return dist.reshard(tensor, mesh, placements)._local_value().numpy()


def floats(*shape, seed=0):
    return np.asarray(np.random.RandomState(seed).rand(*shape), 'float32')


def mask_of(*shape, seed=0):
    return np.random.RandomState(seed).rand(*shape) > 0.5


def _other(like, seed):
    """A Tensor of numbers of its own, with the shape of `like`."""
    array = floats(*like.shape, seed=seed)
    if like.is_dist():
        mesh = like.process_mesh
        return shard(
            array, *[Replicate() for _ in mesh.shape], grad=True, mesh=mesh
        )
    return paddle.to_tensor(array, stop_gradient=False)


def first_order(f, tensors):
    """f and its gradients, twice over the same graph. Not by paddle.grad,
    which crashes on a distributed grad_outputs unless create_graph is set."""
    out = f(*tensors)
    loss = (out * out).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    return [out, *(t.grad for t in tensors if not t.stop_gradient)]


def second_order(f, tensors):
    """f, its gradients for some out_grad, and the gradient of those."""
    out = f(*tensors)
    wanted = [t for t in tensors if not t.stop_gradient]
    out_grad = _other(out, 1)
    grads = paddle.grad(
        [out], wanted, grad_outputs=[out_grad], create_graph=True
    )
    # Not by paddle.grad, as above: here the graph ends.
    tangents = [_other(grad, 2 + i) for i, grad in enumerate(grads)]
    sum((g * t).sum() for g, t in zip(grads, tangents)).backward()
    return [out, *grads, out_grad.grad]


def assert_like_dense(case, f, arguments, second=True, mesh=LINE):
    """`arguments`: (array, placements, whether it wants a gradient). Returns
    the placements of the result and of the gradients."""
    dense = [
        paddle.to_tensor(array, stop_gradient=not grad)
        for array, _, grad in arguments
    ]
    parts = [
        shard(array, *placements, grad=grad, mesh=mesh)
        for array, placements, grad in arguments
    ]
    derive = second_order if second else first_order
    want, got = derive(f, dense), derive(f, parts)
    for one, other in zip(got, want):
        case.assertEqual(one.shape, other.shape)
        np.testing.assert_allclose(whole(one), other.numpy(), rtol=1e-6)
    return [list(tensor.placements) for tensor in got]
