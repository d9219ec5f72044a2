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
"""paddle.masked_scatter traced, saved, loaded and served."""

import unittest

import numpy as np
from masked_scatter_cases import fast_masked_scatter
from scatter_graph_utils import (
    assert_python_succeeds,
    forget_dead_programs,
    run_predictor,
    run_saved,
    run_to_static,
    saved_function,
)
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_array,
    random_mask,
    random_numbers,
)
from test_masked_scatter_graph import expected_results

import paddle

GRADS = ('x', 'value')


def scatter(x, mask, value):
    return paddle.masked_scatter(x, mask, value)


def branch_on_shape(x, mask, value):
    if x.shape[0] > 2:
        value = value * 2
    return x.masked_scatter(mask, value) if value.ndim == 1 else x


def branch_on_data(x, mask, value):
    if value.sum() > 0:
        out = paddle.masked_scatter(x, mask, value)
    else:
        out = paddle.masked_scatter(x, mask, -value)
    return out


def loop(x, mask, value):
    for i in range(3):
        x = paddle.masked_scatter(x, mask, value[i:])
    return x


class TestMaskedScatterJit(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(13)
        self.rng = rng
        self.arrays = {
            'x': random_numbers(rng, (5, 6)),
            'mask': random_mask(rng, (5, 6)),
            'value': random_numbers(rng, (40,)),
        }

    def check(self, actual, expected):
        assert_same_bits(actual[0], expected[0])
        for ours, wanted in zip(actual[1:], expected[1:]):
            np.testing.assert_allclose(ours, wanted, rtol=1e-13, atol=1e-13)

    def test_to_static_with_gradients(self):
        broadcast = {**self.arrays, 'mask': random_mask(self.rng, (6,))}
        for full_graph in (True, False):
            for arrays in (self.arrays, broadcast):
                with self.subTest(full_graph=full_graph):
                    actual = run_to_static(scatter, arrays, full_graph, GRADS)
                    self.check(actual, expected_results(arrays))

    def test_to_static_of_python_control_flow(self):
        for full_graph in (True, False):
            for function in (branch_on_shape, branch_on_data, loop):
                with self.subTest(function=function, full_graph=full_graph):
                    tensors = map(paddle.to_tensor, self.arrays.values())
                    expected = function(*tensors)
                    out = run_to_static(function, self.arrays, full_graph)
                    assert_same_bits(out, expected.numpy())

    def test_to_static_without_dims(self):
        arrays = {
            'x': np.array(2.0),
            'mask': np.array(True),
            'value': np.array(3.0),
        }
        for full_graph in (True, False):
            with self.subTest(full_graph=full_graph):
                actual = run_to_static(scatter, arrays, full_graph, GRADS)
                self.check(actual, expected_results(arrays))

    def test_to_static_of_every_dtype(self):
        mask = random_mask(self.rng, (4, 5))
        for dtype in ALL_DTYPES:
            arrays = {
                'x': random_array(self.rng, (4, 5), dtype),
                'mask': mask,
                'value': random_array(self.rng, (20,), dtype),
            }
            with self.subTest(dtype=dtype):
                out = run_to_static(scatter, arrays, True)
                assert_same_bits(out, fast_masked_scatter(*arrays.values()))

    def test_to_static_layer_trains_like_dygraph(self):
        class Model(paddle.nn.Layer):
            def __init__(self):
                super().__init__()
                self.linear = paddle.nn.Linear(6, 6)

            def forward(self, x, mask, value):
                return paddle.masked_scatter(self.linear(x), mask, value)

        grads = []
        for full_graph in (None, True, False):
            forget_dead_programs()
            paddle.seed(1)
            model = Model()
            call = model
            if full_graph is not None:
                call = paddle.jit.to_static(model, full_graph=full_graph)
            tensors = [
                paddle.to_tensor(a.astype('float32') if a.dtype == float else a)
                for a in self.arrays.values()
            ]
            (call(*tensors) ** 2).sum().backward()
            grads.append(model.linear.weight.grad.numpy())
        for grad in grads[1:]:
            np.testing.assert_allclose(grad, grads[0], rtol=1e-5, atol=1e-6)


class TestMaskedScatterSaved(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(14)

    def arrays(self, rows, mask_shape):
        return {
            'x': random_numbers(self.rng, (rows, 6), 'float32'),
            'mask': random_mask(self.rng, mask_shape),
            'value': random_numbers(self.rng, (rows * 6,), 'float32'),
        }

    def test_loaded_model_runs_and_differentiates(self):
        with saved_function(scatter, self.arrays(5, (5, 6)), False) as prefix:
            for rows, mask_shape in ((5, (5, 6)), (3, (1, 6)), (9, (9, 1))):
                arrays = self.arrays(rows, mask_shape)
                expected = expected_results(arrays)
                with self.subTest(rows=rows, mask=mask_shape):
                    assert_same_bits(run_saved(prefix, arrays), expected[0])
                    for ours, wanted in zip(
                        run_saved(prefix, arrays, GRADS), expected
                    ):
                        np.testing.assert_allclose(ours, wanted, rtol=1e-6)

    def test_predictor(self):
        for known in (True, False):
            arrays = self.arrays(5, (5, 6))
            expected = fast_masked_scatter(*arrays.values())
            with saved_function(scatter, arrays, known) as prefix:
                for ir_optim in (True, False):
                    with self.subTest(known_dims=known, ir_optim=ir_optim):
                        out = run_predictor(prefix, arrays, ir_optim)
                        assert_same_bits(out, expected)

    def test_predictor_takes_other_shapes(self):
        with saved_function(scatter, self.arrays(5, (5, 6)), False) as prefix:
            for rows, mask_shape in ((2, (2, 6)), (7, (7, 1)), (1, (4, 6))):
                arrays = self.arrays(rows, mask_shape)
                arrays['value'] = random_numbers(self.rng, (90,), 'float32')
                with self.subTest(rows=rows, mask=mask_shape):
                    out = run_predictor(prefix, arrays)
                    expected = fast_masked_scatter(*arrays.values())
                    assert_same_bits(out, expected)

    def test_model_is_served_by_a_new_process(self):
        arrays = self.arrays(3, (3, 6))
        out = fast_masked_scatter(*arrays.values())
        with saved_function(scatter, arrays) as prefix:
            np.savez(prefix + '.npz', out=out, **arrays)
            assert_python_succeeds(
                f'''
import numpy as np
from scatter_graph_utils import run_predictor, run_saved
from scatter_test_utils import assert_same_bits
arrays = dict(np.load({prefix + '.npz'!r}))
out = arrays.pop('out')
assert_same_bits(run_predictor({prefix!r}, arrays), out)
assert_same_bits(run_saved({prefix!r}, arrays), out)
'''
            )


if __name__ == '__main__':
    unittest.main()
