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

import unittest

from paddle.distributed import ProcessMesh
from paddle.distributed.auto_parallel.static.dist_attribute import (
    DistTensorSpec,
    TensorDistAttr,
)
from paddle.framework import core

# Its dims are called a and b.
MESH = ProcessMesh([[0, 1, 2], [3, 4, 5]])
NO_DIMS = '0-D'


def spec(shape, layout):
    """A layout is a text: for each dim of a Tensor the dim of the mesh that splits
    it, or -; behind a + the dims of the mesh with a sum pending."""
    split, _, partial = layout.removeprefix(NO_DIMS).partition('+')
    attr = TensorDistAttr()
    attr.dims_mapping = ['-ab'.index(letter) - 1 for letter in split]
    attr.process_mesh = MESH
    if partial:
        attr._set_partial_dims(['ab'.index(letter) for letter in partial])
    return DistTensorSpec(shape, attr)


def layout_of(attr):
    split = ''.join('-ab'[dim + 1] for dim in attr.dims_mapping) or NO_DIMS
    partial = ''.join('ab'[dim] for dim in sorted(attr._partial_dims()))
    return split + ('+' + partial if partial else '')


def infer(name, shapes, layouts, attrs, ask='infer_forward'):
    """What a rule says of the inputs and of the outputs, as rows of the table."""
    rule = core.get_phi_spmd_rule(name)
    specs = map(spec, shapes, layouts.split(', '))
    found = getattr(rule, ask)(*specs, *attrs)
    return ' -> '.join(', '.join(map(layout_of, side)) for side in found)


# Operators and attributes of which all that follows is true: shapes of the inputs,
# and cases: what they show, and how the inputs lie, how they have to lie, and the
# result. In reverse, how the result lies comes first. Of the gradient, the inputs
# are followed by out_grad, and there are two results.
SELECT = {
    'ops': [('select_scatter', 1, 2), ('select_scatter', -2, 2)],
    'shapes': ([4, 6, 8], [4, 8]),
    'forward': {
        'other dims stay sharded': 'a-b, ab -> a-b, ab -> a-b',
        'axis becomes whole': '-a-, -- -> ---, -- -> ---',
        'values shard a whole x': '---, -b -> --b, -b -> --b',
        'x wins a conflict': 'a--, ba -> a--, a- -> a--',
        'pending sums are done first': '--b+a, -- -> --b, -b -> --b',
    },
    'reverse': 'ab- -> a--, a- -> a--',
    'gradient': {
        'out_grad decides': '-b-, --, ab- -> a--, a-, a-- -> a--, a-',
    },
}
DIAGONAL = {
    # y has dim 1 of x, then the diagonal
    'ops': [('diagonal_scatter', 0, 0, 2), ('diagonal_scatter', 0, -3, -1)],
    'shapes': ([4, 6, 8], [6, 4]),
    'forward': {
        'the other dim stays sharded': '-b-, b- -> -b-, b- -> -b-',
        'both axes become whole': 'a-b, -- -> ---, -- -> ---',
        'the diagonal becomes whole': '---, ab -> -a-, a- -> -a-',
    },
    'reverse': 'ab- -> -b-, b- -> -b-',
    'gradient': {
        'out_grad decides': '-a-, -a, ab- -> -b-, b-, -b- -> -b-, b-',
    },
}
DIAGONAL_OF_MATRIX = {
    'ops': [('diagonal_scatter', 0, 0, 1)],
    'shapes': ([4, 6], [4]),
    'forward': {
        'all becomes whole': 'ab, a -> --, - -> --',
    },
    'reverse': 'ab -> --, - -> --',
    'gradient': {},
}
INDEX = {
    'ops': [
        ('index_scatter', 1, 'sum', True),
        ('index_scatter', -2, 'sum', True),
        ('index_reduce', 1, 'amax', True),
        ('index_reduce', -2, 'amax', True),
    ],
    'shapes': ([4, 6, 8], [3], [4, 3, 8]),
    'forward': {
        'other dims stay sharded': 'a-b, -, a-b -> a-b, -, a-b -> a-b',
        'axis and index become whole': '-a-, b, -b- -> ---, -, --- -> ---',
        'updates shard a whole x': '---, -, -ab -> --b, -, --b -> --b',
        'x wins a conflict': 'a--, -, b-a -> a--, -, a-- -> a--',
    },
    'reverse': 'ab- -> a--, -, a-- -> a--',
    'gradient': {
        'out_grad decides': '-b-, -, ---, ab- -> a--, -, a--, a-- -> a--, a--',
    },
}
INDEX_WITHOUT_DIMS = {
    'ops': INDEX['ops'],
    'shapes': ([4, 6, 8], [], [4, 8]),
    'forward': {
        'no dim for the axis': 'a-b, 0-D, -- -> a-b, 0-D, ab -> a-b',
    },
    'reverse': 'ab- -> a--, 0-D, a- -> a--',
    'gradient': {},
}
FILL = {
    'ops': [('masked_fill',)],
    'shapes': ([4, 6], [4, 6], []),
    'forward': {
        'rows': 'a-, a-, 0-D -> a-, a-, 0-D -> a-',
        'columns': '-a, --, 0-D -> -a, -a, 0-D -> -a',
        'both dims': 'ba, ba, 0-D -> ba, ba, 0-D -> ba',
        'a mask shards a whole x': '--, -b, 0-D -> -b, -b, 0-D -> -b',
        'x wins a conflict': 'a-, ba, 0-D -> a-, a-, 0-D -> a-',
        'pending sums are done first': 'a-+b, --, 0-D -> a-, a-, 0-D -> a-',
    },
    'reverse': 'ab -> ab, ab, 0-D -> ab',
    'gradient': {
        'value is a sum': 'b-, --, 0-D, ab -> ab, ab, 0-D, ab -> ab, 0-D+ab',
        'all are whole': '--, --, 0-D, --+a -> --, --, 0-D, -- -> --, 0-D',
    },
}
FILL_BY_BROADCAST_MASK = {
    'ops': [('masked_fill',)],
    'shapes': ([4, 6], [1, 6], [4, 1]),
    'forward': {
        'along a sharded dim': 'ab, --, -- -> ab, -b, a- -> ab',
        'value shards a whole x': '--, --, b- -> b-, --, b- -> b-',
    },
    'reverse': 'ab -> ab, -b, a- -> ab',
    'gradient': {
        'value is a sum': '--, --, --, ab -> ab, -b, a-, ab -> ab, a-+b',
    },
}
FILL_OF_BROADCAST_X = {
    'ops': [('masked_fill',)],
    'shapes': ([6], [4, 6], [1, 1, 1]),
    'forward': {
        'the mask has more dims': 'a, b-, --- -> a, ba, --- -> ba',
    },
    'reverse': 'ab -> b, ab, --- -> ab',
    'gradient': {
        'x is a sum': '-, --, ---, ab -> b, ab, ---, ab -> b+a, ---+ab',
    },
}
FILL_OF_UNKNOWN_SIZE = {
    'ops': [('masked_fill',)],
    'shapes': ([-1, 6], [-1, 1], []),
    'forward': {
        'rows': 'ab, --, 0-D -> ab, a-, 0-D -> ab',
    },
    'reverse': 'ab -> ab, a-, 0-D -> ab',
    'gradient': {},
}
MASKED_SCATTER = {
    'ops': [('masked_scatter',)],
    'shapes': ([4, 6], [4, 6], [30]),
    'forward': {},
    'reverse': 'ab -> --, --, - -> --',
    'gradient': {
        'everything becomes whole': 'a-, a-, b, a-+b -> --, --, -, -- -> --, -',
    },
}
TABLE = [
    (op[0], op[1:], part)
    for part in (
        SELECT, DIAGONAL, DIAGONAL_OF_MATRIX, INDEX, INDEX_WITHOUT_DIMS, FILL,
        FILL_BY_BROADCAST_MASK, FILL_OF_BROADCAST_X, FILL_OF_UNKNOWN_SIZE,
        MASKED_SCATTER,
    )
    for op in part['ops']
]  # fmt: skip


def whole(shape):
    return '-' * len(shape) or NO_DIMS


def result_shape(shapes):
    """The shape of x, or of the mask where that has more dims."""
    return max(shapes[:2], key=len)


class TestScatterOpsRule(unittest.TestCase):
    def check(self, name, attrs, shapes, row, ask='infer_forward'):
        given, _, expected = row.partition(' -> ')
        with self.subTest(name, attrs=attrs, row=row):
            found = infer(name, shapes, given, attrs, ask)
            self.assertEqual(found, expected)

    def test_forward(self):
        for name, attrs, part in TABLE:
            for row in part['forward'].values():
                self.check(name, attrs, part['shapes'], row)

    def test_from_the_result(self):
        for name, attrs, part in TABLE:
            shapes = [*part['shapes'], result_shape(part['shapes'])]
            inputs = ', '.join(map(whole, part['shapes']))
            row = f'{inputs}, {part["reverse"]}'
            self.check(name, attrs, shapes, row, 'infer_backward')

    def test_gradient(self):
        for name, attrs, part in TABLE:
            shapes = [*part['shapes'], result_shape(part['shapes'])]
            for row in part['gradient'].values():
                self.check(f'{name}_grad', attrs, shapes, row)

    def test_masked_scatter_keeps_nothing_sharded(self):
        """Whatever is cut, each part would start with the first element of
        value, also where the mask is broadcast."""
        for mask, mask_layout in (
            ([4, 6], '-b'), ([6], 'a'), ([4, 1], 'a-'), ([1, 6], '-b'),
            ([2, 4, 6], '-ab'),
        ):  # fmt: skip
            shapes = [4, 6], mask, [30]
            out = whole(result_shape(shapes))
            for x_layout in ('--', 'a-', 'ba'):
                given = f'{x_layout}, {mask_layout}, a'
                row = f'{given} -> --, {whole(mask)}, - -> {out}'
                self.check('masked_scatter', (), shapes, row)

    def test_axis_out_of_range_is_left_to_infer_meta(self):
        found = infer('select_scatter', SELECT['shapes'], 'ab-, --', (7, 2))
        self.assertRegex(found, r'^[-ab]{3}, [-ab]{2} -> [-ab]{3}$')


if __name__ == '__main__':
    unittest.main()
