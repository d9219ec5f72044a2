"""Ten training steps of a small vision-language decoder: masked_scatter inserts
image tokens in the text, masked_fill masks the attention, and scatter sorts tokens
by expert. test_distributed_ranks.py runs it on two ranks, and its static graph
also on one."""

import numpy as np
import pytest
from distributed_utils import MESH, RANKS, R, floats, gather, shard

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.distributed import Shard

BATCH, LENGTH, WIDTH, IMAGE_TOKENS, STEPS = 8, 6, 8, 3, 10
EXPERT_ORDER = np.array([2, 0, 5, 1, 4, 3])


def data():
    """Return the inputs of the decoder, and the target."""
    image_mask = np.zeros([BATCH, LENGTH, 1], 'bool')
    image_mask[:, 1 : 1 + IMAGE_TOKENS] = True
    return [
        floats(BATCH, LENGTH, WIDTH, seed=5) / 8,
        floats(BATCH, IMAGE_TOKENS, WIDTH, seed=6) / 8,
        image_mask,
        floats(BATCH, LENGTH, WIDTH, seed=7) / 8,
    ]


class Decoder(nn.Layer):
    def __init__(self):
        super().__init__()
        self.image, self.mix = linear(seed=1), linear(seed=2)
        self.experts = linear(seed=3)

    def forward(self, text, image, image_mask):
        x = paddle.masked_scatter(text, image_mask, self.image(image))
        hidden = paddle.ones([LENGTH, LENGTH], 'bool').triu(1)
        scores = paddle.matmul(x, x, transpose_y=True)
        scores = paddle.masked_fill(scores, hidden, -1e9)
        x = self.mix(paddle.matmul(nn.functional.softmax(scores, axis=-1), x))
        by_expert = paddle.scatter(
            paddle.zeros_like(x),
            paddle.to_tensor(EXPERT_ORDER),
            x,
            overwrite=False,
            axis=1,
            reduce='sum',
        )
        return self.experts(by_expert)


def linear(seed):
    weight = floats(WIDTH, WIDTH, seed=seed) / 10 - 0.5
    initial = nn.initializer.Assign(weight)
    return nn.Linear(WIDTH, WIDTH, paddle.ParamAttr(initializer=initial))


def adam(model):
    return paddle.optimizer.AdamW(0.01, parameters=model.parameters())


def train(model, optimizer, inputs, target):
    losses = []
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(*inputs), target)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(gather(loss).item())
    return losses


def assert_dense_losses(losses):
    *inputs, target = map(paddle.to_tensor, data())
    model = Decoder()
    expected = train(model, adam(model), inputs, target)
    assert expected[-1] < expected[0]
    np.testing.assert_allclose(losses, expected, rtol=1e-5)


def test_sharded_batch_and_optimizer():
    placed = dist.shard_layer(Decoder(), MESH)
    layouts = []
    for layer in (placed.mix, placed.experts):
        layer.register_forward_post_hook(
            lambda layer, inputs, out: layouts.append(out.placements)
        )
    replicated = [R] * MESH.ndim
    for parameter in placed.parameters():
        # Gloo has no reduce-scatter, which stage 1 would use for sums.
        parameter.register_hook(
            lambda grad: dist.reshard(grad, MESH, replicated)
        )
    optimizer = dist.shard_optimizer(
        adam(placed), dist.ShardingStage1('x', MESH)
    )
    text, image, image_mask, target = data()
    inputs = [
        shard(text, Shard(0)),
        shard(image, R),
        shard(image_mask, Shard(0)),
    ]
    losses = train(placed, optimizer, inputs, shard(target, Shard(0)))
    assert_dense_losses(losses)
    assert layouts == [[Shard(0), *replicated[1:]]] * len(layouts)


@pytest.mark.skipif(
    RANKS > 2, reason='two ranks already show that dist.to_static needs a GPU'
)
def test_static_graph():
    """dist.to_static requires a GPU on several ranks."""
    placed = dist.shard_layer(Decoder(), MESH)
    loader = paddle.io.DataLoader(Batches(), batch_size=BATCH)
    loader = dist.shard_dataloader(loader, MESH)

    def steps():
        model = dist.to_static(placed, loader, nn.MSELoss(), adam(placed))
        model.train()
        (batch,) = loader
        return [float(model(*batch)) for _ in range(STEPS)]

    if RANKS == 1:
        assert_dense_losses(steps())
    else:
        with pytest.raises(Exception, match='No CUDA device found'):
            steps()


class Batches(paddle.io.Dataset):
    def __len__(self):
        return BATCH

    def __getitem__(self, i):
        return tuple(array[i] for array in data())
