"""Exports layers with our functions to ONNX, and runs them in onnxruntime.

onnx_programs.py export FOLDER   prints a JSON object: an error, or null, a case
onnx_programs.py save FOLDER     saves a program with an operator and one without
onnx_programs.py convert PREFIX  converts what was saved
onnx_programs.py reexport PREFIX loads and exports what was saved
"""

import json
import math
import sys
import warnings

warnings.filterwarnings('ignore')

import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import paddle2onnx  # noqa: E402

import paddle  # noqa: E402

REDUCES = ('sum', 'mean', 'mul', 'amax', 'amin')
INDEX = np.array([2, -4, 2, 0, 2])


def masked_scatter(x, u):
    return paddle.masked_scatter(x, x > 0, u)


def masked_scatter_by_row(x, u):
    return paddle.masked_scatter(x, x[0] > 0, u)


def masked_fill(x, u):
    return paddle.masked_fill(x, u > 0, -2.5)


def masked_fill_by_infinity(x, u):
    return paddle.masked_fill(x, u > 0, -math.inf)


def masked_fill_by_tensor(x, u):
    return paddle.masked_fill(x, x > 0, u[0])


def select_scatter(axis, index):
    return lambda x, u: paddle.select_scatter(x, u[0], axis, index)


def select_scatter_by_tensor(x, u):
    return paddle.select_scatter(x, u[0], 1, (u[0] > 0).sum() - 5)


def diagonal_scatter(offset):
    return lambda x, u: paddle.diagonal_scatter(
        x, u[0, : 5 - abs(offset)], offset
    )


def scatter(**options):
    return lambda x, u: paddle.scatter(
        x, paddle.to_tensor([2, -4, 2, 0, 2]), u, **options
    )


def scatter_cases():
    for axis in (0, 1):
        yield f'scatter {axis}', scatter(axis=axis)
        for reduce in ('sum', 'mean', 'mul', 'amax', 'amin'):
            for include_self in (False, True):
                options = {
                    'overwrite': False,
                    'axis': axis,
                    'reduce': reduce,
                    'include_self': include_self,
                }
                name = f'scatter {axis} {reduce} {include_self}'
                yield name, scatter(**options)


CASES = {
    'masked_scatter': masked_scatter,
    'masked_scatter by row': masked_scatter_by_row,
    'masked_fill': masked_fill,
    'masked_fill by infinity': masked_fill_by_infinity,
    'masked_fill by Tensor': masked_fill_by_tensor,
    'select_scatter 0 1': select_scatter(0, 1),
    'select_scatter 1 -1': select_scatter(1, -1),
    'select_scatter -1 -2': select_scatter(-1, -2),
    'select_scatter by Tensor': select_scatter_by_tensor,
    'diagonal_scatter 0': diagonal_scatter(0),
    'diagonal_scatter 1': diagonal_scatter(1),
    'diagonal_scatter -2': diagonal_scatter(-2),
    **dict(scatter_cases()),
}


class Layer(paddle.nn.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, u):
        # u again, as an input that is not used is refused
        return self.function(x, u), u + 1


ARRAYS = np.random.default_rng(0).standard_normal((2, 5, 5)).astype('float32')
SPECS = [paddle.static.InputSpec([5, 5], 'float32', name) for name in 'xu']


def difference(layer, prefix):
    """What is wrong with the model: None where it computes what the layer does."""
    session = onnxruntime.InferenceSession(f'{prefix}.onnx')
    names = [value.name for value in session.get_inputs()]
    found = session.run(None, dict(zip(names, ARRAYS)))[0]
    wanted = layer(*map(paddle.to_tensor, ARRAYS))[0].numpy()
    if np.allclose(found, wanted, rtol=1e-6):
        return None
    return f'found {found}, wanted {wanted}'


def exported(layer, prefix, specs=SPECS):
    paddle.onnx.export(layer, prefix, input_spec=specs, opset_version=19)
    return difference(layer, prefix)


def export(folder):
    results = {}
    for name, function in CASES.items():
        try:
            results[name] = exported(Layer(function), f'{folder}/{name}')
        except (Exception, SystemExit) as error:  # Paddle2ONNX exits
            results[name] = repr(error)
    layer = paddle.jit.to_static(Layer(masked_scatter), full_graph=True)
    layer(*map(paddle.to_tensor, ARRAYS))
    results['traced before'] = exported(layer, f'{folder}/traced', None)
    print(json.dumps(results))


def save(folder):
    """With the operator, and under the guard without it."""
    layer = Layer(masked_scatter)
    paddle.jit.save(layer, f'{folder}/with', SPECS)
    with paddle.static.compatible_ops_guard():
        paddle.jit.save(layer, f'{folder}/without', SPECS)


def convert(prefix):
    paddle2onnx.export(f'{prefix}.json', '', f'{prefix}.onnx')
    sys.exit(difference(Layer(masked_scatter), prefix))


def reexport(prefix):
    sys.exit(exported(paddle.jit.load(prefix), prefix))


if __name__ == '__main__':
    {
        'export': export,
        'save': save,
        'convert': convert,
        'reexport': reexport,
    }[sys.argv[1]](sys.argv[2])
