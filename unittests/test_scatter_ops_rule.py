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

"""SPMD rules of the mask and scatter operators, asked with layouts in place of
Tensors."""

import itertools
import unittest

from paddle.distributed import ProcessMesh
from paddle.distributed.auto_parallel.static.dist_attribute import (
    DistTensorSpec,
    TensorDistAttr,
)
from paddle.framework import core

MESH = ProcessMesh([[0, 1, 2], [3, 4, 5]])


class Lies:
    """How a Tensor lies on MESH: for each of its dims the dim of the mesh that
    splits it, or -1; `partial` are the dims of the mesh with a sum pending."""

    def __init__(self, *mapping, partial=()):
        self.mapping, self.partial = list(mapping), set(partial)

    def spec(self, shape):
        attr = TensorDistAttr()
        attr.dims_mapping = self.mapping
        attr.process_mesh = MESH
        if self.partial:
            attr._set_partial_dims(list(self.partial))
        return DistTensorSpec(shape, attr)

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __repr__(self):
        return f'{self.mapping} partial {sorted(self.partial)}'


def answer(found):
    """What a rule says of the inputs and the outputs."""
    return tuple(
        [
            Lies(*attr.dims_mapping, partial=attr._partial_dims())
            for attr in attrs
        ]
        for attrs in found
    )


def infer(name, shapes, lies, attrs, ask='infer_forward'):
    specs = [layout.spec(shape) for shape, layout in zip(shapes, lies)]
    rule = core.get_phi_spmd_rule(name)
    return answer(getattr(rule, ask)(*specs, *attrs))


L = Lies
# Operators and attributes of which all that follows is true: shapes of the
# inputs, and cases: what they show, how the inputs lie, how they have to lie, and
# the result. In reverse, how the result lies comes first. Of the gradient, the
# inputs are followed by out_grad, and there are two results.
SELECT = {
    'ops': [('select_scatter', 1, 2), ('select_scatter', -2, 2)],
    'shapes': ([4, 6, 8], [4, 8]),
    'forward': {
        'other dims stay sharded': (
            [L(0, -1, 1), L(0, 1)], [L(0, -1, 1), L(0, 1)], L(0, -1, 1)),
        'axis becomes whole': (
            [L(-1, 0, -1), L(-1, -1)],
            [L(-1, -1, -1), L(-1, -1)], L(-1, -1, -1)),
        'values shard a whole x': (
            [L(-1, -1, -1), L(-1, 1)], [L(-1, -1, 1), L(-1, 1)], L(-1, -1, 1)),
        # the mesh dim 0 splits dim 0 of x, so it can't split dim 2 as well
        'x wins a conflict': (
            [L(0, -1, -1), L(1, 0)], [L(0, -1, -1), L(0, -1)], L(0, -1, -1)),
        'pending sums are done first': (
            [L(-1, -1, 1, partial=[0]), L(-1, -1)],
            [L(-1, -1, 1), L(-1, 1)], L(-1, -1, 1)),
    },
    'reverse': (L(0, 1, -1), [L(0, -1, -1), L(0, -1)], L(0, -1, -1)),
    'gradient': {
        'out_grad decides': (
            [L(-1, 1, -1), L(-1, -1), L(0, 1, -1)],
            [L(0, -1, -1), L(0, -1), L(0, -1, -1)],
            [L(0, -1, -1), L(0, -1)]),
    },
}  # fmt: skip
DIAGONAL = {
    # y has dim 1 of x, then the diagonal
    'ops': [('diagonal_scatter', 0, 0, 2), ('diagonal_scatter', 0, -3, -1)],
    'shapes': ([4, 6, 8], [6, 4]),
    'forward': {
        'the other dim stays sharded': (
            [L(-1, 1, -1), L(1, -1)], [L(-1, 1, -1), L(1, -1)], L(-1, 1, -1)),
        'both axes become whole': (
            [L(0, -1, 1), L(-1, -1)],
            [L(-1, -1, -1), L(-1, -1)], L(-1, -1, -1)),
        'the diagonal becomes whole': (
            [L(-1, -1, -1), L(0, 1)], [L(-1, 0, -1), L(0, -1)], L(-1, 0, -1)),
    },
    'reverse': (L(0, 1, -1), [L(-1, 1, -1), L(1, -1)], L(-1, 1, -1)),
    'gradient': {
        'out_grad decides': (
            [L(-1, 0, -1), L(-1, 0), L(0, 1, -1)],
            [L(-1, 1, -1), L(1, -1), L(-1, 1, -1)],
            [L(-1, 1, -1), L(1, -1)]),
    },
}  # fmt: skip
DIAGONAL_OF_MATRIX = {
    'ops': [('diagonal_scatter', 0, 0, 1)],
    'shapes': ([4, 6], [4]),
    'forward': {
        'all becomes whole': ([L(0, 1), L(0)], [L(-1, -1), L(-1)], L(-1, -1)),
    },
    'reverse': (L(0, 1), [L(-1, -1), L(-1)], L(-1, -1)),
    'gradient': {},
}  # fmt: skip
INDEX = {
    'ops': [
        ('index_scatter', 1, 'sum', True),
        ('index_scatter', -2, 'sum', True),
        ('index_reduce', 1, 'amax', True),
        ('index_reduce', -2, 'amax', True),
    ],
    'shapes': ([4, 6, 8], [3], [4, 3, 8]),
    'forward': {
        'other dims stay sharded': (
            [L(0, -1, 1), L(-1), L(0, -1, 1)],
            [L(0, -1, 1), L(-1), L(0, -1, 1)], L(0, -1, 1)),
        'axis and index become whole': (
            [L(-1, 0, -1), L(1), L(-1, 1, -1)],
            [L(-1, -1, -1), L(-1), L(-1, -1, -1)], L(-1, -1, -1)),
        'updates shard a whole x': (
            [L(-1, -1, -1), L(-1), L(-1, 0, 1)],
            [L(-1, -1, 1), L(-1), L(-1, -1, 1)], L(-1, -1, 1)),
        'x wins a conflict': (
            [L(0, -1, -1), L(-1), L(1, -1, 0)],
            [L(0, -1, -1), L(-1), L(0, -1, -1)], L(0, -1, -1)),
    },
    'reverse': (
        L(0, 1, -1), [L(0, -1, -1), L(-1), L(0, -1, -1)], L(0, -1, -1)),
    'gradient': {
        'out_grad decides': (
            [L(-1, 1, -1), L(-1), L(-1, -1, -1), L(0, 1, -1)],
            [L(0, -1, -1), L(-1), L(0, -1, -1), L(0, -1, -1)],
            [L(0, -1, -1), L(0, -1, -1)]),
    },
}  # fmt: skip
INDEX_WITHOUT_DIMS = {
    **INDEX,
    'shapes': ([4, 6, 8], [], [4, 8]),
    'forward': {
        'updates have no dim for the axis': (
            [L(0, -1, 1), L(), L(-1, -1)],
            [L(0, -1, 1), L(), L(0, 1)], L(0, -1, 1)),
    },
    'reverse': (L(0, 1, -1), [L(0, -1, -1), L(), L(0, -1)], L(0, -1, -1)),
    'gradient': {},
}  # fmt: skip
FILL = {
    'ops': [('masked_fill',)],
    'shapes': ([4, 6], [4, 6], []),
    'forward': {
        'rows': ([L(0, -1), L(0, -1), L()], [L(0, -1), L(0, -1), L()], L(0, -1)),
        'columns': (
            [L(-1, 0), L(-1, -1), L()], [L(-1, 0), L(-1, 0), L()], L(-1, 0)),
        'both dims': ([L(1, 0), L(1, 0), L()], [L(1, 0), L(1, 0), L()], L(1, 0)),
        'a mask shards a whole x': (
            [L(-1, -1), L(-1, 1), L()], [L(-1, 1), L(-1, 1), L()], L(-1, 1)),
        'x wins a conflict': (
            [L(0, -1), L(1, 0), L()], [L(0, -1), L(0, -1), L()], L(0, -1)),
        'pending sums are done first': (
            [L(0, -1, partial=[1]), L(-1, -1), L()],
            [L(0, -1), L(0, -1), L()], L(0, -1)),
    },
    'reverse': (L(0, 1), [L(0, 1), L(0, 1), L()], L(0, 1)),
    'gradient': {
        'out_grad decides; value is a sum over the mesh': (
            [L(1, -1), L(-1, -1), L(), L(0, 1)],
            [L(0, 1), L(0, 1), L(), L(0, 1)],
            [L(0, 1), L(partial=[0, 1])]),
        'whole Tensors have whole gradients': (
            [L(-1, -1), L(-1, -1), L(), L(-1, -1, partial=[0])],
            [L(-1, -1), L(-1, -1), L(), L(-1, -1)],
            [L(-1, -1), L()]),
    },
}  # fmt: skip
FILL_BY_BROADCAST_MASK = {
    **FILL,
    'shapes': ([4, 6], [1, 6], [4, 1]),
    'forward': {
        'along a sharded dim': (
            [L(0, 1), L(-1, -1), L(-1, -1)],
            [L(0, 1), L(-1, 1), L(0, -1)], L(0, 1)),
        'value shards a whole x': (
            [L(-1, -1), L(-1, -1), L(1, -1)],
            [L(1, -1), L(-1, -1), L(1, -1)], L(1, -1)),
    },
    'reverse': (L(0, 1), [L(0, 1), L(-1, 1), L(0, -1)], L(0, 1)),
    'gradient': {
        'value is a sum over the dim of the mesh that splits its columns': (
            [L(-1, -1), L(-1, -1), L(-1, -1), L(0, 1)],
            [L(0, 1), L(-1, 1), L(0, -1), L(0, 1)],
            [L(0, 1), L(0, -1, partial=[1])]),
    },
}  # fmt: skip
FILL_OF_BROADCAST_X = {
    **FILL,
    'shapes': ([6], [4, 6], [1, 1, 1]),
    'forward': {
        'the mask has more dims': (
            [L(0), L(1, -1), L(-1, -1, -1)],
            [L(0), L(1, 0), L(-1, -1, -1)], L(1, 0)),
    },
    'reverse': (L(0, 1), [L(1), L(0, 1), L(-1, -1, -1)], L(0, 1)),
    'gradient': {
        'x is a sum over the dim of the mesh that splits the rows': (
            [L(-1), L(-1, -1), L(-1, -1, -1), L(0, 1)],
            [L(1), L(0, 1), L(-1, -1, -1), L(0, 1)],
            [L(1, partial=[0]), L(-1, -1, -1, partial=[0, 1])]),
    },
}  # fmt: skip
FILL_OF_UNKNOWN_SIZE = {
    **FILL,
    'shapes': ([-1, 6], [-1, 1], []),
    'forward': {
        'rows': ([L(0, 1), L(-1, -1), L()], [L(0, 1), L(0, -1), L()], L(0, 1)),
    },
    'reverse': (L(0, 1), [L(0, 1), L(0, -1), L()], L(0, 1)),
    'gradient': {},
}  # fmt: skip
MASKED_SCATTER = {
    'ops': [('masked_scatter',)],
    'shapes': ([4, 6], [4, 6], [30]),
    'forward': {},
    'reverse': (L(0, 1), [L(-1, -1), L(-1, -1), L(-1)], L(-1, -1)),
    'gradient': {
        'everything becomes whole': (
            [L(0, -1), L(0, -1), L(1), L(0, -1, partial=[1])],
            [L(-1, -1), L(-1, -1), L(-1), L(-1, -1)],
            [L(-1, -1), L(-1)]),
    },
}  # fmt: skip
TABLE = [
    (op[0], op[1:], part)
    for part in (
        SELECT, DIAGONAL, DIAGONAL_OF_MATRIX, INDEX, INDEX_WITHOUT_DIMS, FILL,
        FILL_BY_BROADCAST_MASK, FILL_OF_BROADCAST_X, FILL_OF_UNKNOWN_SIZE,
        MASKED_SCATTER,
    )
    for op in part['ops']
]  # fmt: skip


def layouts(rank):
    """All ways in which the two dims of the mesh can split a Tensor."""
    return [
        Lies(*mapping)
        for mapping in itertools.product((-1, 0, 1), repeat=rank)
        if mapping.count(0) < 2 and mapping.count(1) < 2
    ]


class TestScatterOpsRule(unittest.TestCase):
    def test_forward(self):
        for name, attrs, part in TABLE:
            for shows, (given, wanted, out) in part['forward'].items():
                with self.subTest(name, attrs=attrs, shows=shows):
                    found = infer(name, part['shapes'], given, attrs)
                    self.assertEqual(found, (wanted, [out]))

    def test_from_the_result(self):
        for name, attrs, part in TABLE:
            given, wanted, out = part['reverse']
            shapes = [*part['shapes'], result_shape(part['shapes'])]
            whole = [Lies(*[-1] * len(shape)) for shape in part['shapes']]
            with self.subTest(name, attrs=attrs, shapes=shapes):
                found = infer(
                    name, shapes, [*whole, given], attrs, 'infer_backward'
                )
                self.assertEqual(found, (wanted, [out]))

    def test_gradient(self):
        for name, attrs, part in TABLE:
            shapes = [*part['shapes'], result_shape(part['shapes'])]
            for shows, (given, wanted, grads) in part['gradient'].items():
                with self.subTest(name, attrs=attrs, shows=shows):
                    found = infer(f'{name}_grad', shapes, given, attrs)
                    self.assertEqual(found, (wanted, grads))

    def test_masked_scatter_keeps_nothing_sharded(self):
        """Whatever is cut, each part would start with the first element of
        value, also where the mask is broadcast."""
        for mask in ([4, 6], [6], [4, 1], [1, 6], [2, 4, 6]):
            whole = [Lies(-1, -1), Lies(*[-1] * len(mask)), Lies(-1)]
            out = Lies(*[-1] * max(2, len(mask)))
            for x_lies, mask_lies in itertools.product(
                layouts(2), layouts(len(mask))
            ):
                with self.subTest(x=x_lies, mask=mask_lies):
                    given = [x_lies, mask_lies, Lies(0)]
                    shapes = [[4, 6], mask, [30]]
                    found = infer('masked_scatter', shapes, given, ())
                    self.assertEqual(found, (whole, [out]))

    def test_axis_out_of_range_is_left_to_infer_meta(self):
        given = [Lies(0, 1, -1), Lies(-1, -1)]
        inputs, outputs = infer(
            'select_scatter', SELECT['shapes'], given, (7, 2)
        )
        lengths = [len(lies.mapping) for lies in inputs + outputs]
        self.assertEqual(lengths, [3, 2, 3])


def result_shape(shapes):
    """The shape of x, or of the mask where that has more dims."""
    return max(shapes[:2], key=len)


if __name__ == '__main__':
    unittest.main()
