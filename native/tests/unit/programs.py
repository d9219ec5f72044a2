"""Functions as static programs, traced, saved and loaded."""

import contextlib
import gc
import os
import tempfile

from fuzz.arrays import dtype_name

import paddle


@contextlib.contextmanager
def static_mode():
    paddle.enable_static()
    try:
        yield
    finally:
        paddle.disable_static()


def spec(array, known_dims):
    """(shape, dtype) for paddle.static.data and InputSpec."""
    shape = list(array.shape) if known_dims else [-1] * array.ndim
    return shape, dtype_name(array)


def run_program(build, arrays, wrt=(), known_dims=True):
    """Build and run a program; build(variables by name) returns what is fetched."""
    with paddle.static.program_guard(paddle.static.Program()):
        variables = {}
        for name, array in arrays.items():
            variable = paddle.static.data(name, *spec(array, known_dims))
            variable.stop_gradient = name not in wrt
            variables[name] = variable
        return paddle.static.Executor().run(
            feed=dict(arrays), fetch_list=build(variables)
        )


def to_static(function, **kwargs):
    """paddle.jit.to_static, safe from programs that were freed before.

    jit leaves a cycle of Python objects that refer into each program that it has
    run. If the program is freed first, the objects are handed out again for another
    program, and the process crashes.
    """
    gc.collect()
    return paddle.jit.to_static(function, **kwargs)


@contextlib.contextmanager
def saved(function, arrays, known_dims):
    """The path of `function` as paddle.jit.save writes it."""
    specs = [
        paddle.static.InputSpec(*spec(array, known_dims), name)
        for name, array in arrays.items()
    ]
    traced = to_static(function, input_spec=[specs], full_graph=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'model')
        paddle.jit.save(traced, path)
        yield path


def loaded(path):
    gc.collect()  # see to_static
    layer = paddle.jit.load(path)
    layer.train()  # it begins in eval mode, without backward
    return lambda tensors: layer(*tensors)
