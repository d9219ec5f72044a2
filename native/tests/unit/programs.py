"""Run, trace, save and load functions as static programs."""

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


@contextlib.contextmanager
def flag(name, value):
    before = paddle.get_flags(name)
    paddle.set_flags({name: value})
    try:
        yield
    finally:
        paddle.set_flags(before)


def spec(array, known_dims):
    """Return (shape, dtype) for paddle.static.data and InputSpec."""
    shape = list(array.shape) if known_dims else [-1] * array.ndim
    return shape, dtype_name(array)


def run_program(build, arrays, wrt=(), known_dims=True):
    """Build and run a program; build({name: variable}) returns the fetch list."""
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
    """Call paddle.jit.to_static after a garbage collection.

    jit creates cycles of Python objects that refer to a program. If the program is
    freed first, the objects are reused for another program, and the process crashes.
    """
    gc.collect()
    return paddle.jit.to_static(function, **kwargs)


@contextlib.contextmanager
def save(function, arrays, known_dims):
    """Save `function` by paddle.jit.save; yield the path."""
    specs = [
        paddle.static.InputSpec(*spec(array, known_dims), name)
        for name, array in arrays.items()
    ]
    traced = to_static(function, input_spec=[specs], full_graph=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'model')
        paddle.jit.save(traced, path)
        yield path
