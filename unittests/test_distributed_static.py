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

import numpy as np
from distributed_utils import floats

import paddle
import paddle.distributed as dist
from paddle import nn

# Static auto-parallel on more ranks is refused by Paddle itself without a GPU.
ALONE = dist.ProcessMesh([0], dim_names=['x'])


class Batches(paddle.io.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return floats(8, seed=i), floats(8, seed=10 + i)


class Block(nn.Layer):
    """All the operators, one after the other."""

    def __init__(self, place):
        super().__init__()
        initial = nn.initializer.Assign(np.eye(8, dtype='float32'))
        weight = self.create_parameter([8, 8], default_initializer=initial)
        self.weight = place(weight)

    def forward(self, x):
        x = paddle.matmul(x, self.weight)
        x = paddle.masked_scatter(x, x > 0.5, x * 2)
        x = paddle.select_scatter(x, paddle.sum(x, axis=1), 1, 2)
        x = paddle.diagonal_scatter(x, paddle.sum(x, axis=1))
        index = paddle.to_tensor([0, 2])
        for reduce in ('mean', 'amax'):
            x = paddle.scatter(
                x, index, x[:, 1:3], overwrite=False, axis=1, reduce=reduce
            )
        return x


def losses_of_static():
    model = Block(
        lambda w: dist.shard_tensor(
            w, ALONE, [dist.Replicate()], stop_gradient=False
        )
    )
    loader = paddle.io.DataLoader(Batches(), batch_size=4)
    loader = dist.shard_dataloader(loader, ALONE)
    optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    static = dist.to_static(model, loader, nn.MSELoss(), optimizer)
    static.train()
    return [float(static(*batch)) for _ in range(2) for batch in loader]


def losses_of_dygraph():
    model = Block(lambda w: w)
    x, y = (np.stack(rows) for rows in zip(*(Batches()[i] for i in range(4))))
    optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    losses = []
    for _ in range(2):
        loss = nn.MSELoss()(model(paddle.to_tensor(x)), paddle.to_tensor(y))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses


class TestDistributedStatic(unittest.TestCase):
    def test_to_static_trains_like_dygraph(self):
        want = losses_of_dygraph()
        self.assertNotEqual(want[0], want[1])
        np.testing.assert_allclose(losses_of_static(), want, rtol=1e-5)


if __name__ == '__main__':
    unittest.main()
