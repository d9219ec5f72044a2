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

"""Results of paddle.masked_fill for every number of threads."""

import unittest

from scatter_graph_utils import assert_python_succeeds

CODE = '''
import hashlib
import numpy as np
import paddle
rng = np.random.default_rng(0)
digest = hashlib.sha256()
def add(tensor):
    digest.update(tensor.numpy().tobytes())
for dtype in ('uint8', 'float16', 'float32', 'complex128'):
    for x_shape, mask_shape, value_shape in (
        ((499, 1025), (499, 1025), (1025,)),
        ((499, 1025), (499, 1), (499, 1)),
        ((1025,), (499, 1025), ()),
    ):
        x, value, grad = (
            paddle.to_tensor((rng.random(s) * 100).astype(dtype))
            for s in (x_shape, value_shape, (499, 1025))
        )
        mask = paddle.to_tensor(rng.random(mask_shape) < 0.5)
        float_like = dtype[0] in 'fc'
        x.stop_gradient = value.stop_gradient = not float_like
        out = paddle.masked_fill(x, mask, value)
        add(out)
        add(paddle.masked_fill(x, mask, 7))
        if float_like:
            for result in paddle.grad([out], [x, value], [grad]):
                add(result)
print(digest.hexdigest())
'''


class TestMaskedFillDeterminism(unittest.TestCase):
    def digest(self, threads):
        lines = assert_python_succeeds(CODE, OMP_NUM_THREADS=threads).split()
        return next(line for line in lines if len(line) == 64)

    def test_bits_do_not_depend_on_the_number_of_threads(self):
        expected = self.digest('1')
        for threads in ('2', '5'):
            with self.subTest(threads=threads):
                self.assertEqual(self.digest(threads), expected)


if __name__ == '__main__':
    unittest.main()
