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
"""Gradients of an operator by a table of cases (see op_table)."""

import numpy as np
from op_table import TableTests, numbers
from scatter_test_utils import (
    GRAD_DTYPES,
    INT_DTYPES,
    assert_same_bits,
    layouts,
    random_array,
    random_numbers,
    to_paddle,
)

import paddle

# Second differences of a cubic are exact, whatever the step, and so are first
# ones where each element is a factor; amax and amin want a short step.
FIRST_STEP, SECOND_STEP = 2.0**-16, 1.0


def differences(function, arrays, name, step):
    """Central differences of a scalar by each element of arrays[name]."""
    found = np.zeros(arrays[name].shape, np.result_type(function(arrays)))
    for at in np.ndindex(found.shape):
        ahead, behind = arrays[name].copy(), arrays[name].copy()
        ahead[at] += step
        behind[at] -= step
        rise = function({**arrays, name: ahead})
        found[at] = (rise - function({**arrays, name: behind})) / (2 * step)
    return found


def in_double(array):
    """Floats as float64 or complex128; a mask or an index as it is."""
    array = numbers(array)
    if array.dtype.kind not in 'fc':
        return array
    return array.astype(np.result_type(array, np.float64))


def with_directions(op, case):
    """Arrays for derivatives()."""
    arrays = case.arrays(op, 'float64', finite=True)
    rng = np.random.default_rng(9)
    for name in op.differentiable:
        arrays['d_' + name] = random_numbers(rng, arrays[name].shape)
    return arrays


def derivatives(op, function, tensors, gradient, order):
    """A result and its gradients, made alike in dygraph and in every graph.

    The first order is of the sum of the cubes, the second of the slope of that
    in those directions d_<input> that there are. The last argument of `gradient`
    is whether another order follows.
    """
    out = function([tensors[name] for name in op.inputs])
    wrt = [tensors[name] for name in op.differentiable]
    results = [out]
    if order > 0:
        first = gradient([out * out * out], wrt, order > 1)
        results += first
    if order > 1:
        slopes = [
            grad * tensors['d_' + name]
            for name, grad in zip(op.differentiable, first)
            if 'd_' + name in tensors
        ]
        results += gradient(slopes, wrt, False)
    return results


def gradient_in_dygraph(ys, xs, create_graph, out_grads=None):
    return paddle.grad(ys, xs, out_grads, create_graph=create_graph)


def with_operands_of_orders(op, arrays, out_shape, names):
    """Arrays for orders_in_turn()."""
    rng = np.random.default_rng(10)
    found = dict(arrays)
    for order in range(1, op.orders + 1):
        if order % 2:
            found[f'grad_{order}'] = random_numbers(rng, out_shape)
        else:
            for name in names:
                shape = arrays[name].shape
                found[f'{name}_{order}'] = random_numbers(rng, shape)
    return found


def orders_in_turn(op, function, tensors, names, gradient):
    """Every order of a linear operator, made alike in dygraph and in every graph.

    The odd ones are gradients of the inputs `names` by grad_1, grad_3 and so on,
    the even ones those of these by <input>_2 and so on, which is the operator on
    these instead of its inputs.
    """
    out = function([tensors[name] for name in op.inputs])
    inputs, results = [tensors[name] for name in names], []
    for order in range(1, op.orders + 1):
        if order % 2:
            by = [tensors[f'grad_{order}']]
            grads = gradient([out], inputs, order < op.orders, by)
            results += grads
        else:
            inputs = [tensors[f'{name}_{order}'] for name in names]
            (out,) = gradient(grads, by, order < op.orders, inputs)
            results.append(out)
    return results


def in_dygraph(op, case, arrays, order, function=None):
    """`function` is what a graph has made of the operator."""
    found = derivatives(
        op,
        function or case.bind(op.function),
        op.tensors(arrays, op.differentiable),
        gradient_in_dygraph,
        order,
    )
    return [tensor.numpy() for tensor in found]


class GradientTests(TableTests):
    """Gradients in dygraph, against differences of the reference."""

    def apply(self, case, arrays):
        return self.op.reference(
            *(arrays[name] for name in self.op.inputs), **case.options
        )

    def gradients(self, case, tensors, out_grad):
        """Of the inputs that do not stop them."""
        out = self.op.function(*tensors.values(), **case.options)
        wrt = [t for t in tensors.values() if not t.stop_gradient]
        return paddle.grad([out], wrt, [out_grad])

    def operands(self, case, dtype):
        """Arrays of the inputs and of the gradient of the result."""
        arrays = case.arrays(self.op, dtype, finite=True)
        shape = self.apply(case, arrays).shape
        rng = np.random.default_rng(8)
        return arrays, np.asarray(random_numbers(rng, shape, dtype))

    def test_gradients(self):
        self.for_each(self.check_gradients, GRAD_DTYPES)

    def check_gradients(self, case, dtype):
        arrays, out_grad = self.operands(case, dtype)
        names = self.op.differentiable
        wide = {name: in_double(array) for name, array in arrays.items()}

        def product(arrays):
            return np.vdot(self.apply(case, arrays), in_double(out_grad))

        tensors = self.op.tensors(arrays, names)
        found = self.gradients(case, tensors, to_paddle(out_grad))
        for name, grad in zip(names, found):
            expected = differences(product, wide, name, FIRST_STEP)
            self.assert_near(grad.numpy(), expected, dtype)
            tensors = self.op.tensors(arrays, [name])
            (alone,) = self.gradients(case, tensors, to_paddle(out_grad))
            self.assert_result(alone, grad.numpy(), dtype)
        for layout, view in layouts(out_grad) if dtype == 'float32' else ():
            tensors = self.op.tensors(arrays, names, layout)
            for grad, wanted in zip(self.gradients(case, tensors, view), found):
                assert_same_bits(grad, wanted.numpy(), layout)

    def test_gradients_of_integers(self):
        if not self.op.linear:
            self.skipTest('the operator has no gradients of integers')
        self.for_each(self.check_gradients_of_integers, INT_DTYPES)

    def check_gradients_of_integers(self, case, dtype):
        """Modulo 2^n; shares of a mean are rounded down."""
        names = self.op.differentiable
        wide = case.arrays(self.op, 'float64', finite=True)
        shape = self.apply(case, wide).shape
        drawn = random_array(np.random.default_rng(8), shape, dtype)
        # so that float64 holds sums and their differences
        out_grad = np.asarray(drawn >> max(0, 8 * drawn.itemsize - 24))

        def product(arrays):
            return np.vdot(self.apply(case, arrays), out_grad.astype('float64'))

        tensors = self.op.tensors(case.arrays(self.op, dtype), names)
        found = self.gradients(case, tensors, to_paddle(out_grad))
        for name, grad in zip(names, found):
            slope = differences(product, wide, name, SECOND_STEP)
            expected = np.floor(slope + 1e-3).astype('int64').astype(dtype)
            assert_same_bits(grad, expected, name)

    def test_second_order(self):
        if self.op.orders < 2:
            self.skipTest('the operator has no second order')
        self.for_each(self.check_second_order, ('float64',))

    def check_second_order(self, case, dtype):
        names = self.op.differentiable
        for only in {names, names[:1]}:  # masked_fill can't do without x
            arrays = with_directions(self.op, case)
            for name in {*names} - {*only}:
                del arrays['d_' + name]
            self.check_slope(case, arrays, only)

    def check_slope(self, case, arrays, only):
        def cubes(arrays, way):
            moved = {n: arrays[n] + way * arrays['d_' + n] for n in only}
            return (self.apply(case, {**arrays, **moved}) ** 3).sum()

        def slope(arrays):
            return (cubes(arrays, 1) - cubes(arrays, -1)) / 2

        names = self.op.differentiable
        results = in_dygraph(self.op, case, arrays, order=2)
        for name, found in zip(names, results[1 + len(names) :]):
            expected = differences(slope, arrays, name, SECOND_STEP)
            self.assert_near(found, expected, 'float64')

    def test_higher_orders(self):
        if self.op.orders < 3:
            self.skipTest('the operator has no third order')
        self.for_each(self.check_higher_orders, ('float64',))

    def check_higher_orders(self, case, dtype):
        both = self.op.differentiable
        for names in {both, both[:1], both[1:]} - {()}:
            arrays = case.arrays(self.op, dtype, finite=True)
            shape = self.apply(case, arrays).shape
            arrays = with_operands_of_orders(self.op, arrays, shape, names)
            wrt = arrays.keys() - {*self.op.inputs} | {*names}
            found = orders_in_turn(
                self.op,
                case.bind(self.op.function),
                self.op.tensors(arrays, wrt),
                names,
                gradient_in_dygraph,
            )
            expected = self.expected_orders(case, arrays, names)
            self.assertEqual(len(found), len(expected))
            for tensor, wanted in zip(found, expected):
                self.assert_near(tensor.numpy(), wanted, dtype)

    def expected_orders(self, case, arrays, names):
        """The first gradients are checked above, the operator by its values."""
        found, zeros = [], {}
        for name in self.op.inputs:
            if name not in ('mask', 'index'):  # the operands that it moves
                zeros[name] = np.zeros_like(arrays[name])
        for order in range(1, self.op.orders + 1):
            if order % 2:
                inputs = {name: arrays[name] for name in self.op.inputs}
                tensors = self.op.tensors(inputs, names)
                out_grad = to_paddle(arrays[f'grad_{order}'])
                grads = self.gradients(case, tensors, out_grad)
                found += [grad.numpy() for grad in grads]
            else:
                own = {name: arrays[f'{name}_{order}'] for name in names}
                found.append(self.apply(case, {**arrays, **zeros, **own}))
        return found

    def test_gradients_in_place(self):
        if self.op.inplace is None:
            self.skipTest('the operator has no in-place form')
        self.for_each(self.check_in_place_gradients, ('float64',))

    def check_in_place_gradients(self, case, dtype):
        arrays = with_directions(self.op, case)
        order = min(self.op.orders, 2)
        expected = in_dygraph(self.op, case, arrays, order)
        if expected[0].shape != arrays[self.op.inputs[0]].shape:
            return

        def in_place(tensors):
            copy = tensors[0] * 1
            function = case.bind(self.op.inplace)
            result = function([copy, *tensors[1:]])
            self.assertIs(result, copy)
            return result

        found = in_dygraph(self.op, case, arrays, order, in_place)
        for tensor, wanted in zip(found, expected):
            self.assert_near(tensor, wanted, dtype)
