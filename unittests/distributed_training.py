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

"""Two steps of training a small vision-language block: image tokens go into the
text by masked_scatter, attention is masked by masked_fill, and scatter brings
tokens into the order of their experts. Run on two ranks by
test_distributed_training.py."""

import unittest

import numpy as np
from distributed_utils import LINE, floats, run_tests, shard, whole

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.distributed import Replicate, Shard

BATCH, LENGTH, WIDTH, IMAGE_TOKENS = 4, 6, 8, 3
NAMES = ('image_weight', 'expert_weight')


def weights():
    return [
        floats(5, WIDTH, seed=i + 1) - 0.5 if i == 0 else
        floats(WIDTH, WIDTH, seed=i + 1) - 0.5
        for i in range(len(NAMES))
    ]  # fmt: skip


def data():
    image_mask = np.zeros([BATCH, LENGTH, 1], 'bool')
    image_mask[:, 1 : 1 + IMAGE_TOKENS] = True
    return {
        'text': floats(BATCH, LENGTH, WIDTH, seed=5),
        'image': floats(BATCH * IMAGE_TOKENS, 5, seed=6),
        'image_mask': image_mask,
        'hidden': np.triu(np.ones([BATCH, LENGTH, LENGTH], 'bool'), 1),
        'target': floats(BATCH, LENGTH, WIDTH, seed=7),
    }


EXPERT_ORDER = np.array([2, 0, 5, 1, 4, 3])


def block(weights, order, text, image, image_mask, hidden):
    tokens = paddle.matmul(image, weights[0])
    x = paddle.masked_scatter(text, image_mask, tokens)
    scores = paddle.matmul(x, x, transpose_y=True)
    attention = nn.functional.softmax(
        paddle.masked_fill(scores, hidden, -1e9), axis=-1
    )
    x = paddle.matmul(attention, x)
    by_expert = paddle.scatter(
        paddle.zeros_like(x), order, x, overwrite=False, axis=1, reduce='sum'
    )
    return paddle.matmul(by_expert, weights[1])


def train(weights, order, batch, layout=None, steps=2, rate=0.5):
    """The losses; changes the weights."""
    losses = []
    for _ in range(steps):
        inputs = {k: v for k, v in batch.items() if k != 'target'}
        out = block(weights, order, **inputs)
        if layout is not None:
            assert list(out.placements) == layout, out.placements
        error = out - batch['target']
        loss = (error * error).mean()
        loss.backward()
        with paddle.no_grad():
            for i, weight in enumerate(weights):
                new = weight - rate * weight.grad
                new.stop_gradient = False
                weights[i] = new
        losses.append(loss)
    return losses


def reference():
    dense = [paddle.to_tensor(w, stop_gradient=False) for w in weights()]
    batch = {k: paddle.to_tensor(v) for k, v in data().items()}
    losses = train(dense, paddle.to_tensor(EXPERT_ORDER), batch)
    return [w.numpy() for w in dense], [float(loss) for loss in losses]


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        for name, value in zip(NAMES, weights()):
            initial = nn.initializer.Assign(value)
            parameter = self.create_parameter(
                list(value.shape), default_initializer=initial
            )
            setattr(self, name, parameter)

    def forward(self, order, **inputs):
        return block([getattr(self, n) for n in NAMES], order, **inputs)


class TestTraining(unittest.TestCase):
    def test_sharded_batch(self):
        want, want_losses = reference()
        placed = [shard(w, Replicate(), grad=True) for w in weights()]
        batch = {
            name: shard(array, Replicate() if name == 'image' else Shard(0))
            for name, array in data().items()
        }
        order = shard(EXPERT_ORDER, Replicate())
        losses = train(placed, order, batch)
        for weight, other in zip(placed, want):
            np.testing.assert_allclose(whole(weight), other, rtol=1e-5)
        for loss, other in zip(losses, want_losses):
            np.testing.assert_allclose(whole(loss), other, rtol=1e-5)

    def test_operators_keep_the_batch_sharded(self):
        arrays = data()
        text = shard(arrays['text'], Shard(0), grad=True)
        mask = shard(arrays['image_mask'], Shard(0))
        image = shard(floats(BATCH * IMAGE_TOKENS, WIDTH), Replicate())
        x = paddle.masked_scatter(text, mask, image)
        y = paddle.scatter(
            paddle.zeros_like(x), shard(EXPERT_ORDER, Replicate()), x,
            overwrite=False, axis=1, reduce='sum',
        )  # fmt: skip
        self.assertEqual(list(x.placements), [Shard(0)])
        self.assertEqual(list(y.placements), [Shard(0)])
        y.sum().backward()
        self.assertEqual(list(text.grad.placements), [Shard(0)])

    def test_data_parallel(self):
        want, _ = reference()
        rank, ranks = dist.get_rank(), LINE.shape[0]
        batch = {
            name: paddle.to_tensor(np.split(array, ranks)[rank])
            for name, array in data().items()
        }
        target = batch.pop('target')
        model = paddle.DataParallel(Block())
        optimizer = paddle.optimizer.SGD(0.5, parameters=model.parameters())
        for _ in range(2):
            error = model(paddle.to_tensor(EXPERT_ORDER), **batch) - target
            (error * error).mean().backward()
            optimizer.step()
            optimizer.clear_grad()
        for name, other in zip(NAMES, want):
            weight = getattr(model._layers, name)
            np.testing.assert_allclose(weight.numpy(), other, rtol=1e-5)


if __name__ == '__main__':
    run_tests()
