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
"""index_scatter and index_reduce in static graphs: PIR, legacy, traced, saved."""

import unittest

import numpy as np
from index_reduce_cases import (
    REDUCES,
    cases,
    dtype_reduces,
    expected_index_reduce,
    operands,
    reduce_by_index,
)
from scatter_graph_utils import (
    StaticFunction,
    assert_python_succeeds,
    run_predictor,
    run_saved,
    run_static,
    run_to_static,
    saved_function,
)
from scatter_test_utils import assert_same_bits, to_paddle

import paddle


def scatter_with(axis, reduce, include_self):
    """paddle.scatter with these arguments, as a function of Tensors."""
    options = {'axis': axis}
    if reduce != 'assign':
        options.update(
            overwrite=False, reduce=reduce, include_self=include_self
        )

    def function(x, index, updates):
        return paddle.scatter(x, index, updates, **options)

    return function


def attributes():
    """Yields those with which paddle.scatter does not choose scatter."""
    for axis in (0, 1):
        for reduce in REDUCES:
            for include_self in (False, True):
                if reduce == 'assign' and (include_self or axis == 0):
                    continue
                if (axis, reduce, include_self) != (0, 'sum', False):
                    yield axis, reduce, include_self


def dygraph_results(arrays, attrs, grads_of=('x', 'updates')):
    """The output, and the gradients of the sum of its cubes."""
    tensors = {
        name: to_paddle(array, stop_gradient=name not in grads_of)
        for name, array in arrays.items()
    }
    out = reduce_by_index(*tensors.values(), *attrs)
    (out * out * out).sum().backward()
    return [out.numpy(), *(tensors[name].grad.numpy() for name in grads_of)]


def make_arrays(rng, reduce, x_shape, index, updates_shape, dtype='float64'):
    return {
        'x': operands(rng, x_shape, reduce, dtype),
        'index': np.asarray(index),
        'updates': operands(rng, updates_shape, reduce, dtype),
    }


def compare(found, wanted):
    if len(found) != len(wanted):
        raise AssertionError(f'{len(found)} results for {len(wanted)}')
    for array, expected in zip(found, wanted):
        if array.dtype != expected.dtype:
            raise AssertionError(f'{array.dtype} for {expected.dtype}')
        np.testing.assert_allclose(array, expected, 1e-12, 1e-12)


class TestIndexReduceStatic(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(6)

    def test_every_case_with_known_and_unknown_dims(self):
        for i, (name, x_shape, axis, *shapes) in enumerate(cases()):
            if 0 in x_shape:
                continue  # the executor does not run a loss of no element
            attrs = axis, REDUCES[1 + i % 5], True
            arrays = make_arrays(self.rng, attrs[1], x_shape, *shapes)
            wanted = dygraph_results(arrays, attrs)
            for known in (True, False):
                with self.subTest(case=name, attrs=attrs, known=known):
                    found = run_static(
                        scatter_with(*attrs), arrays, ('x', 'updates'), known
                    )
                    compare(found, wanted)

    def test_every_attribute(self):
        index = [3, 3, 0, -1, 3]
        for attrs in attributes():
            arrays = make_arrays(
                self.rng, attrs[1], (5, 5), index, (5, 5), 'float64'
            )
            with self.subTest(attrs=attrs):
                compare(
                    run_static(scatter_with(*attrs), arrays, ('x', 'updates')),
                    dygraph_results(arrays, attrs),
                )

    def test_every_dtype(self):
        index = np.array([0, 2, 2, -1], 'int32')
        for dtype, reduce in dtype_reduces():
            arrays = make_arrays(self.rng, reduce, (3, 4), index, (3, 4), dtype)
            attrs = 1, reduce, reduce != 'assign'
            tensors = [to_paddle(array) for array in arrays.values()]
            expected = reduce_by_index(*tensors, *attrs)
            with self.subTest(dtype=dtype, reduce=reduce):
                out = run_static(scatter_with(*attrs), arrays)
                assert_same_bits(out, expected.numpy())

    def test_one_program_runs_with_many_shapes(self):
        attrs = 1, 'mean', True
        program = StaticFunction(
            scatter_with(*attrs),
            {
                'x': ([-1, -1], 'float64'),
                'index': ([-1], 'int64'),
                'updates': ([-1, -1], 'float64'),
            },
        )
        for rows, columns, n in ((1, 1, 1), (3, 4, 0), (40, 5, 90), (2, 9, 3)):
            index = self.rng.integers(-columns, columns, n)
            arrays = make_arrays(
                self.rng, 'mean', (rows, columns), index, (rows, n)
            )
            expected = expected_index_reduce(
                *arrays.values(), *attrs, 'float64'
            )
            with self.subTest(rows=rows, columns=columns, n=n):
                compare([program.run(arrays)], [expected])

    def test_in_place_form_falls_back(self):
        arrays = make_arrays(self.rng, 'amax', (5, 4), [1, 1], (5, 2))
        out = run_static(
            lambda *tensors: paddle.scatter_(
                *tensors, overwrite=False, axis=1, reduce='amax'
            ),
            arrays,
        )
        expected = expected_index_reduce(
            *arrays.values(), 1, 'amax', False, 'float64'
        )
        compare([out], [expected])


class TestIndexReduceTraced(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(7)

    def runs(self):
        for attrs in (
            (1, 'mul', True),
            (-2, 'amax', False),
            (1, 'assign', False),
        ):
            index = [3, 3, 0, -1, 3]
            yield (
                attrs,
                make_arrays(self.rng, attrs[1], (5, 5), index, (5, 5)),
            )

    def test_to_static_with_gradients(self):
        for attrs, arrays in self.runs():
            wanted = dygraph_results(arrays, attrs)
            for full_graph in (True, False):
                with self.subTest(attrs=attrs, full_graph=full_graph):
                    found = run_to_static(
                        scatter_with(*attrs),
                        arrays,
                        full_graph,
                        ('x', 'updates'),
                    )
                    compare(found, wanted)

    def test_saved_and_loaded(self):
        for attrs, arrays in self.runs():
            wanted = dygraph_results(arrays, attrs)
            for known in (True, False):
                with saved_function(
                    scatter_with(*attrs), arrays, known
                ) as prefix:
                    with self.subTest(attrs=attrs, known=known):
                        compare(
                            run_saved(prefix, arrays, ('x', 'updates')), wanted
                        )
                        out = run_predictor(prefix, arrays)
                        compare([out], wanted[:1])


class TestIndexReduceLegacy(unittest.TestCase):
    """Programs of the old IR, which a flag read at import chooses."""

    def test_static_graphs(self):
        code = '''
import sys, unittest
import paddle
if paddle.framework.use_pir_api():
    raise SystemExit('the flag had no effect')
suite = unittest.defaultTestLoader.loadTestsFromName(
    'test_index_reduce_graph.TestIndexReduceStatic'
)
result = unittest.TextTestRunner(sys.stdout).run(suite)
if result.testsRun == 0 or not result.wasSuccessful():
    raise SystemExit(1)
'''
        assert_python_succeeds(code, FLAGS_enable_pir_api='0')


if __name__ == '__main__':
    unittest.main()
