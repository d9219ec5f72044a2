"""Scalars that masked_fill accepts or rejects, by dtype."""

import numpy as np
from fuzz.arrays import (
    ALL_DTYPES,
    COMPLEX_DTYPES,
    FLOAT_DTYPES,
    HALF_DTYPES,
    INT_DTYPES,
)

INFINITY = float('inf')
NAN = float('nan')
REAL_DTYPES = HALF_DTYPES + FLOAT_DTYPES

# (scalar, dtypes, stored element)
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
    # negative scalars wrap around
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
    # out of range: infinity
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
    # numpy scalars
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

# (scalar, dtypes that cannot represent it)
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
