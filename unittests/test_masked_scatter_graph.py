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
"""paddle.masked_scatter in static graphs: PIR and legacy programs."""

import unittest

import numpy as np
from masked_scatter_cases import (
    cases,
    fast_masked_scatter,
    reference_masked_scatter_grad,
)
from scatter_graph_utils import (
    StaticFunction,
    assert_python_succeeds,
    run_static,
    static_mode,
)
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
)

import paddle


def make(rng, x_shape, mask, value_shape, dtype='float64', finite=False):
    fill = random_numbers if finite else random_array
    return {
        'x': fill(rng, x_shape, dtype),
        'mask': mask,
        'value': fill(rng, value_shape, dtype),
    }


def expected_results(arrays):
    """The output and gradients of the sum of its cubes."""
    out = fast_masked_scatter(*arrays.values())
    grads = reference_masked_scatter_grad(
        arrays['x'].shape, arrays['mask'], arrays['value'].shape, 3 * out * out
    )
    return [out, *grads]


class TestMaskedScatterPir(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(11)

    def check(self, actual, expected):
        self.assertEqual(len(actual), len(expected))
        assert_same_bits(actual[0], expected[0])
        for ours, wanted in zip(actual[1:], expected[1:]):
            self.assertEqual(ours.shape, wanted.shape)
            np.testing.assert_allclose(ours, wanted, rtol=1e-13, atol=1e-13)

    def test_every_case_with_gradients(self):
        for known in (True, False):
            for name, *shapes in cases():
                arrays = make(self.rng, *shapes, finite=True)
                with self.subTest(case=name, known_dims=known):
                    actual = run_static(
                        paddle.masked_scatter, arrays, ('x', 'value'), known
                    )
                    self.check(actual, expected_results(arrays))

    def test_every_dtype(self):
        mask = random_mask(self.rng, (6, 7))
        for dtype in ALL_DTYPES:
            arrays = make(self.rng, (6, 7), mask, (42,), dtype)
            with self.subTest(dtype=dtype):
                out = run_static(paddle.masked_scatter, arrays)
                assert_same_bits(out, fast_masked_scatter(*arrays.values()))

    def test_one_program_for_many_shapes(self):
        program = StaticFunction(
            paddle.masked_scatter,
            {
                'x': ([-1, 8], 'float64'),
                'mask': ([-1, -1], 'bool'),
                'value': ([-1], 'float64'),
            },
            ('x', 'value'),
        )
        for rows, mask_shape in (
            (3, (3, 8)),
            (5, (1, 8)),
            (1, (4, 1)),
            (1, (4, 8)),
            (0, (0, 8)),
            (0, (1, 1)),
        ):
            mask = random_mask(self.rng, mask_shape)
            arrays = make(self.rng, (rows, 8), mask, (50,), finite=True)
            with self.subTest(rows=rows, mask=mask_shape):
                self.check(program.run(arrays), expected_results(arrays))

    def test_shape_known_while_building(self):
        for x, mask, expected in (
            ([2, 3], [3], [2, 3]),
            ([3], [2, 3], [2, 3]),
            ([2, 1], [1, 3], [2, 3]),
            ([-1, 3], [-1, 3], [-1, 3]),
            ([-1, 3], [1, 3], [-1, 3]),
            ([-1, 3], [4, 1], [4, 3]),
            ([1, 3], [-1, 3], [-1, 3]),
            ([], [], []),
            ([], [-1], [-1]),
        ):
            inputs = {
                'x': (x, 'float32'),
                'mask': (mask, 'bool'),
                'value': ([-1], 'float32'),
            }
            with self.subTest(x=x, mask=mask):
                built = StaticFunction(paddle.masked_scatter, inputs)
                # a Value is only as alive as its program
                self.assertEqual(list(built.out.shape), expected)
                self.assertEqual(built.out.dtype, paddle.float32)

    def test_stop_gradient_while_building(self):
        for stop_x in (True, False):
            for stop_value in (True, False):
                with (
                    static_mode(),
                    paddle.static.program_guard(paddle.static.Program()),
                ):
                    x = paddle.static.data('x', [3], 'float32')
                    mask = paddle.static.data('mask', [3], 'bool')
                    value = paddle.static.data('value', [3], 'float32')
                    x.stop_gradient, value.stop_gradient = stop_x, stop_value
                    out = paddle.masked_scatter(x, mask, value)
                    with self.subTest(x=stop_x, value=stop_value):
                        self.assertEqual(
                            out.stop_gradient, stop_x and stop_value
                        )

    def test_too_few_values_while_running(self):
        program = StaticFunction(
            paddle.masked_scatter,
            {
                'x': ([-1], 'float32'),
                'mask': ([-1], 'bool'),
                'value': ([-1], 'float32'),
            },
        )
        arrays = {
            'x': np.zeros(9, 'float32'),
            'mask': np.ones(9, 'bool'),
            'value': np.ones(8, 'float32'),
        }
        with self.assertRaises(IndexError) as caught:
            program.run(arrays)
        self.assertRegex(str(caught.exception), r'\b9\b')
        self.assertRegex(str(caught.exception), r'\b8\b')
        arrays['value'] = np.ones(9, 'float32')
        assert_same_bits(program.run(arrays), np.ones(9, 'float32'))

    def test_shapes_that_do_not_broadcast_while_running(self):
        program = StaticFunction(
            paddle.masked_scatter,
            {
                'x': ([-1], 'float32'),
                'mask': ([-1], 'bool'),
                'value': ([-1], 'float32'),
            },
        )
        with self.assertRaises(ValueError):
            program.run(
                {
                    'x': np.zeros(4, 'float32'),
                    'mask': np.zeros(3, 'bool'),
                    'value': np.zeros(4, 'float32'),
                }
            )

    def test_in_place_form_is_the_copy(self):
        arrays = make(self.rng, (4, 5), random_mask(self.rng, (4, 5)), (20,))

        def both(x, mask, value):
            with self.assertWarnsRegex(UserWarning, 'static graph'):
                out = paddle.masked_scatter_(x, mask, value)
            return out + 0 * x.masked_scatter(mask, source=value)

        arrays['x'] = random_numbers(self.rng, (4, 5))
        arrays['value'] = random_numbers(self.rng, (20,))
        out = run_static(both, arrays)
        assert_same_bits(out, fast_masked_scatter(*arrays.values()))

    def test_append_backward_trains_a_parameter(self):
        mask = random_mask(self.rng, (4, 3))
        with (
            static_mode(),
            paddle.static.program_guard(
                paddle.static.Program(), paddle.static.Program()
            ),
        ):
            x = paddle.static.data('x', [4, 3], 'float32')
            mask_data = paddle.static.data('mask', [4, 3], 'bool')
            weight = paddle.create_parameter([12], 'float32')
            out = paddle.masked_scatter(x, mask_data, weight)
            pairs = paddle.static.append_backward(out.sum(), [weight])
            executor = paddle.static.Executor()
            executor.run(paddle.static.default_startup_program())
            (grad,) = executor.run(
                feed={'x': np.zeros((4, 3), 'float32'), 'mask': mask},
                fetch_list=[pairs[0][1]],
            )
        expected = np.arange(12) < mask.sum()
        assert_same_bits(grad, expected.astype('float32'))


class TestMaskedScatterStaticProcesses(unittest.TestCase):
    """What must not end the process, and programs of the old kind."""

    def test_wrong_calls_while_building_raise_and_do_not_abort(self):
        output = assert_python_succeeds(
            '''
import paddle
paddle.enable_static()
x = paddle.static.data('x', [2, 3], 'float32')
mask = paddle.static.data('mask', [2, 3], 'bool')
value = paddle.static.data('value', [-1], 'float32')
wrong = {
    'mask shape': (x, paddle.static.data('a', [2, 2], 'bool'), value),
    'mask dtype': (x, paddle.static.data('b', [2, 3], 'int32'), value),
    'value dtype': (x, mask, paddle.static.data('c', [6], 'int32')),
    'list': (x, mask, [1.0, 2.0]),
    'None': (x, None, value),
    'array': (x, mask, __import__('numpy').zeros(6, 'float32')),
}
for f in (paddle.masked_scatter, paddle._C_ops.masked_scatter):
    for name, args in wrong.items():
        try:
            f(*args)
        except (AssertionError, TypeError, ValueError) as error:
            print(name, type(error).__name__)
        else:
            raise SystemExit(f'{f} took a wrong {name}')
'''
        )
        self.assertEqual(len(output.split('\n')), 13)

    def test_legacy_programs(self):
        assert_python_succeeds(
            '''
import unittest
import numpy as np
import paddle
import test_masked_scatter_graph as pir
from scatter_graph_utils import run_static
from scatter_test_utils import ALL_DTYPES, assert_same_bits
rng = np.random.default_rng(12)
for shapes in (
    ((4, 5), (4, 5)), ((4, 5), (5,)), ((5,), (4, 5)), ((4, 1), (1, 5)),
):
    mask = rng.random(shapes[1]) < 0.5
    for known in (True, False):
        arrays = pir.make(rng, shapes[0], mask, (20,), finite=True)
        actual = run_static(
            paddle.masked_scatter, arrays, ('x', 'value'), known
        )
        expected = pir.expected_results(arrays)
        assert_same_bits(actual[0], expected[0])
        for a, b in zip(actual[1:], expected[1:]):
            np.testing.assert_allclose(a, b, rtol=1e-13)
for dtype in ALL_DTYPES:
    arrays = pir.make(rng, (4, 5), rng.random((4, 5)) < 0.5, (20,), dtype)
    assert_same_bits(
        run_static(paddle.masked_scatter, arrays),
        pir.fast_masked_scatter(*arrays.values()),
        dtype,
    )
paddle.enable_static()
if paddle.framework.in_pir_mode():
    raise SystemExit('this is a PIR program')
x = paddle.static.data('x', [2, 3], 'float32')
mask = paddle.static.data('mask', [2, 2], 'bool')
try:
    paddle.masked_scatter(x, mask, x)
except ValueError as error:
    print(error)
else:
    raise SystemExit('shapes that do not broadcast were taken')
''',
            FLAGS_enable_pir_api='0',
        )


if __name__ == '__main__':
    unittest.main()
