"""Every way by which a CPU Tensor gets its memory: docs/memory.md lists them."""

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


class Net(paddle.nn.Layer):
    def forward(self, x):
        return paddle.exp(x) * 2


def load(workers, shared=True):
    loader = paddle.io.DataLoader(
        Rows(), num_workers=workers, use_shared_memory=shared
    )
    return next(iter(loader))


def gradient(x):
    x = x.detach()
    x.stop_gradient = False
    y = x * 2
    grad = paddle.grad(y, x, paddle.ones_like(x))
    return x, y, grad


def static(folder):
    main, start, scope = (
        paddle.static.Program(),
        paddle.static.Program(),
        paddle.static.Scope(),
    )
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, start):
            x = paddle.static.data('x', SHAPE, 'float32')
            y = x + paddle.create_parameter(SHAPE, 'float32')
            executor = paddle.static.Executor()
            with paddle.static.scope_guard(scope):
                executor.run(start)
                return scope, executor.run(
                    main, {'x': ARRAY}, [y], return_numpy=False
                )
    finally:
        paddle.disable_static()


def predict(folder):
    path = f'{folder}/net'
    spec = [paddle.static.InputSpec(SHAPE, 'float32')]
    paddle.jit.save(Net(), path, input_spec=spec)
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
    'clone': (lambda x, _: paddle.clone(x), 8),
    'assign': (lambda x, _: paddle.assign(x), 8),
    'contiguous copy': (lambda x, _: x.T.contiguous(), 8),
    'gradient': (lambda x, _: gradient(x), 16),
    'to_tensor': (lambda x, _: paddle.to_tensor(ARRAY), 8),
    'numpy': (lambda x, _: x.numpy(), 8),
    'load': (saved, 8),
    'parameter': (lambda x, _: paddle.create_parameter(SHAPE, 'float32'), 8),
    'DataLoader, here': (lambda x, _: load(0), 8),
    'DataLoader, by a pipe': (lambda x, _: load(1, shared=False), 8),
    'static graph': (lambda x, folder: static(folder), 32),
    'to_static': (lambda x, _: paddle.jit.to_static(paddle.exp)(x), 8),
    'Predictor': (lambda x, folder: predict(folder), 16),
    # in the memory of others
    'dlpack': (lambda x, _: paddle.utils.dlpack.from_dlpack(ARRAY), 0),
    'DataLoader, shared memory': (lambda x, _: load(1), 0),
    'view': (lambda x, _: x[1:], 0),
}


# Paddle's executor and the thread of its loader keep what they had last.
HELD_ON = {'static graph', 'DataLoader, by a pipe'}


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
    if way not in HELD_ON:
        assert lib.memory_usage()['in_use'] == before
