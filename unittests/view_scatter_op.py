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
"""select_scatter and diagonal_scatter in OpTest form: tests for both."""

import inspect

import numpy as np
from scatter_op_utils import OpChecks
from view_scatter_cases import fast_scatter, random_pair


class ScatterOpChecks(OpChecks):
    """A test case sets `op`, `x_shape` and `attributes`."""

    grad_inputs = None  # x and the values

    def setUp(self):
        self.op_type = self.op.name
        self.python_api = self.op.function
        self.public_python_api = self.op.function
        self.rng = np.random.default_rng(2026)
        x, values = random_pair(
            self.op, self.make, self.x_shape, self.attributes
        )
        self.dtype = x.dtype.type
        self.inputs = self.op.named(x, values)
        self.grad_inputs = self.grad_inputs or tuple(self.inputs)
        names = list(inspect.signature(self.op.function).parameters)[2:]
        self.attrs = dict(zip(names, self.attributes))
        self.outputs = {
            'out': fast_scatter(self.op, x, values, self.attributes)
        }
