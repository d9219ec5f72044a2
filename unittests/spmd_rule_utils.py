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

"""Ask the SPMD rule of an operator, with layouts in place of Tensors."""

from paddle.distributed import ProcessMesh
from paddle.distributed.auto_parallel.static.dist_attribute import (
    DistTensorSpec,
    TensorDistAttr,
)
from paddle.framework import core

MESH = ProcessMesh([[0, 1, 2], [3, 4, 5]])


def spec(shape, dims_mapping, partial=()):
    """A Tensor of that shape on MESH: for each of its dims the dim of the mesh
    that splits it, or -1; `partial` are the dims with a sum pending."""
    attr = TensorDistAttr()
    attr.dims_mapping = dims_mapping
    attr.process_mesh = MESH
    if partial:
        attr._set_partial_dims(list(partial))
    return DistTensorSpec(shape, attr)


def _mappings(attrs):
    for attr in attrs:
        assert not attr._is_partial()
    return [attr.dims_mapping for attr in attrs]


def forward(rule, specs, *attrs):
    """The layouts of the inputs and of the outputs; none may be partial."""
    found = core.get_phi_spmd_rule(rule).infer_forward(*specs, *attrs)
    return [_mappings(attrs) for attrs in found]


def backward(rule, specs, *attrs):
    """The same, of what is known of the outputs, which come after the inputs."""
    found = core.get_phi_spmd_rule(rule).infer_backward(*specs, *attrs)
    return [_mappings(attrs) for attrs in found]
