import unittest

from paddle.distributed import ProcessMesh
from paddle.distributed.auto_parallel.static.dist_attribute import (
    DistTensorSpec,
    TensorDistAttr,
)
from paddle.framework import core


class SPMDRuleTests:
    """A case has the dims_mapping of each input, the inferred ones, and the partial
    mesh dims of outputs and inputs, by position."""

    attrs = [()]  # equivalent attributes
    like_out = 0  # the input that has the shape of out

    def check(self, rule, method, shapes, case, outputs):
        inputs, inferred, partial_outputs, partial = (*case, {}, {})[:4]
        specs = []
        for i, (shape, dims_mapping) in enumerate(zip(shapes, inputs)):
            dist_attr = TensorDistAttr()
            dist_attr.dims_mapping = dims_mapping
            dist_attr.process_mesh = ProcessMesh([[0, 1, 2], [3, 4, 5]])
            dist_attr._set_partial_dims(list(partial.get(i, [])))
            specs.append(DistTensorSpec(shape, dist_attr))
        infer = getattr(core.get_phi_spmd_rule(rule), method)
        for attrs in self.attrs:
            dist_attrs, out_attrs = infer(*specs, *attrs)
            self.assertEqual([a.dims_mapping for a in dist_attrs], inferred)
            self.assertEqual([a.dims_mapping for a in out_attrs], outputs)
            self.assertFalse(any(a._is_partial() for a in dist_attrs))
            for i, attr in enumerate(out_attrs):
                dims = partial_outputs.get(i, set())
                self.assertEqual(attr._partial_dims(), dims)

    def test_forward(self):
        for case in self.forward:
            out = case[1][self.like_out]
            self.check(self.op, 'infer_forward', self.shapes, case, [out])

    def test_reverse(self):
        out, inferred = self.reverse
        inputs = [[-1] * len(shape) for shape in self.shapes]
        shapes = [*self.shapes, self.shapes[self.like_out]]
        outputs = [inferred[self.like_out]]
        case = [*inputs, out], inferred
        self.check(self.op, 'infer_backward', shapes, case, outputs)

    def test_grad(self):
        """Check the gradients of the first and of the last input before out_grad."""
        for inputs, inferred, *partial in self.grad:
            num_outs = len(inputs) - len(inferred)
            shapes = self.shapes + [self.shapes[self.like_out]] * num_outs
            outs = [inferred[self.like_out]] * num_outs
            case = inputs, inferred + outs, *partial
            grads = [inferred[0], inferred[-1]]
            self.check(f'{self.op}_grad', 'infer_forward', shapes, case, grads)


class TestSelectScatterSPMDRule(SPMDRuleTests, unittest.TestCase):
    op = 'select_scatter'
    shapes = [[4, 6, 8], [4, 8]]
    attrs = [(1, 2), (-2, 2)]
    forward = [
        ([[0, -1, 1], [0, 1]], [[0, -1, 1], [0, 1]]),
        # axis is replicated.
        ([[-1, 0, -1], [-1, -1]], [[-1, -1, -1], [-1, -1]]),
        # The sharding of values propagates to x.
        ([[-1, -1, -1], [-1, 1]], [[-1, -1, 1], [-1, 1]]),
        # A mesh dim shards at most one dim: x has priority.
        ([[0, -1, -1], [-1, 0]], [[0, -1, -1], [0, -1]]),
        # At most one mesh dim shards a dim: x has priority.
        ([[0, -1, -1], [1, -1]], [[0, -1, -1], [0, -1]]),
        # A partial x is reduced first.
        ([[-1, -1, 1], [-1, -1]], [[-1, -1, 1], [-1, 1]], {}, {0: {0}}),
    ]
    reverse = ([0, 1, -1], [[0, -1, -1], [0, -1]])
    # The sharding of out_grad propagates to x and values.
    grad = [([[-1, 1, -1], [-1, -1], [0, 1, -1]], reverse[1])]

    def test_axis_out_of_range_raises(self):
        for axis in (-4, 3):
            self.attrs = [(axis, 2)]
            with self.assertRaises(ValueError):
                self.test_forward()


class TestDiagonalScatterSPMDRule(SPMDRuleTests, unittest.TestCase):
    op = 'diagonal_scatter'
    # The dims of y are dim 1 of x and the diagonal.
    shapes = [[4, 6, 8], [6, 4]]
    attrs = [(0, 0, 2), (0, -3, -1)]
    forward = [
        ([[-1, 1, -1], [1, -1]], [[-1, 1, -1], [1, -1]]),
        # axis1 and axis2 are replicated.
        ([[0, -1, 1], [-1, -1]], [[-1, -1, -1], [-1, -1]]),
        # The diagonal is replicated.
        ([[-1, -1, -1], [0, 1]], [[-1, 0, -1], [0, -1]]),
    ]
    reverse = ([0, 1, -1], [[-1, 1, -1], [1, -1]])
    grad = [([[-1, 0, -1], [-1, 0], [0, 1, -1]], reverse[1])]


class TestDiagonalScatterSPMDRuleMatrix(SPMDRuleTests, unittest.TestCase):
    op = 'diagonal_scatter'
    shapes = [[4, 6], [4]]
    attrs = [(0, 0, 1)]
    forward = [([[0, 1], [0]], [[-1, -1], [-1]])]
    reverse = ([0, 1], [[-1, -1], [-1]])
    grad = [([[0, 1], [0], [1, 0]], [[-1, -1], [-1]])]


class TestIndexScatterSPMDRule(SPMDRuleTests, unittest.TestCase):
    op = 'index_scatter'
    shapes = [[4, 6, 8], [3], [4, 3, 8]]
    attrs = [(1, 'sum', True), (-2, 'sum', True)]
    forward = [
        ([[0, -1, 1], [-1], [0, -1, 1]], [[0, -1, 1], [-1], [0, -1, 1]]),
        # axis and index are replicated.
        ([[-1, 0, -1], [1], [-1, 1, -1]], [[-1] * 3, [-1], [-1] * 3]),
        # The sharding of updates propagates to x.
        ([[-1] * 3, [-1], [-1, 0, 1]], [[-1, -1, 1], [-1], [-1, -1, 1]]),
    ]
    reverse = ([0, 1, -1], [[0, -1, -1], [-1], [0, -1, -1]])
    grad = [([[-1, 1, -1], [1], [-1] * 3, [0, 1, -1]], reverse[1])]


class TestIndexScatterSPMDRule0DIndex(SPMDRuleTests, unittest.TestCase):
    op = 'index_scatter'
    # updates has no dim for axis.
    shapes = [[4, 6, 8], [], [4, 8]]
    attrs = [(1, 'sum', True)]
    forward = [([[0, -1, 1], [], [-1, -1]], [[0, -1, 1], [], [0, 1]])]
    reverse = ([0, 1, -1], [[0, -1, -1], [], [0, -1]])
    grad = [([[-1] * 3, [], [-1, -1], [0, 1, -1]], reverse[1])]


class TestIndexReduceSPMDRule(TestIndexScatterSPMDRule):
    op = 'index_reduce'
    attrs = [(1, 'amax', True), (-2, 'amax', True)]
    # out, the last input but one, is sharded like out_grad.
    grad = [
        (
            [[-1, 1, -1], [1], [-1] * 3, [-1, -1, 1], [0, 1, -1]],
            [[0, -1, -1], [-1], [0, -1, -1]],
        )
    ]


class TestMaskedFillSPMDRule(SPMDRuleTests, unittest.TestCase):
    op = 'masked_fill'
    shapes = [[4, 6], [4, 6], []]
    forward = [
        ([[1, 0], [1, 0], []], [[1, 0], [1, 0], []]),
        # x and mask propagate their sharding to each other.
        ([[0, -1], [-1, 1], []], [[0, 1], [0, 1], []]),
        # A mesh dim shards at most one dim: x has priority.
        ([[0, -1], [-1, 0], []], [[0, -1], [0, -1], []]),
        # At most one mesh dim shards a dim: x has priority.
        ([[0, -1], [1, -1], []], [[0, -1], [0, -1], []]),
        # A partial x is reduced first.
        ([[0, -1], [-1, -1], []], [[0, -1], [0, -1], []], {}, {0: {1}}),
    ]
    reverse = ([0, 1], [[0, 1], [0, 1], []])
    # The gradient of value is partial over the mesh dims that shard out_grad.
    grad = [
        ([[1, -1], [-1, -1], [], [0, 1]], [[0, 1], [0, 1], []], {1: {0, 1}}),
        ([[-1, -1], [-1, -1], [], [-1, 1]], [[-1, 1], [-1, 1], []], {1: {1}}),
        ([[-1] * 2] * 2 + [[], [-1] * 2], [[-1] * 2] * 2 + [[]], {}, {3: {0}}),
    ]


class TestMaskedFillSPMDRuleFullValue(SPMDRuleTests, unittest.TestCase):
    op = 'masked_fill'
    shapes = [[4, 6]] * 3
    # Mesh dim 1 shards dim 1 of x, so value determines the sharding of dim 0.
    forward = [([[-1, 1], [1, -1], [0, -1]], [[0, 1]] * 3)]
    reverse = ([0, 1], [[0, 1]] * 3)
    grad = [([[-1, -1]] * 3 + [[0, 1]], [[0, 1]] * 3)]


class TestMaskedFillSPMDRuleBroadcastMask(SPMDRuleTests, unittest.TestCase):
    op = 'masked_fill'
    shapes = [[4, 6], [1, 6], [4, 1]]
    forward = [
        ([[0, 1], [-1, -1], [-1, -1]], [[0, 1], [-1, 1], [0, -1]]),
        # Broadcast dims are replicated.
        ([[-1, -1], [0, -1], [-1, 1]], [[-1, -1], [-1, -1], [-1, -1]]),
        # The sharding of value propagates to x.
        ([[-1, -1], [-1, -1], [1, -1]], [[1, -1], [-1, -1], [1, -1]]),
    ]
    reverse = ([0, 1], [[0, 1], [-1, 1], [0, -1]])
    grad = [([[-1, -1]] * 3 + [[0, 1]], [[0, 1], [-1, 1], [0, -1]], {1: {1}})]


class TestMaskedFillSPMDRuleBroadcastX(SPMDRuleTests, unittest.TestCase):
    op = 'masked_fill'
    # A value of one element may have more dims than out.
    shapes = [[6], [4, 6], [1, 1, 1]]
    like_out = 1
    forward = [([[0], [1, -1], [-1] * 3], [[0], [1, 0], [-1] * 3])]
    reverse = ([0, 1], [[1], [0, 1], [-1] * 3])
    partial_grads = {0: {0}, 1: {0, 1}}
    grad = [([[-1], [-1] * 2, [-1] * 3, [0, 1]], reverse[1], partial_grads)]


class TestMaskedFillSPMDRuleDynamicShape(TestMaskedFillSPMDRule):
    shapes = [[-1, 6], [-1, 1], []]
    forward = [([[0, 1], [-1, -1], []], [[0, 1], [0, -1], []])]
    reverse = ([0, 1], [[0, 1], [0, -1], []])
    grad = [([[-1] * 2] * 2 + [[], [0, 1]], [[0, 1], [0, -1], []], {1: {0, 1}})]


class TestMaskedScatterSPMDRule(SPMDRuleTests, unittest.TestCase):
    op = 'masked_scatter'
    shapes = [[4, 6], [1, 6], [30]]
    forward = [
        ([[0, -1], [-1, 1], [0]], [[-1, -1], [-1, -1], [-1]]),
        ([[1, 0], [-1, -1], [-1]], [[-1, -1], [-1, -1], [-1]]),
    ]
    reverse = ([0, 1], [[-1, -1], [-1, -1], [-1]])
    grad = [([[0, -1], [-1, 1], [1], [0, -1]], reverse[1], {}, {3: {1}})]


class TestMaskedScatterSPMDRuleBroadcastX(SPMDRuleTests, unittest.TestCase):
    op = 'masked_scatter'
    shapes = [[4, 6], [2, 4, 6], [30]]
    like_out = 1
    forward = [([[0, 1], [-1, 0, 1], [0]], [[-1, -1], [-1] * 3, [-1]])]
    reverse = ([0, 1, -1], [[-1, -1], [-1] * 3, [-1]])
    grad = [([[0, 1], [0, 1, -1], [0], [-1, 0, 1]], [[-1, -1], [-1] * 3, [-1]])]


if __name__ == '__main__':
    unittest.main()
