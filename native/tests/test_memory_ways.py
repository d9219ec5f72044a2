"""Ways by which a CPU Tensor gets its memory: docs/memory.md lists them."""

import gc

import numpy as np
import pytest

import paddle
from paddle import _native_lib as lib
from paddle import inference

SHAPE = [8, 1 << 18]  # 8 MiB
ARRAY = np.ones(SHAPE, 'float32')


class Rows(paddle.io.Dataset):
    def __getitem__(self, i):
        return ARRAY

    def __len__(self):
        return 1


def load(workers):
    return next(iter(paddle.io.DataLoader(Rows(), num_workers=workers)))


def gradient(x):
    x = x.detach()
    x.stop_gradient = False
    y = x * 2
    return x, y, paddle.grad(y, x, paddle.ones_like(x))


def to_static():
    spec = [paddle.static.InputSpec(SHAPE, 'float32')]
    traced = paddle.jit.to_static(paddle.exp, spec, full_graph=True)
    return traced, traced(paddle.to_tensor(ARRAY))


def predict(folder):
    path = f'{folder}/net'
    paddle.jit.save(to_static()[0], path)
    config = inference.Config(f'{path}.json', f'{path}.pdiparams')
    config.disable_glog_info()
    predictor = inference.create_predictor(config)
    (name,) = predictor.get_input_names()
    predictor.get_input_handle(name).copy_from_cpu(ARRAY)
    predictor.run()
    return predictor


def saved(x, folder):
    paddle.save(x, f'{folder}/x.pdparams')
    return paddle.load(f'{folder}/x.pdparams')


# MiB that the allocator has handed out when a way has been gone.
SERVED = {
    'output of a kernel': (lambda x, _: paddle.abs(x), 8),
    'contiguous copy': (lambda x, _: x.T.contiguous(), 8),
    'gradient': (lambda x, _: gradient(x), 16),
    'numpy': (lambda x, _: x.numpy(), 8),
    'load': (saved, 8),
    'parameter': (lambda x, _: paddle.create_parameter(SHAPE, 'float32'), 8),
    'DataLoader': (lambda x, _: load(0), 8),
    'to_tensor, to_static': (lambda *_: to_static(), 8),
    'Predictor': (lambda x, folder: predict(folder), 16),
    # in the memory of others
    'dlpack': (lambda x, _: paddle.utils.dlpack.from_dlpack(ARRAY), 0),
    'DataLoader, shared memory': (lambda x, _: load(1), 0),
    'view': (lambda x, _: x[1:], 0),
}


@pytest.mark.parametrize('way', SERVED)
def test_what_is_served(way, tmp_path):
    call, expected = SERVED[way]
    x = paddle.ones(SHAPE)
    gc.collect()
    before = lib.memory_usage()['in_use']
    kept = call(x, tmp_path)
    gc.collect()
    assert (lib.memory_usage()['in_use'] - before) >> 20 == expected
    del kept
    gc.collect()
    assert lib.memory_usage()['in_use'] == before
