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
"""select_scatter and diagonal_scatter in graphs: tests for both.

A test case inherits a mixin and sets `op` to a ViewOp.
"""

import numpy as np
from scatter_graph_utils import (
    StaticFunction,
    assert_python_succeeds,
    run_predictor,
    run_saved,
    run_static,
    run_to_static,
    saved_function,
)
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_array,
    random_numbers,
)
from view_scatter_cases import (
    random_pair,
    reference_scatter,
    reference_scatter_grad,
)


def expected_with_gradients(op, arrays, attributes):
    """Output and gradients of the sum of its cubes."""
    out = reference_scatter(op, *arrays.values(), attributes)
    grads = reference_scatter_grad(op, 3 * out * out, attributes)
    return [out, *grads]


def random_inputs(op, rng, x_shape, attributes):
    def make(shape):
        return random_numbers(rng, shape)

    return op.named(*random_pair(op, make, x_shape, attributes))


def check_static_programs(op):
    """Every case in a static program, with known and with unknown dims."""
    rng = np.random.default_rng(10)
    for name, x_shape, attributes in op.cases:
        arrays = random_inputs(op, rng, x_shape, attributes)
        expected = expected_with_gradients(op, arrays, attributes)
        for known in (True, False):
            what = f'{op.name}, {name}, dims known: {known}'
            check_results(
                run_static(op.call(*attributes), arrays, list(arrays), known),
                expected,
                what,
            )


def check_results(actual, expected, what):
    for ours, wanted in zip(actual, expected):
        if ours.shape != wanted.shape:
            raise AssertionError(f'{what}: {ours.shape}, not {wanted.shape}')
        np.testing.assert_allclose(
            ours, wanted, rtol=1e-12, atol=1e-12, err_msg=what
        )


class ScatterGraphs:
    # of a case with enough dims for everything that a graph may do
    graph_case = 0

    def setUp(self):
        self.rng = np.random.default_rng(11)
        _, self.x_shape, self.attributes = self.op.cases[self.graph_case]
        self.function = self.op.call(*self.attributes)
        self.arrays = random_inputs(
            self.op, self.rng, self.x_shape, self.attributes
        )
        self.expected = expected_with_gradients(
            self.op, self.arrays, self.attributes
        )
        self.names = list(self.arrays)

    def test_every_case_in_a_static_program(self):
        check_static_programs(self.op)

    def test_every_case_in_a_legacy_program(self):
        upper = {'select_scatter': 'SELECT', 'diagonal_scatter': 'DIAGONAL'}
        name = upper[self.op.name]
        assert_python_succeeds(
            'from view_scatter_graph import check_static_programs\n'
            f'from view_scatter_cases import {name}\n'
            'import paddle\n'
            'if paddle.framework.in_pir_mode() or '
            'paddle.base.framework.get_flags("FLAGS_enable_pir_api")'
            '["FLAGS_enable_pir_api"]:\n'
            '    raise SystemExit("not a legacy program")\n'
            f'check_static_programs({name})\n',
            FLAGS_enable_pir_api='0',
        )

    def test_every_dtype_in_a_static_program(self):
        for dtype in ALL_DTYPES:
            x, values = random_pair(
                self.op,
                lambda s, dtype=dtype: random_array(self.rng, s, dtype),
                self.x_shape,
                self.attributes,
            )
            expected = reference_scatter(self.op, x, values, self.attributes)
            with self.subTest(dtype=dtype):
                out = run_static(self.function, self.op.named(x, values))
                assert_same_bits(out, expected)

    def test_one_program_takes_inputs_of_any_size(self):
        for attributes, x_shapes in self.growing_cases:
            program = None
            for x_shape in x_shapes:
                arrays = random_inputs(self.op, self.rng, x_shape, attributes)
                program = program or StaticFunction.like(
                    self.op.call(*attributes),
                    arrays,
                    self.names,
                    known_dims=False,
                )
                with self.subTest(attributes=attributes, x_shape=x_shape):
                    check_results(
                        program.run(arrays),
                        expected_with_gradients(self.op, arrays, attributes),
                        x_shape,
                    )

    def test_wrong_sizes_are_an_error_when_the_program_runs(self):
        for attributes, x_shape, values_shape, error, text in self.late_errors:
            arrays = self.op.named(np.zeros(x_shape), np.zeros(values_shape))
            program = StaticFunction.like(
                self.op.call(*attributes), arrays, known_dims=False
            )
            with self.subTest(x_shape=x_shape, attributes=attributes):
                with self.assertRaisesRegex(error, text):
                    program.run(arrays)

    def test_to_static(self):
        for full_graph in (True, False):
            with self.subTest(full_graph=full_graph):
                check_results(
                    run_to_static(
                        self.function, self.arrays, full_graph, self.names
                    ),
                    self.expected,
                    'to_static',
                )

    def test_saved_and_loaded(self):
        for known in (True, False):
            with self.subTest(known_dims=known):
                with saved_function(
                    self.function, self.arrays, known
                ) as prefix:
                    check_results(
                        run_saved(prefix, self.arrays, self.names),
                        self.expected,
                        'loaded',
                    )
                    out = run_predictor(prefix, self.arrays)
                    assert_same_bits(out, self.expected[0], 'predictor')
