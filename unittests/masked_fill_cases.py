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
"""masked_fill in numpy, its table, and the numbers that it takes and refuses."""

import numpy as np
from masked_cases import masked_cases
from op_table import Case, Operator
from scatter_test_utils import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    FLOAT_DTYPES,
    HALF_DTYPES,
    INT_DTYPES,
    dtype_name,
    to_storage,
)

INFINITY = float('inf')
NAN = float('nan')
REAL_DTYPES = HALF_DTYPES + FLOAT_DTYPES


def reference_masked_fill(x, mask, value):
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(())  # may have more dims than the result
    elif not isinstance(value, np.ndarray):
        value = to_storage(value, dtype_name(x))
    return np.where(mask, value, x)


OP = Operator(
    'masked_fill',
    inputs=('x', 'mask', 'value'),
    differentiable=('x', 'value'),
    reference=reference_masked_fill,
)
CASES = masked_cases(
    (
        ('0-D value', (5, 7), (5, 7), 0.5, ()),
        ('value of one element', (5, 7), (5, 7), 0.5, (1,)),
        ('value row', (5, 7), (5, 7), 0.5, (7,)),
        ('value row with an axis', (5, 7), (5, 7), 0.5, (1, 7)),
        ('value row, many True', (11, 13), (11, 13), 0.95, (13,)),
        ('value column', (5, 7), (5, 7), 0.5, (5, 1)),
        (
            'value over the inner axis',
            (2, 3, 4, 5),
            (2, 3, 4, 5),
            0.5,
            (3, 1, 5),
        ),
        ('value row, column mask', (5, 7), (5, 1), 0.5, (7,)),
        ('value column, middle axis', (3, 4, 5), (3, 1, 5), 0.5, (4, 1)),
        ('value row, mask of one element', (3, 4), (1,), 1.0, (4,)),
        ('value column, 0-D mask', (3, 4), (), 1.0, (3, 1)),
        ('value column, 0-D mask, False', (3, 4), (), 0.0, (3, 1)),
        ('value column, x row', (7,), (5, 7), 0.5, (5, 1)),
        ('x and value of one element', (1, 1), (5, 7), 0.5, (1, 1)),
        ('0-D x and value', (), (5, 7), 0.5, ()),
        ('three ways', (3, 1, 5), (4, 1), 0.5, (1, 5)),
        ('value row, x of no element', (0, 3), (0, 3), 0.5, (3,)),
        ('0-D value, mask of no element', (1, 3), (0, 3), 0.5, ()),
        ('value of one element, 0-D x', (), (2, 0), 0.5, (1,)),
        ('value of one element, more dims', (3,), (3,), 0.5, (1, 1)),
    )
)
OP_OF_NUMBER = Operator(
    'masked_fill',
    inputs=('x', 'mask'),
    differentiable=('x',),
    reference=reference_masked_fill,
)
CASES_OF_NUMBER = [
    Case(case.name, case.inputs, {'value': 1}) for case in masked_cases(())
]

# (number, dtypes, what is stored)
ACCEPTED = (
    (True, ALL_DTYPES, 1),
    (False, ALL_DTYPES, 0),
    (0, ALL_DTYPES, 0),
    (2.7, INT_DTYPES, 2),
    (-2.7, INT_DTYPES[1:], -2),
    (-2.7, ('uint8',), 254),
    (-0.9, INT_DTYPES, 0),
    (255, ('uint8', 'int16', 'int32', 'int64'), 255),
    (255.9, ('uint8',), 255),
    # an unsigned type counts down from its largest number
    (-1, ('uint8',), 255),
    (-1.0, ('uint8',), 255),
    (-255, ('uint8',), 1),
    (-128, ('int8',), -128),
    (127, ('int8',), 127),
    (-32768, ('int16',), -32768),
    (32767, ('int16',), 32767),
    (-(2**31), ('int32', 'int64'), -(2**31)),
    (2**31 - 1, ('int32', 'int64'), 2**31 - 1),
    (2**53 + 1, ('int64',), 2**53 + 1),
    (-(2**53) - 1, ('int64',), -(2**53) - 1),
    (2**63 - 1, ('int64',), 2**63 - 1),
    (-(2**63), ('int64',), -(2**63)),
    (-(2.0**63), ('int64',), -(2**63)),
    (2.0**62, ('int64',), 2**62),
    (2, ('bool',), True),
    (0.5, ('bool',), True),
    (-1, ('bool',), True),
    (1j, ('bool',), True),
    (0j, ('bool',), False),
    (NAN, ('bool',), True),
    (INFINITY, ('bool',), True),
    (0.1, FLOAT_DTYPES + COMPLEX_DTYPES, 0.1),
    (2**100, FLOAT_DTYPES + COMPLEX_DTYPES + ('bfloat16',), 2.0**100),
    (3.4028235e38, ('float32', 'complex64'), 3.4028235e38),
    (1e308, ('float64', 'complex128'), 1e308),
    (65519.0, ('float16',), 65504),
    (-65519, ('float16',), -65504),
    (3.3895e38, ('bfloat16',), 2.0**128 - 2.0**120),
    # too large: infinite
    (65520, ('float16',), INFINITY),
    (-1e9, ('float16',), -INFINITY),
    (1e39, (*HALF_DTYPES, 'float32', 'complex64'), INFINITY),
    (-(2**200), (*HALF_DTYPES, 'float32', 'complex64'), -INFINITY),
    (3.4028236e38, ('float32', 'complex64'), INFINITY),
    (3.4e38, ('bfloat16',), INFINITY),
    (10**400, REAL_DTYPES + COMPLEX_DTYPES, INFINITY),
    (-(10**400), REAL_DTYPES + COMPLEX_DTYPES, -INFINITY),
    (complex(0, 1e39), ('complex64',), complex(0, INFINITY)),
    (INFINITY, REAL_DTYPES + COMPLEX_DTYPES, INFINITY),
    (-INFINITY, REAL_DTYPES, -INFINITY),
    (NAN, REAL_DTYPES, NAN),
    # numbers of numpy
    (np.bool_(True), ('bool',), True),
    (np.uint8(3), ('uint8',), 3),
    (np.int64(2**53 + 1), ('int64',), 2**53 + 1),
    (np.float16(0.5), ('float16',), 0.5),
    (np.float32(0.1), ('float32', 'float64'), np.float32(0.1)),
    (np.longdouble(0.1), ('float64',), 0.1),
    (np.complex64(1 + 2j), ('complex64',), 1 + 2j),
    # complex
    (1.5 + 2.5j, COMPLEX_DTYPES, 1.5 + 2.5j),
    (0.1 + 0.2j, COMPLEX_DTYPES, 0.1 + 0.2j),
    (complex(NAN, -INFINITY), COMPLEX_DTYPES, complex(NAN, -INFINITY)),
    (3 + 2j, INT_DTYPES + REAL_DTYPES, 3),
    (complex(1, NAN), INT_DTYPES + REAL_DTYPES, 1),
    # text
    ('1.5', REAL_DTYPES + COMPLEX_DTYPES, 1.5),
    ('-inf', REAL_DTYPES + COMPLEX_DTYPES, -INFINITY),
    ('nan', REAL_DTYPES, NAN),
    ('-1e9', ('float16',), -INFINITY),
    (' 3 ', INT_DTYPES + REAL_DTYPES, 3),
    ('2.7', INT_DTYPES, 2),
    ('0', ('bool',), False),
    ('0.5', ('bool',), True),
)

# number, dtypes that cannot hold it
REJECTED = (
    (300, ('uint8', 'int8')),
    (256, ('uint8',)),
    (-256, ('uint8',)),
    (128, ('int8',)),
    (-129, ('int8',)),
    (32768, ('int16',)),
    (2**31, ('int32',)),
    (2.0**31, ('int32',)),
    (2**63, ('int64',)),
    (2.0**63, ('int64',)),
    (-(2**63) - 1, ('int64',)),
    (2**100, INT_DTYPES),
    (10**400, INT_DTYPES),
    (INFINITY, INT_DTYPES),
    (-INFINITY, INT_DTYPES),
    (NAN, INT_DTYPES),
    ('inf', INT_DTYPES),
    ('300', ('uint8', 'int8')),
    (300 + 1j, ('uint8', 'int8')),
    (complex(NAN, 0), INT_DTYPES),
)

NOT_NUMERIC = ('abc', '', 'False', '1+2j', '0x10', '1,5')
