"""Saves programs with our operators, or loads them, in the Paddle that runs this.

saved_programs.py save FOLDER           one program for each operator, two ways,
                                        and again under compatible_ops_guard
saved_programs.py load HOW FOLDER NAMES loads and runs: jit, static, predictor;
                                        prints a JSON list of errors, or nulls
"""

import json
import sys
import warnings

warnings.filterwarnings('ignore')

import numpy as np  # noqa: E402

import paddle  # noqa: E402


def masked_scatter(x):
    return paddle.masked_scatter(x, x > 0, paddle.flatten(x))


def masked_fill(x):
    return paddle.masked_fill(x, x > 0, 2.0)


def select_scatter(x):
    return paddle.select_scatter(x, x[0], 0, 1)


def diagonal_scatter(x):
    return paddle.diagonal_scatter(x, x[0])


def scatter(x):
    return paddle.scatter(x, paddle.to_tensor([0]), x[:1])


def index_scatter(x):
    index = paddle.to_tensor([0])
    return paddle.scatter(x, index, x[:, :1], False, axis=1, reduce='mean')


def index_reduce(x):
    index = paddle.to_tensor([0])
    return paddle.scatter(x, index, x[:1] * 2, False, reduce='amax')


def product(x):
    index = paddle.to_tensor([0, 2, 0])
    return paddle.scatter(x, index, x * 2, False, axis=1, reduce='mul')


def assignment(x):
    index = paddle.to_tensor([0, 2, 0])
    return paddle.scatter(x, index, x * 2, axis=1)


def select_by_tensor(x):
    return paddle.select_scatter(x, x[0] * 2, 0, (x > 0).sum() - 7)


FUNCTIONS = (
    masked_scatter,
    masked_fill,
    select_scatter,
    diagonal_scatter,
    scatter,
    index_scatter,
    index_reduce,
    product,
    assignment,
    select_by_tensor,
)


def save_one(function, prefix):
    spec = paddle.static.InputSpec([3, 3], 'float32', 'x')
    traced = paddle.jit.to_static(function, input_spec=[spec], full_graph=True)
    paddle.jit.save(traced, prefix)
    np.save(f'{prefix}.npy', function(paddle.ones([3, 3])).numpy())
    folder, _, name = prefix.rpartition('/')
    paddle.enable_static()
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data('x', [3, 3])
        out = function(x)
        paddle.static.save_inference_model(
            f'{folder}/static_{name}',
            [x],
            [out],
            paddle.static.Executor(),
            program=program,
        )
    paddle.disable_static()


def save(folder):
    for function in FUNCTIONS:
        save_one(function, f'{folder}/{function.__name__}')
        with paddle.static.compatible_ops_guard():
            save_one(function, f'{folder}/guarded_{function.__name__}')


def run_jit(prefix):
    return paddle.jit.load(prefix)(paddle.ones([3, 3])).numpy()


def run_static(prefix):
    folder, _, name = prefix.rpartition('/')
    executor = paddle.static.Executor()
    program, _, outs = paddle.static.load_inference_model(
        f'{folder}/static_{name}', executor
    )
    feed = {'x': np.ones((3, 3), 'float32')}
    return executor.run(program, feed=feed, fetch_list=outs)[0]


def run_predictor(prefix):
    config = paddle.inference.Config(f'{prefix}.json', f'{prefix}.pdiparams')
    config.disable_glog_info()
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle('x').copy_from_cpu(np.ones((3, 3), 'float32'))
    predictor.run()
    (name,) = predictor.get_output_names()
    return predictor.get_output_handle(name).copy_to_cpu()


def load(how, folder, *names):
    if how == 'static':
        paddle.enable_static()
    run = {'jit': run_jit, 'static': run_static, 'predictor': run_predictor}[
        how
    ]
    errors = []
    for name in names:
        try:
            found = run(f'{folder}/{name}')
            np.testing.assert_array_equal(
                found, np.load(f'{folder}/{name}.npy')
            )
            errors.append(None)
        except Exception as error:
            errors.append(str(error))
    print(json.dumps(errors))


if __name__ == '__main__':
    {'save': save, 'load': load}[sys.argv[1]](*sys.argv[2:])
