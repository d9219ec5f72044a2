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

"""paddle.masked_fill in static graphs: PIR, legacy, traced, saved."""

import unittest

import numpy as np
from masked_fill_cases import cases, fill_with
from scatter_graph_utils import (
    StaticFunction,
    assert_python_succeeds,
    dtype_name,
    run_predictor,
    run_python,
    run_saved,
    run_static,
    run_to_static,
    saved_function,
)
from scatter_test_utils import (
    ALL_DTYPES,
    OnCpu,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
    sum_to_shape,
)

import paddle


def arrays_of(rng, dtype, x_shape, mask, value_shape):
    return {
        'x': random_array(rng, x_shape, dtype),
        'mask': mask,
        'value': random_array(rng, value_shape, dtype),
    }


def expected_out(arrays):
    return np.where(arrays['mask'], arrays['value'], arrays['x'])


def expected_grads(x, mask, value):
    """Of the sum of the cubes, which the helpers differentiate."""
    slope = 3 * np.where(mask, value, x) ** 2
    return (
        sum_to_shape(np.where(mask, 0, slope), x.shape),
        sum_to_shape(np.where(mask, slope, 0), value.shape),
    )


class TestMaskedFillStatic(OnCpu, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(11)

    def test_every_case_with_known_and_unknown_dims(self):
        for name, *shapes in cases():
            arrays = arrays_of(self.rng, 'float32', *shapes)
            for known in (True, False):
                with self.subTest(case=name, known=known):
                    out = run_static(
                        paddle.masked_fill, arrays, known_dims=known
                    )
                    assert_same_bits(out, expected_out(arrays))

    def test_every_case_filled_with_a_number(self):
        for name, x_shape, mask, _ in cases():
            x = random_array(self.rng, x_shape, 'float32')
            for known in (True, False):
                with self.subTest(case=name, known=known):
                    out = run_static(
                        fill_with(2.5),
                        {'x': x, 'mask': mask},
                        known_dims=known,
                    )
                    assert_same_bits(out, np.where(mask, np.float32(2.5), x))

    def test_every_dtype(self):
        mask = random_mask(self.rng, (5, 7))
        for dtype in ALL_DTYPES:
            arrays = arrays_of(self.rng, dtype, (5, 7), mask, (7,))
            with self.subTest(dtype=dtype):
                out = run_static(paddle.masked_fill, arrays)
                assert_same_bits(out, expected_out(arrays))

    def test_gradients_with_known_and_unknown_dims(self):
        for name, x_shape, mask, value_shape in cases():
            arrays = {
                'x': random_numbers(self.rng, x_shape),
                'mask': mask,
                'value': random_numbers(self.rng, value_shape),
            }
            if expected_out(arrays).size == 0:
                continue  # the executor does not run a loss of no element
            for known in (True, False):
                out, *grads = run_static(
                    paddle.masked_fill, arrays, ('x', 'value'), known
                )
                with self.subTest(case=name, known=known):
                    assert_same_bits(out, expected_out(arrays))
                    for grad, wanted in zip(grads, expected_grads(**arrays)):
                        np.testing.assert_allclose(grad, wanted, 1e-12, 1e-12)

    def test_gradient_of_x_filled_with_a_number(self):
        x = random_numbers(self.rng, (5, 7))
        mask = random_mask(self.rng, (7,))
        out, grad = run_static(fill_with(2.5), {'x': x, 'mask': mask}, ('x',))
        assert_same_bits(out, np.where(mask, 2.5, x))
        np.testing.assert_allclose(grad, np.where(mask, 0, 3 * x**2), 1e-12)

    def test_one_program_runs_with_many_shapes(self):
        program = StaticFunction(
            paddle.masked_fill,
            {
                'x': ([-1, -1], 'float32'),
                'mask': ([-1, -1], 'bool'),
                'value': ([-1], 'float32'),
            },
        )
        for rows, columns in ((1, 1), (3, 4), (40, 5), (2, 130)):
            mask = random_mask(self.rng, (rows, columns))
            arrays = arrays_of(
                self.rng, 'float32', (rows, columns), mask, (columns,)
            )
            with self.subTest(rows=rows, columns=columns):
                assert_same_bits(program.run(arrays), expected_out(arrays))

    def test_shapes_that_do_not_fit_are_an_error_at_run_time(self):
        program = StaticFunction(
            paddle.masked_fill,
            {
                'x': ([-1, 3], 'float32'),
                'mask': ([-1, 3], 'bool'),
                'value': ([-1, 3], 'float32'),
            },
        )
        good = {
            'x': np.zeros((2, 3), 'float32'),
            'mask': np.ones((2, 3), 'bool'),
            'value': np.ones((2, 3), 'float32'),
        }
        self.assertEqual(program.run(good).sum(), 6)
        for name in ('mask', 'value'):
            bad = {**good, name: np.ones((4, 3), good[name].dtype)}
            with self.subTest(name=name), self.assertRaises(ValueError):
                program.run(bad)

    def test_in_place_form_falls_back(self):
        arrays = {
            'x': random_array(self.rng, (5, 7), 'float32'),
            'mask': random_mask(self.rng, (7,)),
        }
        out = run_static(
            lambda x, mask: paddle.masked_fill_(x, mask, 2.0), arrays
        )
        assert_same_bits(
            out, np.where(arrays['mask'], np.float32(2), arrays['x'])
        )


def gradients_into_out_grad(value_shape, x_dims, mask_dims):
    """Gradients of x and value by a program, and what they must be.

    In a program that takes x and mask for Tensors of one shape, a pass lets
    the gradient of x be written into the memory of out_grad.
    """
    rng = np.random.default_rng(14)
    arrays = {
        'x': random_numbers(rng, (1, 3)),
        'mask': random_mask(rng, (5, 3)),
        'value': random_numbers(rng, value_shape),
    }
    dims = {'x': x_dims, 'mask': mask_dims, 'value': list(value_shape)}
    program = StaticFunction(
        lambda x, mask, value: paddle.masked_fill(x * 1.0, mask, value * 1.0),
        {name: (dims[name], dtype_name(a)) for name, a in arrays.items()},
        ('x', 'value'),
    )
    return program.run(arrays)[1:], expected_grads(**arrays)


class TestMaskedFillGradientIntoOutGrad(OnCpu, unittest.TestCase):
    def test_gradients_are_right_for_known_and_unknown_dims(self):
        for value_shape in ((), (1,), (3,), (5, 1), (5, 3)):
            for x_dims in ([1, 3], [-1, 3], [-1, -1]):
                for mask_dims in ([5, 3], [-1, 3], [-1, -1]):
                    grads, expected = gradients_into_out_grad(
                        value_shape, x_dims, mask_dims
                    )
                    with self.subTest(
                        value=value_shape, x=x_dims, mask=mask_dims
                    ):
                        for grad, wanted in zip(grads, expected):
                            np.testing.assert_allclose(grad, wanted, 1e-12)

    def test_memory_is_shared_where_the_dims_are_unknown(self):
        process = run_python(
            '''
from test_masked_fill_graph import gradients_into_out_grad
gradients_into_out_grad((5, 3), [-1, 3], [-1, 3])
''',
            GLOG_v='4',
        )
        self.assertEqual(process.returncode, 0, process.stderr[-2000:])
        self.assertIn('pd_op.masked_fill_grad_', process.stderr)


class TestMaskedFillTraced(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(12)
        self.arrays = {
            'x': random_numbers(rng, (5, 7)),
            'mask': random_mask(rng, (5, 1)),
            'value': random_numbers(rng, (7,)),
        }

    def check(self, results):
        out, *grads = results
        assert_same_bits(out, expected_out(self.arrays))
        for grad, wanted in zip(grads, expected_grads(**self.arrays)):
            np.testing.assert_allclose(grad, wanted, 1e-12)

    def test_to_static_with_gradients(self):
        for full_graph in (True, False):
            with self.subTest(full_graph=full_graph):
                self.check(
                    run_to_static(
                        paddle.masked_fill,
                        self.arrays,
                        full_graph,
                        ('x', 'value'),
                    )
                )

    def test_saved_and_loaded(self):
        for known in (True, False):
            with saved_function(
                paddle.masked_fill, self.arrays, known
            ) as prefix:
                with self.subTest(known=known):
                    self.check(run_saved(prefix, self.arrays, ('x', 'value')))
                    out = run_predictor(prefix, self.arrays)
                    assert_same_bits(out, expected_out(self.arrays))

    def test_numbers_survive_saving(self):
        mask = np.array([True, False])
        for number, dtype in (
            (0.1, 'float64'),
            (2**53 + 1, 'int64'),
            (-(2**63), 'int64'),
            (0.1 + 0.2j, 'complex128'),
            (float('-inf'), 'float16'),
            (True, 'bool'),
        ):
            x = np.zeros(2, dtype)
            arrays = {'x': x, 'mask': mask}
            with saved_function(fill_with(number), arrays) as prefix:
                with self.subTest(number=number):
                    expected = np.where(mask, x.dtype.type(number), x)
                    assert_same_bits(run_saved(prefix, arrays), expected)


class TestMaskedFillLegacy(unittest.TestCase):
    """Programs of the old IR, which a flag read at import chooses."""

    def run_tests(self, *names):
        code = f'''
import sys, unittest
import paddle
if paddle.framework.use_pir_api():
    raise SystemExit('the flag had no effect')
suite = unittest.defaultTestLoader.loadTestsFromNames({list(names)!r})
result = unittest.TextTestRunner(sys.stdout).run(suite)
if result.testsRun == 0 or not result.wasSuccessful():
    raise SystemExit(1)
'''
        assert_python_succeeds(code, FLAGS_enable_pir_api='0')

    def test_static_graphs(self):
        self.run_tests('test_masked_fill_graph.TestMaskedFillStatic')

    def test_numbers(self):
        self.run_tests(
            'test_masked_fill_values.TestMaskedFillNumbers.'
            'test_every_number_is_rounded_to_the_dtype_by_a_static_graph',
            'test_masked_fill_errors.TestMaskedFillWrongNumbers.'
            'test_number_out_of_range_is_an_error_when_a_graph_is_built',
        )


if __name__ == '__main__':
    unittest.main()
