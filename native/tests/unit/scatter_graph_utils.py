"""Ways to run one function: static programs, to_static, saved, predicted.

Every helper takes a function from Tensors to one Tensor and returns arrays in
storage form (see scatter_test_utils): the output, and with `grads_of` the
gradients of the sum of its cubes.
"""

import os

import numpy as np
from op_table_graph import loaded, run_program, saved, static_mode, to_static

import paddle


def run_static(function, arrays, grads_of=(), known_dims=True):
    """In PIR or, with FLAGS_enable_pir_api=0, in a legacy program."""

    def build(variables):
        out = function(*variables.values())
        if not grads_of:
            return [out]
        wrt = [variables[name] for name in grads_of]
        return [out, *paddle.static.gradients([out * out * out], wrt)]

    with static_mode():
        results = run_program(build, arrays, grads_of, known_dims)
    return results if grads_of else results[0]


def _run(function, arrays, grads_of):
    """`function` takes a list of Tensors."""
    tensors = {
        name: paddle.to_tensor(array, stop_gradient=name not in grads_of)
        for name, array in arrays.items()
    }
    out = function([*tensors.values()])
    if not grads_of:
        return out.numpy()
    (out * out * out).sum().backward()
    return [out.numpy()] + [tensors[name].grad.numpy() for name in grads_of]


def _of_list(function):
    # no lambda: paddle.jit reads the source of what it traces
    def of_list(tensors):
        return function(*tensors)

    return of_list


def run_to_static(function, arrays, full_graph, grads_of=()):
    """Under paddle.jit.to_static (AST, or SOT)."""
    traced = to_static(_of_list(function), full_graph=full_graph)
    return _run(traced, arrays, grads_of)


def saved_function(function, arrays, known_dims=True):
    """Saves `function` with paddle.jit.save; gives the path prefix."""
    return saved(_of_list(function), arrays, known_dims)


def run_saved(prefix, arrays, grads_of=()):
    """Loads what was saved."""
    return _run(loaded(prefix), arrays, grads_of)


def run_predictor(prefix, arrays, ir_optim=True):
    """Runs what was saved through paddle.inference."""
    model = prefix + '.json'
    if not os.path.exists(model):
        model = prefix + '.pdmodel'
    config = paddle.inference.Config(model, prefix + '.pdiparams')
    config.disable_glog_info()
    config.switch_ir_optim(ir_optim)
    predictor = paddle.inference.create_predictor(config)
    for name in predictor.get_input_names():
        predictor.get_input_handle(name).copy_from_cpu(
            np.ascontiguousarray(arrays[name])
        )
    predictor.run()
    (name,) = predictor.get_output_names()
    return predictor.get_output_handle(name).copy_to_cpu()
