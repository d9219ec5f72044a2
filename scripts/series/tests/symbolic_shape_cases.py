"""Runs Paddle's symbolic shape analysis on programs with our operators.

usage: python symbolic_shape_cases.py PROBE.so

Needs the operators of the wheel target. Prints one JSON object: for each case
whether Paddle finds a symbolic shape for all operators of the program, and what
the probe wrote down; "before": the first of it before the probe does anything.
"""

import ctypes
import json
import sys

import paddle

PIR = paddle.base.libpaddle.pir
DTYPES = {'mask': 'bool', 'index': 'int64'}


def scatter(axis, reduce):
    def call(x, index, updates):
        return paddle.scatter(
            x, index, updates, overwrite=False, axis=axis, reduce=reduce
        )

    return call


def masked_shape(x, mask, value):
    """Of a shape Paddle knows the values, too."""
    return paddle.masked_scatter(paddle.shape(x).astype('float32'), mask, value)


def select(axis):
    return lambda x, values: paddle.select_scatter(x, values, axis, 0)


def diagonal(axis1, axis2):
    return lambda x, y: paddle.diagonal_scatter(x, y, 0, axis1, axis2)


# name -> (function, shapes of its arguments by name)
CASES = {
    'masked, rows': (
        paddle.masked_scatter,
        {'x': [-1, 3], 'mask': [1, 3], 'value': [-1]},
    ),
    'masked, mask is larger': (
        paddle.masked_scatter,
        {'x': [-1, 1], 'mask': [4, -1, 3], 'value': [-1]},
    ),
    'masked, both ways': (
        paddle.masked_scatter,
        {'x': [1, 5], 'mask': [4, 1], 'value': [20]},
    ),
    'masked, empty': (
        paddle.masked_scatter,
        {'x': [4, 0], 'mask': [4, 1], 'value': [20]},
    ),
    'masked, x of known values': (
        masked_shape,
        {'x': [-1, 3], 'mask': [2], 'value': [2]},
    ),
    'select': (select(1), {'x': [-1, 3, -1], 'values': [-1, -1]}),
    'select, last axis': (select(-1), {'x': [-1, 3, 4], 'values': [2, -1]}),
    'diagonal': (diagonal(0, 1), {'x': [-1, -1], 'y': [-1]}),
    'diagonal, negative axis': (
        diagonal(-1, 0),
        {'x': [-1, -1, 4], 'y': [-1, -1]},
    ),
    'index_scatter': (
        scatter(1, 'add'),
        {'x': [-1, 6], 'index': [-1], 'updates': [-1, -1]},
    ),
    'index_reduce': (
        scatter(-2, 'amax'),
        {'x': [-1, 6, 5], 'index': [-1, 1], 'updates': [3, -1, -1]},
    ),
    'index_reduce, 0-D index': (
        scatter(1, 'amax'),
        {'x': [-1, 6, 5], 'index': [], 'updates': [-1, -1]},
    ),
}


def make_program(function, shapes):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        tensors = [
            paddle.static.data(name, shape, DTYPES.get(name, 'float32'))
            for name, shape in shapes.items()
        ]
        function(*tensors)
    return program


def run_case(probe, function, shapes):
    probe.forget_symbolic_shape_calls()
    program = make_program(function, shapes)
    complete = PIR.all_ops_defined_symbol_infer(program)
    passes = PIR.PassManager()
    PIR.infer_symbolic_shape_pass(passes, program)
    passes.run(program)
    calls = probe.symbolic_shape_calls().decode()
    return {'complete': complete, 'calls': calls.splitlines()}


def main(path):
    paddle.enable_static()
    probe = ctypes.CDLL(path)
    probe.symbolic_shape_calls.restype = ctypes.c_char_p
    probe.lend_symbolic_shapes.restype = ctypes.c_bool
    program = make_program(*CASES['masked, rows'])
    found = {'before': PIR.all_ops_defined_symbol_infer(program)}
    if not probe.lend_symbolic_shapes():
        sys.exit('an operator of the wheel target is missing')
    for name, case in CASES.items():
        found[name] = run_case(probe, *case)
    print(json.dumps(found, indent=1))


if __name__ == '__main__':
    main(sys.argv[1])
