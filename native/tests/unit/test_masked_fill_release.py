"""Scalars in paddle.masked_fill, compared with the released Paddle 3.3.1.

Results are bitwise identical except for bugs of the release, which
right_answer() lists. The release runs in its own interpreter, which imports this
module, too.
"""

import itertools
import unittest

import numpy as np
from fill_numbers import ACCEPTED, NOT_NUMERIC, REJECTED
from fuzz.arrays import (
    ALL_DTYPES,
    INT_DTYPES,
    assert_same_bits,
    to_numbers,
    to_paddle,
    to_storage,
)
from processes import released_answers
from programs import load, run_program, save, static_mode

import paddle

NUMBERS = (*(row[0] for row in ACCEPTED + REJECTED), *NOT_NUMERIC)
# Programs of every scalar in every dtype are slow.
PROGRAM_DTYPES = 'bool', 'int64', 'float16'
LARGE = 2**62 + 1
MASK = np.array([True, False, True])


def ones(dtype):
    return to_storage(np.ones(3), dtype)


def fill(dtype, values):
    x, mask = to_paddle(ones(dtype)), to_paddle(MASK)
    return [paddle.masked_fill(x, mask, v).numpy() for v in values]


def fill_in_place(dtype, values):
    mask = to_paddle(MASK)
    return [
        paddle.masked_fill_(to_paddle(ones(dtype)), mask, v).numpy()
        for v in values
    ]


def fill_in_program(dtype, values):
    def build(data):
        return [paddle.masked_fill(**data, value=v) for v in values]

    with static_mode():
        return run_program(build, {'x': ones(dtype), 'mask': MASK})


WAYS = (fill, fill_in_place, fill_in_program)


def try_call(function, *args):
    """Return the result as an array, or the name of the error."""
    try:
        return function(*args)[0]
    except Exception as error:
        return type(error).__name__


def scalar_answers():
    for i, number in enumerate(NUMBERS):
        # paddle.full in a program of the release crashes beyond the float range.
        crashes = isinstance(number, int) and abs(number) > 2**1000
        for dtype in ALL_DTYPES:
            ways = [fill, fill_in_place]
            if dtype in PROGRAM_DTYPES and not crashes:
                ways.append(fill_in_program)
            for way in ways:
                yield (i, dtype, way.__name__), try_call(way, dtype, [number])


def fill_large(tensors):
    return paddle.masked_fill(*tensors, LARGE)


def answers(model):
    """Return the results of this Paddle; fill_large is saved as `model`."""
    tensors = [paddle.zeros([3], 'int64'), to_paddle(MASK)]
    return {
        **dict(scalar_answers()),
        'model': load(model)(tensors).numpy(),
    }


def fits(number, dtype):
    """Return whether an integer dtype represents a scalar after truncation."""
    try:
        number = float(number) if isinstance(number, str) else number
        whole = int(number.real)
    except (OverflowError, ValueError):  # infinity, NaN, not numeric
        return False
    info = np.iinfo(dtype)
    return (info.min or -info.max) <= whole <= info.max


def right_answer(release, key):
    """Return the result of the release, corrected if it is wrong."""
    i, dtype, way = key
    number = NUMBERS[i]
    if isinstance(number, str) and number in NOT_NUMERIC:
        return 'ValueError'
    if dtype in INT_DTYPES and not fits(number, dtype):
        return 'ValueError'
    exact = release[i, dtype, 'fill']
    if (dtype, way) == ('int64', 'fill_in_program'):
        # The release converts constants of programs to double.
        return release[key] if isinstance(exact, str) else exact
    return release[key]


class TestMaskedFillRelease(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        arrays = {'x': np.zeros(3, 'int64'), 'mask': MASK}
        with save(fill_large, arrays, known_dims=True) as model:
            cls.released = released_answers(__file__, model)
            cls.ours = answers(model)

    def test_results_equal_those_of_the_release(self):
        self.assertEqual([*self.released], [*self.ours])
        accepted = [
            key
            for key, theirs in self.released.items()
            if not isinstance(theirs, str) and key != 'model'
        ]
        self.assertGreaterEqual(len(accepted), 1500)
        for key in accepted:
            actual, expected = self.ours[key], right_answer(self.released, key)
            with self.subTest(call=key):
                if isinstance(expected, str):
                    self.assertEqual(actual, expected)
                else:
                    assert_same_bits(actual, expected)

    def test_release_preserves_large_integer_in_saved_program(self):
        expected = [LARGE, 0, LARGE]
        self.assertEqual(self.released['model'].tolist(), expected)


class TestMaskedFillNumbers(unittest.TestCase):
    def test_scalar_is_rounded_to_the_dtype(self):
        for dtype in ALL_DTYPES:
            rows = [row for row in ACCEPTED if dtype in row[1]]
            values, _, stored = zip(*rows)
            for way in WAYS:
                outs = way(dtype, values)
                for value, out, expected in zip(values, outs, stored):
                    with np.errstate(over='ignore'):
                        expected = to_storage(expected, dtype)
                    expected = np.where(MASK, expected, ones(dtype))
                    what = {'way': way.__name__, 'number': str(value)[:30]}
                    with self.subTest(dtype=dtype, **what):
                        np.testing.assert_array_equal(
                            to_numbers(out, dtype), to_numbers(expected, dtype)
                        )

    def test_scalar_out_of_range_raises(self):
        for value, dtypes in REJECTED:
            for dtype, way in itertools.product(dtypes, WAYS):
                what = {'way': way.__name__, 'number': str(value)[:30]}
                with (
                    self.subTest(dtype=dtype, **what),
                    self.assertRaisesRegex(ValueError, 'value of value should'),
                ):
                    way(dtype, [value])


if __name__ == '__main__':
    unittest.main()
