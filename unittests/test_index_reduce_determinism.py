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
"""Results of index_reduce for every number of threads."""

import unittest

from scatter_graph_utils import assert_python_succeeds

CODE = '''
import hashlib
import numpy as np
import paddle
from paddle import _C_ops
rng = np.random.default_rng(0)
digest = hashlib.sha256()
def add(tensor):
    digest.update(tensor.numpy().tobytes())
def indices(size):
    yield rng.integers(-size, size, 2 * size)
    yield np.full(2 * size, size // 2)
    yield rng.choice([0, size - 1], 2 * size)
for dtype in ('float32', 'float16', 'complex64'):
    for shape, axis in (
        ((150, 700), 0),
        ((300, 300), 1),
        ((90, 30, 40), 1),
        ((60, 800, 2), 1),
        ((60000,), 0),
    ):
        for index in indices(shape[axis]):
            wide = list(shape)
            wide[axis] = len(index)
            x, updates = (
                paddle.to_tensor((rng.random(s) + 0.5).astype(dtype))
                for s in (shape, wide)
            )
            x.stop_gradient = updates.stop_gradient = False
            index = paddle.to_tensor(index)
            for reduce in ('assign', 'sum', 'mul', 'mean', 'amax'):
                if dtype == 'complex64' and reduce == 'amax':
                    continue
                out = _C_ops.index_reduce(
                    x, index, updates, axis, reduce, True
                )
                add(out)
                for grad in paddle.grad([out], [x, updates]):
                    add(grad)
print(digest.hexdigest())
'''


class TestIndexReduceDeterminism(unittest.TestCase):
    def digest(self, **environment):
        lines = assert_python_succeeds(CODE, **environment).split()
        return next(line for line in lines if len(line) == 64)

    def test_bits_do_not_depend_on_the_number_of_threads(self):
        expected = self.digest(OMP_NUM_THREADS='1')
        for threads in ('2', '5'):
            with self.subTest(threads=threads):
                self.assertEqual(self.digest(OMP_NUM_THREADS=threads), expected)


if __name__ == '__main__':
    unittest.main()
