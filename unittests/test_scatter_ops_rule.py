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

import unittest

from paddle.distributed import ProcessMesh
from paddle.distributed.auto_parallel.static.dist_attribute import (
    DistTensorSpec,
    TensorDistAttr,
)
from paddle.framework import core

MESH = ProcessMesh([[0, 1, 2], [3, 4, 5]])


def parse(text):
    """Return a TensorDistAttr. '0-1' is the dims_mapping [0, -1, 1], '()' that of
    a 0-D tensor; '-+01' is partial over the mesh dims 0 and 1."""
    dims, _, partial = text.strip('()').partition('+')
    attr = TensorDistAttr()
    attr.dims_mapping = [-1 if dim == '-' else int(dim) for dim in dims]
    attr.process_mesh = MESH
    attr._set_partial_dims([int(dim) for dim in partial])
    return attr


def unparse(attr):
    dims = ''.join(str(dim).replace('-1', '-') for dim in attr.dims_mapping)
    partial = ''.join(map(str, sorted(attr._partial_dims())))
    return (dims or '()') + ('+' + partial if partial else '')


class SPMDRuleTest(unittest.TestCase):
    """Check what the rules of `op` infer from the `shapes` of its inputs.

    A case is 'inputs -> inferred inputs -> inferred outputs'.
    """

    attrs = ()
    # out_grad, and out if the gradient needs it
    num_outs_in_grad = 1

    def infer(self, rule, shapes, inputs, method='infer_forward'):
        specs = map(DistTensorSpec, shapes, map(parse, inputs.split(', ')))
        rule = core.get_phi_spmd_rule(rule)
        inferred = getattr(rule, method)(*specs, *self.attrs)
        return ' -> '.join(', '.join(map(unparse, attrs)) for attrs in inferred)

    def check_forward(self, case):
        inputs, expected = case.split(' -> ', 1)
        self.assertEqual(self.infer(self.op, self.shapes, inputs), expected)

    def check_reverse(self, case):
        """The case has out in place of inputs, which are replicated."""
        out, expected = case.split(' -> ', 1)
        inputs = ['-' * len(shape) or '()' for shape in self.shapes]
        inferred = self.infer(
            self.op,
            [*self.shapes, self.out_shape],
            ', '.join([*inputs, out]),
            'infer_backward',
        )
        self.assertEqual(inferred, expected)

    def check_grad(self, case):
        inputs, expected = case.split(' -> ', 1)
        shapes = self.shapes + [self.out_shape] * self.num_outs_in_grad
        self.assertEqual(
            self.infer(f'{self.op}_grad', shapes, inputs), expected
        )


class TestSelectScatterSPMDRule(SPMDRuleTest):
    op = 'select_scatter'
    shapes = [[4, 6, 8], [4, 8]]
    attrs = (1, 2)
    out_shape = [4, 6, 8]

    def test_forward(self):
        self.check_forward('0-1, 01 -> 0-1, 01 -> 0-1')
        # axis is replicated.
        self.check_forward('-0-, -- -> ---, -- -> ---')
        # The sharding of values propagates to x.
        self.check_forward('---, -1 -> --1, -1 -> --1')
        # Mesh dim 0 shards the dim that x maps to it.
        self.check_forward('0--, -0 -> 0--, 0- -> 0--')
        # A partial x is reduced first.
        self.check_forward('--1+0, -- -> --1, -1 -> --1')
        # Two mesh dims do not shard one dim: that of x does.
        self.check_forward('0--, 1- -> 0--, 0- -> 0--')

    def test_reverse(self):
        self.check_reverse('01- -> 0--, 0- -> 0--')

    def test_grad(self):
        # The sharding of out_grad propagates to x and values.
        self.check_grad('-1-, --, 01- -> 0--, 0-, 0-- -> 0--, 0-')


class TestSelectScatterSPMDRuleNegativeAxis(TestSelectScatterSPMDRule):
    attrs = (-2, 2)


class TestSelectScatterSPMDRuleAxisError(SPMDRuleTest):
    def test_axis(self):
        for axis in (-4, 3):
            self.attrs = (axis, 2)
            with self.assertRaises(ValueError):
                self.infer('select_scatter', [[4, 6, 8], [4, 8]], '---, --')


class TestDiagonalScatterSPMDRule(SPMDRuleTest):
    op = 'diagonal_scatter'
    # y has dim 1 of x, then the diagonal.
    shapes = [[4, 6, 8], [6, 4]]
    attrs = (0, 0, 2)
    out_shape = [4, 6, 8]

    def test_forward(self):
        self.check_forward('-1-, 1- -> -1-, 1- -> -1-')
        # axis1 and axis2 are replicated.
        self.check_forward('0-1, -- -> ---, -- -> ---')
        # The diagonal is replicated.
        self.check_forward('---, 01 -> -0-, 0- -> -0-')

    def test_reverse(self):
        self.check_reverse('01- -> -1-, 1- -> -1-')

    def test_grad(self):
        self.check_grad('-0-, -0, 01- -> -1-, 1-, -1- -> -1-, 1-')


class TestDiagonalScatterSPMDRuleNegativeAxis(TestDiagonalScatterSPMDRule):
    attrs = (0, -3, -1)


class TestDiagonalScatterSPMDRuleMatrix(SPMDRuleTest):
    op = 'diagonal_scatter'
    shapes = [[4, 6], [4]]
    attrs = (0, 0, 1)
    out_shape = [4, 6]

    def test_all_replicated(self):
        self.check_forward('01, 0 -> --, - -> --')
        self.check_reverse('01 -> --, - -> --')
        self.check_grad('01, 0, 10 -> --, -, -- -> --, -')


class TestIndexScatterSPMDRule(SPMDRuleTest):
    op = 'index_scatter'
    shapes = [[4, 6, 8], [3], [4, 3, 8]]
    attrs = (1, 'sum', True)
    out_shape = [4, 6, 8]

    def test_forward(self):
        self.check_forward('0-1, -, 0-1 -> 0-1, -, 0-1 -> 0-1')
        # axis and index are replicated.
        self.check_forward('-0-, 1, -1- -> ---, -, --- -> ---')
        # The sharding of updates propagates to x.
        self.check_forward('---, -, -01 -> --1, -, --1 -> --1')

    def test_reverse(self):
        self.check_reverse('01- -> 0--, -, 0-- -> 0--')

    def test_grad(self):
        self.check_grad('-1-, 1, ---, 01- -> 0--, -, 0--, 0-- -> 0--, 0--')


class TestIndexScatterSPMDRuleNegativeAxis(TestIndexScatterSPMDRule):
    attrs = (-2, 'sum', True)


class TestIndexScatterSPMDRule0DIndex(SPMDRuleTest):
    op = 'index_scatter'
    # updates has no dim for axis.
    shapes = [[4, 6, 8], [], [4, 8]]
    attrs = (1, 'sum', True)
    out_shape = [4, 6, 8]

    def test_forward(self):
        self.check_forward('0-1, (), -- -> 0-1, (), 01 -> 0-1')

    def test_reverse(self):
        self.check_reverse('01- -> 0--, (), 0- -> 0--')

    def test_grad(self):
        self.check_grad('---, (), --, 01- -> 0--, (), 0-, 0-- -> 0--, 0-')


class TestIndexReduceSPMDRule(TestIndexScatterSPMDRule):
    op = 'index_reduce'
    attrs = (1, 'amax', True)
    num_outs_in_grad = 2

    def test_grad(self):
        # out is sharded as out_grad, which is the last input.
        self.check_grad(
            '-1-, 1, ---, --1, 01- -> 0--, -, 0--, 0--, 0-- -> 0--, 0--'
        )


class TestIndexReduceSPMDRuleNegativeAxis(TestIndexReduceSPMDRule):
    attrs = (-2, 'amax', True)


class TestMaskedFillSPMDRule(SPMDRuleTest):
    op = 'masked_fill'
    shapes = [[4, 6], [4, 6], []]
    out_shape = [4, 6]

    def test_forward(self):
        self.check_forward('10, 10, () -> 10, 10, () -> 10')
        # x and mask propagate their sharding to each other.
        self.check_forward('0-, -1, () -> 01, 01, () -> 01')
        # Mesh dim 0 shards the dim that x maps to it.
        self.check_forward('0-, -0, () -> 0-, 0-, () -> 0-')
        # A partial x is reduced first.
        self.check_forward('0-+1, --, () -> 0-, 0-, () -> 0-')
        # Two mesh dims do not shard one dim: that of x does.
        self.check_forward('0-, 1-, () -> 0-, 0-, () -> 0-')

    def test_reverse(self):
        self.check_reverse('01 -> 01, 01, () -> 01')

    def test_grad(self):
        # value_grad is partial over the mesh dims that shard out_grad.
        self.check_grad('1-, --, (), 01 -> 01, 01, (), 01 -> 01, ()+01')
        self.check_grad('--, --, (), -1 -> -1, -1, (), -1 -> -1, ()+1')
        self.check_grad('--, --, (), --+0 -> --, --, (), -- -> --, ()')


class TestMaskedFillSPMDRuleBroadcastMask(SPMDRuleTest):
    op = 'masked_fill'
    shapes = [[4, 6], [1, 6], [4, 1]]
    out_shape = [4, 6]

    def test_forward(self):
        self.check_forward('01, --, -- -> 01, -1, 0- -> 01')
        # Broadcast dims are replicated.
        self.check_forward('--, 0-, -1 -> --, --, -- -> --')
        # The sharding of value propagates to x.
        self.check_forward('--, --, 1- -> 1-, --, 1- -> 1-')

    def test_reverse(self):
        self.check_reverse('01 -> 01, -1, 0- -> 01')

    def test_grad(self):
        self.check_grad('--, --, --, 01 -> 01, -1, 0-, 01 -> 01, 0-+1')


class TestMaskedFillSPMDRuleBroadcastX(SPMDRuleTest):
    op = 'masked_fill'
    # A value of one element may have more dims than out.
    shapes = [[6], [4, 6], [1, 1, 1]]
    out_shape = [4, 6]

    def test_forward(self):
        self.check_forward('0, 1-, --- -> 0, 10, --- -> 10')

    def test_reverse(self):
        self.check_reverse('01 -> 1, 01, --- -> 01')

    def test_grad(self):
        self.check_grad('-, --, ---, 01 -> 1, 01, ---, 01 -> 1+0, ---+01')


class TestMaskedFillSPMDRuleDynamicShape(SPMDRuleTest):
    op = 'masked_fill'
    shapes = [[-1, 6], [-1, 1], []]
    out_shape = [-1, 6]

    def test_forward(self):
        self.check_forward('01, --, () -> 01, 0-, () -> 01')


class TestMaskedScatterSPMDRule(SPMDRuleTest):
    op = 'masked_scatter'
    shapes = [[4, 6], [1, 6], [30]]
    out_shape = [4, 6]

    def test_all_replicated(self):
        self.check_forward('0-, -1, 0 -> --, --, - -> --')
        self.check_forward('10, --, - -> --, --, - -> --')
        self.check_reverse('01 -> --, --, - -> --')
        self.check_grad('0-, -1, 1, 0-+1 -> --, --, -, -- -> --, -')


class TestMaskedScatterSPMDRuleBroadcastX(SPMDRuleTest):
    op = 'masked_scatter'
    shapes = [[4, 6], [2, 4, 6], [30]]
    out_shape = [2, 4, 6]

    def test_all_replicated(self):
        self.check_forward('01, -01, 0 -> --, ---, - -> ---')
        self.check_reverse('01- -> --, ---, - -> ---')
        self.check_grad('01, 01-, 0, -01 -> --, ---, -, --- -> --, -')


if __name__ == '__main__':
    unittest.main()
