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
"""Second-order gradients of scatter's sum and mean in static graphs."""

import unittest

import numpy as np
from scatter_grad_utils import (
    LastOrderCases,
    in_dygraph,
    in_program,
    in_to_static,
)

import paddle

rng = np.random.default_rng(7)
BOTH = 'x updates'


def arrays(x_shape, index, updates_shape):
    return {
        'x': rng.standard_normal(x_shape),
        'index': np.asarray(index, 'int64'),
        'updates': rng.standard_normal(updates_shape),
    }


def scattering(axis, reduce, include_self=True):
    return lambda x, index, updates: paddle.scatter(
        x,
        index,
        updates,
        overwrite=False,
        axis=axis,
        reduce=reduce,
        include_self=include_self,
    )


class TestIndexScatterSecondOrder(LastOrderCases, unittest.TestCase):
    cases = {
        'sum': (
            scattering(0, 'sum'),
            arrays([4, 5], [1, 0, 1], [3, 5]),
            BOTH,
        ),
        'mean': (
            scattering(1, 'mean'),
            arrays([4, 5], [1, -1, 1], [4, 3]),
            BOTH,
        ),
        'assign': (
            lambda x, index, updates: paddle.scatter(x, index, updates, axis=1),
            arrays([4, 5], [1, 2, 1], [4, 3]),
            BOTH,
        ),
        'updates': (
            scattering(0, 'mean', include_self=False),
            arrays([4, 5], [3, 3, 0], [3, 5]),
            'updates',
        ),
        '0-D index': (
            scattering(-1, 'sum'),
            arrays([3, 4], 2, [3]),
            BOTH,
        ),
    }


class TestIndexReduceSecondOrder(unittest.TestCase):
    """mul, amax and amin have no second order: an error wherever it is asked
    for, never a term that is missing."""

    case = (
        scattering(0, 'amax'),
        arrays([4, 5], [1, 0, 1], [3, 5]),
        BOTH.split(),
    )

    def test_dygraph(self):
        with self.assertRaisesRegex(RuntimeError, 'index_reduce_grad'):
            in_dygraph(*self.case)

    def test_program(self):
        with self.assertRaisesRegex(
            ValueError, 'index_reduce_(grad|vjp). has no'
        ):
            in_program(*self.case)

    def test_to_static(self):
        with self.assertRaisesRegex(
            ValueError, 'index_reduce_(grad|vjp). has no'
        ):
            in_to_static(*self.case)


if __name__ == '__main__':
    unittest.main()
