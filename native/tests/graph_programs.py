"""Save or run programs that call the functions, with the Paddle of this Python.

graph_programs.py save FOLDER CASE...  save with paddle.jit and paddle.static
graph_programs.py WAY FOLDER CASE...   run by one of WAYS; print a JSON list of
                                       errors, null for success
"""

import gc
import json
import math
import sys
import warnings
from functools import partial
from pathlib import Path

warnings.filterwarnings('ignore')

import numpy as np  # noqa: E402

import paddle  # noqa: E402

REDUCES = ('sum', 'mean', 'mul', 'amax', 'amin')


def select(axis, index):
    return lambda x, u: paddle.select_scatter(x, u[0], axis, index)


def diagonal(offset):
    return lambda x, u: paddle.diagonal_scatter(
        x, u[0, : 5 - abs(offset)], offset
    )


def scatter(**options):
    return lambda x, u: paddle.scatter(
        x, paddle.to_tensor([2, 1, 2, 0, 2]), u, **options
    )


def conv2d(x):
    # In a predictor, the result has a layout of oneDNN.
    return paddle.nn.functional.conv2d(
        x[None, None], paddle.ones([16, 1, 3, 3])
    )


def masked_scatter_of_conv2d(x, u):
    return paddle.masked_scatter(conv2d(x), conv2d(u) > 0, conv2d(u).flatten())


CASES = {
    'masked_scatter of conv2d': masked_scatter_of_conv2d,
    # oneDNN's slice rejects a result that is marked as in its layout.
    'select_scatter of conv2d': lambda x, u: paddle.select_scatter(
        conv2d(x), conv2d(u)[:, 0] * 2, 1, 3
    )[:, 2:4],
    'masked_scatter': lambda x, u: paddle.masked_scatter(x, x > 0, u),
    'masked_scatter by row': lambda x, u: paddle.masked_scatter(x, x[0] > 0, u),
    'masked_fill': lambda x, u: paddle.masked_fill(x, u > 0, -2.5),
    'masked_fill inf': lambda x, u: paddle.masked_fill(x, u > 0, -math.inf),
    'masked_fill by Tensor': lambda x, u: paddle.masked_fill(x, x > 0, u[0]),
    'select_scatter 0 1': select(0, 1),
    'select_scatter 1 -1': select(1, -1),
    'select_scatter -1 -2': select(-1, -2),
    'select_scatter by Tensor': lambda x, u: paddle.select_scatter(
        x, u[0], 1, (u[0] > 0).sum() - 5
    ),
    'diagonal_scatter 0': diagonal(0),
    'diagonal_scatter 1': diagonal(1),
    'diagonal_scatter -2': diagonal(-2),
    'scatter': scatter(),
    'scatter 1': scatter(axis=1),
    **{
        f'scatter {axis} {reduce} {include_self}': scatter(
            overwrite=False, axis=axis, reduce=reduce, include_self=include_self
        )
        for axis in (0, 1)
        for reduce in REDUCES
        for include_self in (False, True)
    },
}
ARRAYS = np.random.default_rng(0).standard_normal((2, 5, 5)).astype('float32')
SPECS = [paddle.static.InputSpec([5, 5], 'float32', name) for name in 'xu']


class Layer(paddle.nn.Layer):
    def __init__(self, name):
        super().__init__()
        self.function = CASES[name]

    def forward(self, x, u):
        return self.function(x, u)

    def result(self):
        return self(*map(paddle.to_tensor, ARRAYS)).numpy()


# ---- saving


def save_both(folder, name):
    gc.collect()  # else jit may reuse objects of freed programs
    paddle.jit.save(Layer(name), f'{folder}/{name}', SPECS)
    paddle.enable_static()
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        inputs = [paddle.static.data(s.name, s.shape, s.dtype) for s in SPECS]
        paddle.static.save_inference_model(
            f'{folder}/static_{name}',
            inputs,
            [CASES[name](*inputs)],
            paddle.static.Executor(),
            program=program,
        )
    paddle.disable_static()
    np.save(f'{folder}/{name}.npy', Layer(name).result())


# ---- ways to run a program; each returns the result


def run_jit(folder, name):
    program = paddle.jit.load(f'{folder}/{name}')
    return program(*map(paddle.to_tensor, ARRAYS)).numpy()


def run_static(folder, name):
    paddle.enable_static()
    executor = paddle.static.Executor()
    program, _, outs = paddle.static.load_inference_model(
        f'{folder}/static_{name}', executor
    )
    return executor.run(program, dict(zip('xu', ARRAYS)), outs)[0]


def predict(prefix, arrays, ir_optim=True):
    config = paddle.inference.Config(f'{prefix}.json', f'{prefix}.pdiparams')
    config.disable_glog_info()
    config.switch_ir_optim(ir_optim)
    predictor = paddle.inference.create_predictor(config)
    for name, array in arrays.items():
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    (name,) = predictor.get_output_names()
    return predictor.get_output_handle(name).copy_to_cpu()


def run_predictor(folder, name):
    return predict(f'{folder}/{name}', dict(zip('xu', ARRAYS)))


def run_onnx(prefix):
    import onnxruntime

    session = onnxruntime.InferenceSession(f'{prefix}.onnx')
    names = [value.name for value in session.get_inputs()]
    return session.run(None, dict(zip(names, ARRAYS)))[0]


def export_and_run(layer, prefix, specs):
    paddle.onnx.export(layer, prefix, input_spec=specs, opset_version=19)
    return run_onnx(prefix)


def export(folder, name, traced=False):
    layer, specs = Layer(name), SPECS
    if traced:
        layer, specs = paddle.jit.to_static(layer, full_graph=True), None
    np.save(f'{folder}/{name}.npy', layer.result())
    return export_and_run(layer, f'{folder}/{name}', specs)


def export_loaded(folder, name):
    prefix = f'{folder}/{name}'
    return export_and_run(paddle.jit.load(prefix), prefix, SPECS)


def convert(folder, name):
    import paddle2onnx

    prefix = f'{folder}/{name}'
    paddle2onnx.export(f'{prefix}.json', '', f'{prefix}.onnx')
    return run_onnx(prefix)


WAYS = {
    'jit': run_jit,
    'static': run_static,
    'predictor': run_predictor,
    'export': export,
    'export_traced': partial(export, traced=True),
    'export_loaded': export_loaded,
    'convert': convert,
}


def find_error(way, folder, name):
    gc.collect()  # see save_both
    try:
        actual = WAYS[way](folder, name)
        expected = np.load(Path(folder, f'{name}.npy'))
        np.testing.assert_allclose(actual, expected, rtol=1e-6)
    except (Exception, SystemExit) as error:  # Paddle2ONNX exits
        return str(error) or repr(error)


if __name__ == '__main__':
    command, folder, *names = sys.argv[1:]
    if command == 'save':
        for one in names:
            save_both(folder, one)
    else:
        print(json.dumps([find_error(command, folder, n) for n in names]))
