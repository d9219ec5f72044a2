"""Ways to run one function: static programs, to_static, saved, predicted.

Every helper takes a function from Tensors to one Tensor and returns arrays in
storage form (see scatter_test_utils).
"""

import contextlib
import gc
import os
import tempfile

import numpy as np

import paddle


@contextlib.contextmanager
def static_mode():
    paddle.enable_static()
    try:
        yield
    finally:
        paddle.disable_static()


def dtype_name(array):
    array = np.asarray(array)
    return 'bfloat16' if array.dtype == np.uint16 else str(array.dtype)


def unknown_dims(array):
    return [-1] * np.ndim(array)


class StaticFunction:
    """A program built once and run with arrays of any fitting shape.

    `inputs` maps each parameter name to (shape, dtype), where a dim may be -1.
    With `grads_of`, gradients of the sum of the outputs' cubes are fetched
    after the output. Works in PIR and, with FLAGS_enable_pir_api=0, in legacy
    programs.
    """

    def __init__(self, function, inputs, grads_of=()):
        with static_mode():
            self.program = paddle.static.Program()
            self.startup = paddle.static.Program()
            with paddle.static.program_guard(self.program, self.startup):
                data = {
                    name: paddle.static.data(name, shape, dtype)
                    for name, (shape, dtype) in inputs.items()
                }
                for name in grads_of:
                    data[name].stop_gradient = False
                self.out = function(*data.values())
                self.fetched = [self.out]
                if grads_of:
                    self.fetched += paddle.static.gradients(
                        [self.out * self.out * self.out],
                        [data[name] for name in grads_of],
                    )

    @classmethod
    def like(cls, function, arrays, grads_of=(), known_dims=True):
        shape_of = np.shape if known_dims else unknown_dims
        inputs = {
            name: (list(shape_of(array)), dtype_name(array))
            for name, array in arrays.items()
        }
        return cls(function, inputs, grads_of)

    def run(self, arrays):
        """The output, followed by the gradients if there are any."""
        with static_mode():
            executor = paddle.static.Executor()
            results = executor.run(
                self.program, feed=dict(arrays), fetch_list=self.fetched
            )
        return results if len(results) > 1 else results[0]


def run_static(function, arrays, grads_of=(), known_dims=True):
    return StaticFunction.like(function, arrays, grads_of, known_dims).run(
        arrays
    )


def forget_dead_programs():
    """To be called before Paddle's jit runs a new program.

    For every program that it runs, jit leaves a cycle of Python objects that
    refers to places inside the program (`RunnableProgram._get_program_all_values`
    of Paddle 3.3.1). When the program is freed first, these objects are handed
    out again for another program's Values at the same addresses, and the process
    crashes in `pir::Value::type()`. It happens with any operator.
    """
    gc.collect()


def run_to_static(function, arrays, full_graph, grads_of=()):
    """Runs `function` under paddle.jit.to_static (AST, or SOT)."""
    forget_dead_programs()
    tensors = {
        name: paddle.to_tensor(
            np.asarray(array), stop_gradient=name not in grads_of
        )
        for name, array in arrays.items()
    }
    traced = paddle.jit.to_static(function, full_graph=full_graph)
    out = traced(*tensors.values())
    if not grads_of:
        return out.numpy()
    (out * out * out).sum().backward()
    return [out.numpy()] + [tensors[name].grad.numpy() for name in grads_of]


@contextlib.contextmanager
def saved_function(function, arrays, known_dims=True):
    """Saves `function` with paddle.jit.save; gives the path prefix."""
    shape_of = np.shape if known_dims else unknown_dims
    specs = [
        paddle.static.InputSpec(list(shape_of(array)), dtype_name(array), name)
        for name, array in arrays.items()
    ]
    forget_dead_programs()
    traced = paddle.jit.to_static(function, input_spec=specs, full_graph=True)
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, 'model')
        paddle.jit.save(traced, prefix)
        yield prefix


def run_saved(prefix, arrays, grads_of=()):
    """Loads what was saved; the output, followed by gradients."""
    forget_dead_programs()
    layer = paddle.jit.load(prefix)
    if grads_of:
        layer.train()  # a loaded layer begins in eval mode, without backward
    tensors = {
        name: paddle.to_tensor(
            np.asarray(array), stop_gradient=name not in grads_of
        )
        for name, array in arrays.items()
    }
    out = layer(*tensors.values())
    if not grads_of:
        return out.numpy()
    (out * out * out).sum().backward()
    return [out.numpy()] + [tensors[name].grad.numpy() for name in grads_of]


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
