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
"""Gradients of higher orders, in static graphs with dygraph as the expectation;
and first-order ones by one input in programs of the old kind."""

import inspect
from pathlib import Path

import numpy as np
from scatter_graph_utils import (
    assert_python_succeeds,
    forget_dead_programs,
    static_mode,
)

import paddle


def _differentiated_twice(function, gradient):
    """A function from Tensors and the names of some to a scalar which hangs on
    their gradients. `gradient` is paddle.grad or its like in a static graph."""

    def loss(tensors, wrt):
        out = function(**tensors)
        # Weights, so that no two elements of the gradient are alike.
        shape = tuple(out.shape)
        weights = np.arange(np.prod(shape)).reshape(shape) / 4 + 1
        bent = paddle.sin(out) * paddle.to_tensor(weights, out.dtype)
        found = gradient(bent.sum(), [tensors[name] for name in wrt])
        return out.sum() + sum(paddle.square(g).sum() for g in found)

    return loss


def _tensors(arrays, wrt):
    return {
        name: paddle.to_tensor(array, stop_gradient=name not in wrt)
        for name, array in arrays.items()
    }


def _dygraph_gradient(y, xs):
    return paddle.grad(y, xs, create_graph=True)


def in_dygraph(function, arrays, wrt):
    tensors = _tensors(arrays, wrt)
    _differentiated_twice(function, _dygraph_gradient)(tensors, wrt).backward()
    return [tensors[name].grad.numpy() for name in wrt]


def in_to_static(function, arrays, wrt, full_graph=True):
    forget_dead_programs()
    loss = _differentiated_twice(function, _dygraph_gradient)

    def traced(tensors):
        return loss(tensors, wrt)

    tensors = _tensors(arrays, wrt)
    paddle.jit.to_static(traced, full_graph=full_graph)(tensors).backward()
    return [tensors[name].grad.numpy() for name in wrt]


def in_program(function, arrays, wrt, differentiate=paddle.static.gradients):
    """`differentiate`: gives the gradients of a scalar in the last step."""
    loss = _differentiated_twice(function, paddle.static.gradients)
    program = paddle.static.Program()
    with static_mode(), paddle.static.program_guard(program):
        data = {
            name: paddle.static.data(name, array.shape, str(array.dtype))
            for name, array in arrays.items()
        }
        for name in wrt:
            data[name].stop_gradient = False
        found = differentiate(loss(data, wrt), [data[name] for name in wrt])
        return paddle.static.Executor().run(
            program, feed=arrays, fetch_list=found
        )


def by_append_backward(y, xs):
    pairs = paddle.static.append_backward(y, parameter_list=xs)
    return [gradient for _, gradient in pairs]


def in_a_branch(function):
    """`function` in the branch of a cond that is taken."""

    def branching(**tensors):
        return paddle.static.nn.cond(
            paddle.full([], True, 'bool'),
            lambda: function(**tensors) * 1,
            lambda: tensors['x'] * 2,
        )

    return branching


def check_one_by_one(cases):
    """Gradients by one input while the other stops its own."""
    if paddle.framework.use_pir_api():
        raise AssertionError('this is not a program of the old kind')
    for function, arrays, wrt in cases.values():
        for name in wrt.split():
            tensors = _tensors(arrays, [name])
            paddle.square(function(**tensors)).sum().backward()
            expected = tensors[name].grad.numpy()
            found = run_static(function, arrays, [name])
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def run_static(function, arrays, wrt):
    program = paddle.static.Program()
    with static_mode(), paddle.static.program_guard(program):
        data = {
            name: paddle.static.data(name, array.shape, str(array.dtype))
            for name, array in arrays.items()
        }
        for name in wrt:
            data[name].stop_gradient = False
        out = paddle.square(function(**data))
        found = paddle.static.gradients([out], [data[name] for name in wrt])
        return paddle.static.Executor().run(
            program, feed=arrays, fetch_list=found
        )[0]


class SecondOrderCases:
    """A mixin for a TestCase with `cases`: names to (function, arrays, wrt),
    the last one a string. The first of the functions has the shape of x."""

    cases = None

    def check_case(self, run, function, arrays, wrt, place=lambda f: f):
        wrt = wrt.split()
        expected = in_dygraph(function, arrays, wrt)
        found = run(place(function), arrays, wrt)
        self.assertEqual(len(found), len(expected))
        for want, have in zip(expected, found):
            np.testing.assert_allclose(have, want, rtol=1e-5)
            self.assertEqual(have.shape, want.shape)

    def check(self, run):
        for name, case in self.cases.items():
            with self.subTest(name):
                self.check_case(run, *case)

    def test_to_static(self):
        self.check(in_to_static)

    def test_sot(self):
        self.check(lambda *case: in_to_static(*case, full_graph=False))

    def test_gradients_twice(self):
        self.check(in_program)

    def test_append_backward(self):
        self.check(
            lambda *case: in_program(*case, differentiate=by_append_backward)
        )

    def test_in_a_branch(self):
        case = next(iter(self.cases.values()))
        self.check_case(in_program, *case, place=in_a_branch)

    def test_old_programs_by_one_input(self):
        name = type(self).__name__
        module = Path(inspect.getfile(type(self))).stem
        assert_python_succeeds(
            'from scatter_grad_utils import check_one_by_one\n'
            f'from {module} import {name}\n'
            f'check_one_by_one({name}.cases)\n',
            FLAGS_enable_pir_api='0',
        )

    def test_third_order_in_dygraph_is_refused(self):
        for name, case in self.cases.items():
            with self.subTest(name):
                self.check_third_order_is_refused(*case)

    def check_third_order_is_refused(self, function, arrays, wrt):
        """Already the second order with create_graph is, as Paddle's nodes do
        it where no entry follows."""
        wrt = wrt.split()
        tensors = _tensors(arrays, wrt)
        loss = _differentiated_twice(function, _dygraph_gradient)
        with self.assertRaisesRegex(
            RuntimeError, "_double_grad doesn't have any grad op"
        ):
            paddle.grad(
                loss(tensors, wrt),
                [tensors[name] for name in wrt],
                create_graph=True,
            )


class LastOrderCases(SecondOrderCases):
    """The same of an operator whose second order is the last in programs too."""

    def test_third_order_in_a_program_is_refused(self):
        function, arrays, wrt = next(iter(self.cases.values()))
        with (
            static_mode(),
            paddle.static.program_guard(paddle.static.Program()),
        ):
            data = {
                name: paddle.static.data(name, array.shape, str(array.dtype))
                for name, array in arrays.items()
            }
            variables = [data[name] for name in wrt.split()]
            for variable in variables:
                variable.stop_gradient = False
            results = [function(**data)]
            with self.assertRaisesRegex(
                ValueError, r'_double_(grad|vjp). has no grad op'
            ):
                # Each order by what the one before was weighted with.
                for _ in range(3):
                    weights = [paddle.ones_like(result) for result in results]
                    for weight in weights:
                        weight.stop_gradient = False
                    results = paddle.static.gradients(
                        results, variables, weights
                    )
                    variables = weights
