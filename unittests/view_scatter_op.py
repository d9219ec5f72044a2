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

import numpy as np
from scatter_op_utils import OpChecks


class ScatterOpChecks(OpChecks):
    """A test case sets `op`, `x_shape`, `options`, and `row`, which makes a Case
    of a name, a shape and options."""

    grad_inputs = None  # x and the values

    def setUp(self):
        self.op_type = self.op.name
        self.python_api = self.op.function
        self.public_python_api = self.op.function
        self.rng = np.random.default_rng(2026)
        case = type(self).row('', self.x_shape, *self.options)
        arrays = {name: self.make(s) for name, s in case.inputs.items()}
        self.dtype = arrays['x'].dtype.type
        self.inputs, self.attrs = arrays, case.options
        self.grad_inputs = self.grad_inputs or tuple(arrays)
        self.outputs = {'out': case.reference(self.op, arrays)}
