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

import unittest

from op_test import OpTest, skip_check_grad_ci
from view_scatter_cases import SELECT
from view_scatter_op_checks import NO_GRADIENT, ZERO_SIZE, ScatterOpChecks


class TestSelectScatterOp(ScatterOpChecks, OpTest):
    op = SELECT
    x_shape = (12, 110)
    attributes = (0, 5)


class TestSelectScatterOpLastAxis(TestSelectScatterOp):
    x_shape = (110, 12)
    attributes = (1, 5)


class TestSelectScatterOpNegativeAxisAndIndex(TestSelectScatterOp):
    attributes = (-2, -3)


class TestSelectScatterOpMiddleAxis(TestSelectScatterOp):
    x_shape = (11, 3, 10)
    attributes = (1, 2)


class TestSelectScatterOpFourAxes(TestSelectScatterOp):
    x_shape = (10, 3, 2, 10)
    attributes = (2, 0)


class TestSelectScatterOpValuesWithoutDims(TestSelectScatterOp):
    x_shape = (120,)
    attributes = (0, 7)


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestSelectScatterOpNoElement(TestSelectScatterOp):
    x_shape = (0, 110)
    attributes = (1, 7)


class TestSelectScatterFP16Op(TestSelectScatterOp):
    dtype_name = 'float16'


class TestSelectScatterBF16Op(TestSelectScatterOp):
    dtype_name = 'bfloat16'


class TestSelectScatterComplex64Op(TestSelectScatterOp):
    dtype_name = 'complex64'


class TestSelectScatterComplex128Op(TestSelectScatterOp):
    dtype_name = 'complex128'


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestSelectScatterBoolOp(TestSelectScatterOp):
    dtype_name = 'bool'


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestSelectScatterUint8Op(TestSelectScatterOp):
    dtype_name = 'uint8'


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestSelectScatterInt8Op(TestSelectScatterOp):
    dtype_name = 'int8'


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestSelectScatterInt16Op(TestSelectScatterOp):
    dtype_name = 'int16'


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestSelectScatterInt32Op(TestSelectScatterOp):
    dtype_name = 'int32'


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestSelectScatterInt64Op(TestSelectScatterOp):
    dtype_name = 'int64'


if __name__ == '__main__':
    unittest.main()
