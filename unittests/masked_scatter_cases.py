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
"""masked_scatter in numpy, and the table of its tests."""

import numpy as np
from masked_cases import masked_cases
from op_table import Operator


def reference_masked_scatter(x, mask, value):
    """The k-th True takes the k-th element of value."""
    shape = np.broadcast_shapes(x.shape, mask.shape)
    out = np.array(np.broadcast_to(x, shape))
    where = np.broadcast_to(mask, shape)
    out[where] = value.reshape(-1)[: np.count_nonzero(where)]
    return out


OP = Operator(
    'masked_scatter',
    inputs=('x', 'mask', 'value'),
    differentiable=('x', 'value'),
    reference=reference_masked_scatter,
    orders=5,
)
CASES = masked_cases(
    (
        ('value of one axis', (3, 4, 5), (3, 1, 5), 0.5, (60,)),
        ('0-D x and mask', (), (), 1.0, (3,)),
        ('more values than needed', (5, 7), (5, 7), 0.5, (9, 11)),
        ('value of another shape', (4, 6), (4, 6), 0.5, (2, 3, 4)),
        ('values for no element', (0, 3), (3,), 0.5, (4,)),
        ('values for a mask of no element', (), (2, 0), 0.5, (4,)),
        ('value of no element', (3, 4), (3, 4), 0.0, (0,)),
        ('value of no element, 2-D', (3, 4), (3, 4), 0.0, (2, 0)),
    )
)
