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
"""The tables that tests of masked_scatter and masked_fill have in common."""

import numpy as np
from op_table import Case
from scatter_test_utils import random_mask

# (name, x shape, mask shape, density of Trues); value has the shape of the
# result. The first rows are those that are traced and saved.
SHAPES = (
    ('same shape', (5, 7), (5, 7), 0.5),
    ('row mask', (5, 7), (7,), 0.5),
    ('both ways, three axes', (3, 1, 5), (4, 1), 0.5),
    ('four axes', (2, 3, 4, 5), (2, 3, 4, 5), 0.5),
    ('all True', (6, 9), (6, 9), 1.0),
    ('all False', (6, 9), (6, 9), 0.0),
    ('row mask with an axis', (5, 7), (1, 7), 0.5),
    ('column mask', (5, 7), (5, 1), 0.5),
    ('mask over the middle axis', (3, 4, 5), (3, 1, 5), 0.5),
    ('mask over the outer axes', (3, 4, 5), (4, 1), 0.5),
    ('mask of one element', (3, 4), (1,), 1.0),
    ('0-D mask', (3, 4), (), 1.0),
    ('0-D mask, False', (3, 4), (), 0.0),
    ('x row', (7,), (5, 7), 0.5),
    ('x column', (5, 1), (5, 7), 0.5),
    ('x of one element', (1, 1), (5, 7), 0.5),
    ('0-D x', (), (5, 7), 0.5),
    ('both ways', (5, 1), (1, 7), 0.5),
    ('all 0-D', (), (), 1.0),
    ('x of no element', (0, 3), (0, 3), 0.5),
    ('x of no element, row mask', (0, 3), (3,), 0.5),
    ('mask of no element', (1, 3), (0, 3), 0.5),
    ('mask of no element, 0-D x', (), (2, 0), 0.5),
    ('nothing at all', (0,), (0,), 0.5),
)


def masked_cases(further):
    """Rows of SHAPES, and further ones with a shape of value at their end."""
    rows = [
        (*row, np.broadcast_shapes(row[1], row[2])) for row in SHAPES
    ] + list(further)
    found = []
    for name, x_shape, mask_shape, density, value_shape in rows:
        rng = np.random.default_rng(len(name))
        mask = np.asarray(rng.random(mask_shape) < density)
        inputs = {'x': x_shape, 'mask': mask, 'value': value_shape}
        found.append(Case(name, inputs))
    return found


def kinds_of_masks(rng, shape):
    """(name, mask): few and many Trues, spread and in runs."""
    size = int(np.prod(shape))
    yield 'half', random_mask(rng, shape)
    yield 'few', random_mask(rng, shape, 0.02)
    yield 'most', random_mask(rng, shape, 0.98)
    yield 'runs', random_mask(rng, shape, runs=True)
    yield 'all', np.ones(shape, bool)
    yield 'none', np.zeros(shape, bool)
    yield 'first half', (np.arange(size) < size // 2).reshape(shape)
    yield 'last', (np.arange(size) == size - 1).reshape(shape)
    yield 'every other', (np.arange(size) % 2 == 1).reshape(shape)
