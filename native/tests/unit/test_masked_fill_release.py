"""Scalars in paddle.masked_fill, compared with the released Paddle 3.3.1.

The release runs in its own interpreter, which imports this module, too.
"""

import numpy as np
from fuzz.arrays import (
    ALL_DTYPES,
    assert_same_bits,
    to_paddle,
    to_storage,
)
from processes import released_answers
from programs import run_program, static_mode

import paddle

INFINITY, NAN = float('inf'), float('nan')
NUMBERS = (
    *(True, False, 0, 2, -1, 1j, 0j, 2.7, -2.7, -0.9, 0.1, 0.5, -1.0),
    # around the ranges of the integer dtypes
    *(127, 128, -128, -129, 255, 255.9, 256, -255, -256, 300),
    *(32767, 32768, -32768, 2**31 - 1, 2**31, 2.0**31, -(2**31)),
    *(2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, 2.0**62, 2.0**63),
    *(-(2**63), -(2.0**63), -(2**63) - 1),
    # around the ranges of the floating-point dtypes
    *(65519.0, -65519, 65520, 3.3895e38, 3.4e38, 3.4028235e38, 3.4028236e38),
    *(-1e9, 1e39, 1e308, 2**100, -(2**200), 10**400, -(10**400)),
    *(INFINITY, -INFINITY, NAN),
    *(np.bool_(True), np.uint8(3), np.int64(2**53 + 1), np.float16(0.5)),
    *(np.float32(0.1), np.longdouble(0.1), np.complex64(1 + 2j)),
    *(1.5 + 2.5j, 0.1 + 0.2j, 3 + 2j, 300 + 1j, complex(0, 1e39)),
    *(complex(NAN, -INFINITY), complex(1, NAN), complex(NAN, 0)),
    *('1.5', '-inf', 'inf', 'nan', '-1e9', ' 3 ', '2.7', '0', '0.5', '300'),
    '-0',
    # not numeric
    *('abc', '', 'False', '1+2j', '0x10', '1,5'),
)
# Programs of every scalar in every dtype are slow.
PROGRAM_DTYPES = 'bool', 'int64', 'float16'
MASK = np.array([True, False, True])


def ones(dtype):
    return to_storage(np.ones(3), dtype)


def fill(dtype, value):
    x, mask = to_paddle(ones(dtype)), to_paddle(MASK)
    return paddle.masked_fill(x, mask, value).numpy()


def fill_in_place(dtype, value):
    x, mask = to_paddle(ones(dtype)), to_paddle(MASK)
    return paddle.masked_fill_(x, mask, value).numpy()


def fill_in_program(dtype, value):
    def build(data):
        return [paddle.masked_fill(**data, value=value)]

    with static_mode():
        return run_program(build, {'x': ones(dtype), 'mask': MASK})[0]


def try_call(function, *args):
    """Return the result as an array, or the name of the error."""
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__


def answers():
    """Return the results of this Paddle."""
    results = {}
    for i, number in enumerate(NUMBERS):
        # paddle.full in a program of the release crashes beyond the float range.
        crashes = isinstance(number, int) and abs(number) > 2**1000
        for dtype in ALL_DTYPES:
            ways = [fill, fill_in_place]
            if dtype in PROGRAM_DTYPES and not crashes:
                ways.append(fill_in_program)
            for way in ways:
                key = i, dtype, way.__name__
                results[key] = try_call(way, dtype, number)
    return results


def test_results_equal_those_of_the_release():
    released, ours = released_answers(__file__), answers()
    assert [*released] == [*ours]
    num_calls = 0
    for key, theirs in released.items():
        if isinstance(theirs, str) or isinstance(ours[key], str):
            continue  # out of range: the release stores another number
        if key[1:] == ('int64', 'fill_in_program'):
            continue  # the release converts constants of programs to double
        num_calls += 1
        assert_same_bits(ours[key], theirs, key)
    assert num_calls == 1558  # the others are out of range
