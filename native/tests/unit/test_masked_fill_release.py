"""paddle.masked_fill beside the one of the untouched Paddle 3.3.1.

What the release accepts gives the same bits here, but for the faults that
wanted() names. The release runs in its own interpreter, where this module is
imported too.
"""

import numpy as np
import pytest
from masked_fill_cases import ACCEPTED, CASES, NOT_NUMERIC, OP, REJECTED
from op_table_graph import loaded, saved
from processes import run_release
from scatter_test_utils import (
    ALL_DTYPES,
    INT_DTYPES,
    assert_same_bits,
    to_paddle,
)
from test_masked_fill_values_numbers import (
    MASK,
    fill,
    fill_in_place,
    fill_in_program,
)

import paddle

NUMBERS = (*(row[0] for row in ACCEPTED + REJECTED), *NOT_NUMERIC)
# A program of every number in every dtype would take long.
PROGRAM_DTYPES = 'bool', 'int64', 'float16'


def answer(function, *args):
    """The result as an array; after an error its name."""
    try:
        result = function(*args)
    except Exception as error:
        return np.array(type(error).__name__)
    return result.numpy() if isinstance(result, paddle.Tensor) else result[0]


def number_answers():
    for i, number in enumerate(NUMBERS):
        # beyond all floats, full of the release's programs crashes
        crashes = isinstance(number, int) and abs(number) > 2**1000
        for dtype in ALL_DTYPES:
            ways = [fill, fill_in_place]
            if dtype in PROGRAM_DTYPES and not crashes:
                ways.append(fill_in_program)
            for way in ways:
                key = f'number|{i}|{dtype}|{way.__name__}'
                yield key, answer(way, dtype, [number])


def mask_answers():
    numbers = np.random.default_rng(21).integers(0, 2, (4, 6))
    for dtype in ALL_DTYPES:
        for shape in ((4, 6), (6,), (2, 4, 6)):
            mask = to_paddle(np.resize(numbers, shape)).astype(dtype)
            for function in (paddle.masked_fill, paddle.masked_fill_):
                size = 'larger' if len(shape) > 2 else 'fits'
                key = f'mask|{size}|{dtype}|{shape}|{function.__name__}'
                yield key, answer(function, paddle.ones([4, 6]), mask, -1.5)


def tensor_answers():
    """Results, and gradients of x."""
    for case in CASES:
        tensors = OP.tensors(case.arrays(OP, 'float64', finite=True), ['x'])
        out = paddle.masked_fill(**tensors)
        yield f'tensor|{case.name}', out.numpy()
        (grad,) = paddle.grad([out], [tensors['x']], [out.detach()])
        yield f'gradient|{case.name}', grad.numpy()


def all_answers():
    return dict([*number_answers(), *mask_answers(), *tensor_answers()])


@pytest.fixture(scope='module')
def release(tmp_path_factory):
    path = str(tmp_path_factory.mktemp('release') / 'answers.npz')
    run_release(
        'import numpy, test_masked_fill_release as t\n'
        f'numpy.savez({path!r}, **t.all_answers())'
    )
    with np.load(path) as answers:
        return dict(answers)


@pytest.fixture(scope='module')
def ours():
    return all_answers()


def fits(number, dtype):
    """Whether an integer dtype holds a number, cut to a whole one."""
    try:
        number = float(number) if isinstance(number, str) else number
        whole = int(number.real)
    except (OverflowError, ValueError):  # infinity, NaN, not numeric
        return False
    info = np.iinfo(dtype)
    return (info.min or -info.max) <= whole <= info.max


def wanted(release, key):
    """The release's answer, or what is wanted instead of a wrong one."""
    error = np.array('ValueError')
    kind, which, *rest = key.split('|')
    if kind == 'number':
        number, (dtype, way) = NUMBERS[int(which)], rest
        if isinstance(number, str) and number in NOT_NUMERIC:
            return error
        if dtype in INT_DTYPES and not fits(number, dtype):
            return error
        if (dtype, way) == ('int64', 'fill_in_program'):
            # a constant of the release's programs goes through a double
            exact = key.replace('fill_in_program', 'fill')
            key = exact if release[exact].dtype.kind != 'U' else key
    elif (kind, which) == ('mask', 'larger') and key.endswith('_'):
        return error
    return release[key]


@pytest.mark.parametrize(
    'kind, least',
    [('number', 1500), ('mask', 72), ('tensor', 44), ('gradient', 44)],
)
def test_what_the_release_accepts_is_the_same_here(release, ours, kind, least):
    assert list(release) == list(ours)
    accepted = [
        key
        for key, theirs in release.items()
        if key.startswith(kind) and theirs.dtype.kind != 'U'
    ]
    assert len(accepted) >= least
    for key in accepted:
        expected = wanted(release, key)
        if kind == 'gradient':
            np.testing.assert_allclose(ours[key], expected, 1e-12, err_msg=key)
        else:
            assert_same_bits(ours[key], expected, key)


def check_large_number(path):
    tensors = [paddle.zeros([3], 'int64'), to_paddle(MASK)]
    assert loaded(path)(tensors).tolist() == [2**62 + 1, 0, 2**62 + 1]


def test_large_whole_number_survives_in_the_release():
    def function(tensors):
        return paddle.masked_fill(*tensors, 2**62 + 1)

    arrays = {'x': np.zeros(3, 'int64'), 'mask': MASK}
    with saved(function, arrays, known_dims=True) as path:
        run_release(
            'import test_masked_fill_release as t\n'
            f't.check_large_number({path!r})'
        )
