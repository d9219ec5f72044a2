"""Numbers in paddle.masked_fill beside that of the untouched Paddle 3.3.1.

What the release accepts gives the same bits here, but for the faults that
expectation() names. The release runs in its own interpreter, where this module is
imported too.
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
from programs import loaded, run_program, saved, static_mode

import paddle

NUMBERS = (*(row[0] for row in ACCEPTED + REJECTED), *NOT_NUMERIC)
# A program of every number in every dtype would take long.
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


def answer(function, *args):
    """The result as an array; after an error its name."""
    try:
        return function(*args)[0]
    except Exception as error:
        return type(error).__name__


def number_answers():
    for i, number in enumerate(NUMBERS):
        # beyond all floats, full of the release's programs crashes
        crashes = isinstance(number, int) and abs(number) > 2**1000
        for dtype in ALL_DTYPES:
            ways = [fill, fill_in_place]
            if dtype in PROGRAM_DTYPES and not crashes:
                ways.append(fill_in_program)
            for way in ways:
                yield (i, dtype, way.__name__), answer(way, dtype, [number])


def fill_large(tensors):
    return paddle.masked_fill(*tensors, LARGE)


def answers(model):
    """What this interpreter's Paddle answers; fill_large is saved as `model`."""
    tensors = [paddle.zeros([3], 'int64'), to_paddle(MASK)]
    return {
        **dict(number_answers()),
        'model': loaded(model)(tensors).numpy(),
    }


def fits(number, dtype):
    """Whether an integer dtype holds a number, cut to a whole one."""
    try:
        number = float(number) if isinstance(number, str) else number
        whole = int(number.real)
    except (OverflowError, ValueError):  # infinity, NaN, not numeric
        return False
    info = np.iinfo(dtype)
    return (info.min or -info.max) <= whole <= info.max


def expectation(release, key):
    """The release's answer, or the right one where that is wrong."""
    i, dtype, way = key
    number = NUMBERS[i]
    if isinstance(number, str) and number in NOT_NUMERIC:
        return 'ValueError'
    if dtype in INT_DTYPES and not fits(number, dtype):
        return 'ValueError'
    exact = release[i, dtype, 'fill']
    if (dtype, way) == ('int64', 'fill_in_program'):
        # a constant of the release's programs goes through a double
        return release[key] if isinstance(exact, str) else exact
    return release[key]


class TestMaskedFillRelease(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        arrays = {'x': np.zeros(3, 'int64'), 'mask': MASK}
        with saved(fill_large, arrays, known_dims=True) as model:
            cls.released = released_answers(__file__, model)
            cls.ours = answers(model)

    def test_what_the_release_accepts_is_the_same_here(self):
        self.assertEqual([*self.released], [*self.ours])
        accepted = [
            key
            for key, theirs in self.released.items()
            if not isinstance(theirs, str) and key != 'model'
        ]
        self.assertGreaterEqual(len(accepted), 1500)
        for key in accepted:
            actual, expected = self.ours[key], expectation(self.released, key)
            with self.subTest(call=key):
                if isinstance(expected, str):
                    self.assertEqual(actual, expected)
                else:
                    assert_same_bits(actual, expected)

    def test_a_large_whole_number_survives_in_the_release(self):
        expected = [LARGE, 0, LARGE]
        self.assertEqual(self.released['model'].tolist(), expected)


class TestMaskedFillNumbers(unittest.TestCase):
    def test_number_is_rounded_to_the_dtype(self):
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

    def test_number_out_of_range(self):
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
