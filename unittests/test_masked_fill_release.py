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

"""paddle.masked_fill beside the one of the untouched Paddle 3.3.1.

What the release accepts gives the same bits here, but for the faults listed in
`wanted`; and what one of the two saves, the other one runs. The
release runs in its own interpreter, in which this module is imported too.
"""

import os
import subprocess
import tempfile
import unittest

import numpy as np
from masked_fill_cases import (
    ACCEPTED,
    NOT_NUMERIC,
    REJECTED,
    cases,
    fill,
    fill_inplace,
    fill_static,
    fill_with,
    reference_masked_fill_grad,
)
from scatter_graph_utils import (
    forget_dead_programs,
    run_saved,
    saved_function,
)
from scatter_test_utils import (
    ALL_DTYPES,
    INT_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
    to_paddle,
)

import paddle

NUMBERS = (
    *(number for number, *_ in ACCEPTED + REJECTED),
    *NOT_NUMERIC,
    np.bool_(True),
    np.int64(7),
    np.float16(0.5),
    np.float32(0.1),
    np.float64(0.1),
    np.complex64(1 + 2j),
)


VALUE_ERROR = np.array('ValueError')


def answer(function, *args):
    """The result as an array; after an error its name."""
    try:
        result = function(*args)
    except Exception as error:
        return np.array(type(error).__name__)
    return result.numpy() if isinstance(result, paddle.Tensor) else result


def ways_of(number, dtype):
    """All ways, but for a program not of every dtype: that takes long."""
    too_large = isinstance(number, int) and abs(number) > 2**1000
    if too_large or dtype not in ('bool', 'int64', 'float16'):
        # the release's static full crashes on what is beyond all floats
        return fill, fill_inplace
    return fill, fill_inplace, fill_static


def number_answers():
    for i, number in enumerate(NUMBERS):
        for dtype in ALL_DTYPES:
            for way in ways_of(number, dtype):
                key = f'number|{i}|{dtype}|{way.__name__}'
                yield key, answer(way, dtype, number)


def mask_answers():
    rng = np.random.default_rng(21)
    x = to_paddle(random_array(rng, (4, 6), 'float32'))
    numbers = rng.integers(0, 2, (4, 6))
    for dtype in ALL_DTYPES:
        for shape in ((4, 6), (6,), (2, 4, 6)):
            mask = to_paddle(np.resize(numbers, shape)).astype(dtype)
            for function in (paddle.masked_fill, paddle.masked_fill_):
                name = 'larger' if len(shape) > 2 else 'fits'
                key = f'mask|{name}|{dtype}|{shape}|{function.__name__}'
                yield key, answer(function, x.clone(), mask, -1.5)


def tensor_answers():
    rng = np.random.default_rng(22)
    for dtype in ALL_DTYPES:
        for name, x_shape, mask, value_shape in cases():
            x, value = (
                to_paddle(random_array(rng, shape, dtype))
                for shape in (x_shape, value_shape)
            )
            yield (
                f'tensor|{name}|{dtype}',
                answer(paddle.masked_fill, x, to_paddle(mask), value),
            )


def gradients(x, mask, value, out_grad):
    tensors = [to_paddle(array, stop_gradient=False) for array in (x, value)]
    out = paddle.masked_fill(tensors[0], to_paddle(mask), tensors[1])
    out.backward(to_paddle(out_grad))
    return [tensor.grad.numpy() for tensor in tensors]


def gradient_cases():
    rng = np.random.default_rng(23)
    for name, x_shape, mask, value_shape in cases():
        shape = np.broadcast_shapes(x_shape, mask.shape)
        shapes = x_shape, value_shape, shape
        x, value, out_grad = (random_numbers(rng, s) for s in shapes)
        yield name, x, mask, value, out_grad


def gradient_answers():
    for name, *arrays in gradient_cases():
        for which, grad in zip(('x', 'value'), gradients(*arrays)):
            yield f'gradient|{which}|{name}', grad


def all_answers():
    answers = {}
    for part in (
        number_answers,
        mask_answers,
        tensor_answers,
        gradient_answers,
    ):
        answers.update(part())
    return answers


def write_answers(path):
    np.savez(path, **all_answers())


class Model(paddle.nn.Layer):
    """Two fills: by a number, and by a Tensor that is trained."""

    def __init__(self):
        super().__init__()
        self.value = self.create_parameter(
            [6], default_initializer=paddle.nn.initializer.Uniform()
        )

    def forward(self, x, mask):
        x = paddle.masked_fill(x, mask, float('-inf'))
        x = paddle.nn.functional.softmax(x, axis=0)
        return paddle.masked_fill(x, mask, self.value)


def model_inputs():
    rng = np.random.default_rng(24)
    x = random_numbers(rng, (4, 6), 'float32')
    mask = random_mask(rng, (4, 6), 0.3)
    return {'x': x, 'mask': mask}


def save_model(prefix):
    """Saves a model, and what it gives."""
    forget_dead_programs()
    model, arrays = Model(), model_inputs()
    out = model(*map(to_paddle, arrays.values()))
    np.save(prefix + '.npy', out.numpy())
    specs = [
        paddle.static.InputSpec([-1, 6], str(array.dtype), name)
        for name, array in arrays.items()
    ]
    traced = paddle.jit.to_static(model, input_spec=specs, full_graph=True)
    paddle.jit.save(traced, prefix)


def check_model(prefix):
    assert_same_bits(
        run_saved(prefix, model_inputs()), np.load(prefix + '.npy')
    )


def fits(number, dtype):
    """Whether an integer dtype holds a number, cut to a whole one."""
    if isinstance(number, str):
        number = float(number)
    try:
        whole = int(number.real)
    except (OverflowError, ValueError):  # infinity, NaN
        return False
    info = np.iinfo(dtype)
    return (info.min or -info.max) <= whole <= info.max


def is_text_without_number(number):
    return isinstance(number, str) and number in NOT_NUMERIC


def run_release(code):
    """Runs code in the release's interpreter, which is made when missing."""
    try:
        from bench import release_env
    except ImportError:
        raise unittest.SkipTest('there is no bench/ beside the tests') from None
    folder = os.path.dirname(os.path.abspath(__file__))
    process = subprocess.run(
        [str(release_env.make()), '-c', code],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, 'PYTHONPATH': folder},
    )
    if process.returncode:
        raise AssertionError(process.stdout + process.stderr[-4000:])


class TestMaskedFillBesideRelease(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'answers.npz')
            run_release(
                'import test_masked_fill_release as t\n'
                f't.write_answers({path!r})'
            )
            with np.load(path) as answers:
                cls.release = dict(answers)
        cls.ours = all_answers()

    def wanted(self, key):
        """The release's answer, or what is wanted instead of a wrong one."""
        kind, which, *rest = key.split('|')
        if kind == 'number':
            number, dtype, way = NUMBERS[int(which)], *rest
            if is_text_without_number(number):
                return VALUE_ERROR
            if dtype in INT_DTYPES and not fits(number, dtype):
                return VALUE_ERROR
            if (dtype, way) == ('int64', 'fill_static'):
                # a constant of the release's programs goes through a double
                key = key.replace('fill_static', 'fill')
        elif key.startswith('mask|larger') and key.endswith('masked_fill_'):
            return VALUE_ERROR
        return self.release[key]

    def compare(self, kind):
        """Fails where answers differ; returns how many there are."""
        accepted, different = 0, []
        for key, theirs in self.release.items():
            if key.startswith(kind) and theirs.dtype.kind != 'U':
                accepted += 1
                try:
                    assert_same_bits(self.ours[key], self.wanted(key))
                except AssertionError as error:
                    different.append((key, str(error)))
        self.assertEqual(different, [])
        return accepted

    def test_every_case_is_tried_in_both(self):
        self.assertEqual(list(self.release), list(self.ours))

    def test_numbers(self):
        self.assertGreater(self.compare('number'), 1500)

    def test_masks_of_every_dtype(self):
        self.assertEqual(self.compare('mask'), 12 * 6)

    def test_values_of_every_shape_and_dtype(self):
        self.assertEqual(self.compare('tensor'), 12 * len(tuple(cases())))

    def test_gradients_of_x(self):
        for key, theirs in self.release.items():
            if key.startswith('gradient|x'):
                with self.subTest(key=key):
                    np.testing.assert_allclose(self.ours[key], theirs, 1e-12)

    def test_gradients_of_value_are_right_here_only(self):
        wrong = 0
        for name, x, mask, value, out_grad in gradient_cases():
            _, expected = reference_masked_fill_grad(
                x.shape, mask, value.shape, out_grad
            )
            key = f'gradient|value|{name}'
            theirs = self.release[key]
            wrong += not np.allclose(theirs, expected)
            with self.subTest(case=name):
                np.testing.assert_allclose(self.ours[key], expected, 1e-12)
        self.assertGreater(wrong, 5)


class TestMaskedFillModelsOfBoth(unittest.TestCase):
    def exchange(self, save, run):
        with tempfile.TemporaryDirectory() as folder:
            prefix = os.path.join(folder, 'model')
            save(prefix)
            run(prefix)

    def in_release(self, name):
        def function(prefix):
            run_release(
                f'import test_masked_fill_release as t\nt.{name}({prefix!r})'
            )

        return function

    def test_model_saved_here_runs_in_the_release(self):
        self.exchange(save_model, self.in_release('check_model'))

    def test_model_saved_by_the_release_runs_here(self):
        self.exchange(self.in_release('save_model'), check_model)

    def test_large_whole_number_survives_in_the_release(self):
        arrays = {
            'x': np.zeros(3, 'int64'),
            'mask': np.array([True, False, True]),
        }
        number = 2**62 + 1
        with saved_function(fill_with(number), arrays) as prefix:
            run_release(
                f'''
import numpy as np
from scatter_graph_utils import run_saved
arrays = {{'x': np.zeros(3, 'int64'), 'mask': np.array([True, False, True])}}
out = run_saved({prefix!r}, arrays)
np.testing.assert_array_equal(out, [{number}, 0, {number}])
'''
            )


if __name__ == '__main__':
    unittest.main()
