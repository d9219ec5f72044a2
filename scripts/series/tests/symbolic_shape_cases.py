"""Runs Paddle's symbolic shape analysis on programs with our operators.

usage: python symbolic_shape_cases.py PROBE.so

Needs the operators of the wheel target. Prints a JSON list of what is wrong.
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


# name -> (function, shapes of its arguments by name, and the dims of the operands
# and of the result, after the call)
CASES = {
    'masked, rows': (
        paddle.masked_scatter,
        {'x': [-1, 3], 'mask': [1, 3], 'value': [-1]},
        '[S0 3] [1 3] [S1] -> [S0 3]',
    ),
    'masked, mask is larger': (
        paddle.masked_scatter,
        {'x': [-1, 1], 'mask': [4, -1, 3], 'value': [-1]},
        '[S0 1] [4 S1 3] [S2] -> [4 Broadcast(S0, S1) 3]',
    ),
    'masked, both ways': (
        paddle.masked_scatter,
        {'x': [1, 5], 'mask': [4, 1], 'value': [20]},
        '[1 5] [4 1] [20] -> [4 5]',
    ),
    'masked, empty': (
        paddle.masked_scatter,
        {'x': [4, 0], 'mask': [4, 1], 'value': [20]},
        '[4 0] [4 1] [20] -> [4 0]',
    ),
    'masked, x of known values': (
        masked_shape,
        {'x': [-1, 3], 'mask': [2], 'value': [2]},
        '[2] and values [2] [2] -> [2]',
    ),
    'select': (
        select(1),
        {'x': [-1, 3, -1], 'values': [-1, -1]},
        '[S0 3 S1] [S0 S1] -> [S0 3 S1]',
    ),
    'select, last axis': (
        select(-1),
        {'x': [-1, 3, 4], 'values': [2, -1]},
        '[2 3 4] [2 3] -> [2 3 4]',
    ),
    'diagonal': (
        diagonal(0, 1),
        {'x': [-1, -1], 'y': [-1]},
        '[S0 S1] [S2] -> [S0 S1]',
    ),
    'diagonal, negative axis': (
        diagonal(-1, 0),
        {'x': [-1, -1, 4], 'y': [-1, -1]},
        '[S0 S1 4] [S1 S3] -> [S0 S1 4]',
    ),
    'index_scatter': (
        scatter(1, 'add'),
        {'x': [-1, 6], 'index': [-1], 'updates': [-1, -1]},
        '[S0 6] [S1] [S0 S3] -> [S0 6]',
    ),
    'index_reduce': (
        scatter(-2, 'amax'),
        {'x': [-1, 6, 5], 'index': [-1, 1], 'updates': [3, -1, -1]},
        '[3 6 5] [S1 1] [3 S2 5] -> [3 6 5]',
    ),
    'index_reduce, 0-D index': (
        scatter(1, 'amax'),
        {'x': [-1, 6, 5], 'index': [], 'updates': [-1, -1]},
        '[S0 6 5] [] and values [S0 5] -> [S0 6 5]',
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


def faults_of(probe, name, function, shapes, expected):
    """What is wrong with a case: a form in place has to give the same."""
    probe.forget_symbolic_shape_calls()
    program = make_program(function, shapes)
    if not PIR.all_ops_defined_symbol_infer(program):
        yield f'{name}: not every operator has its symbolic shape'
    passes = PIR.PassManager()
    PIR.infer_symbolic_shape_pass(passes, program)
    passes.run(program)
    calls = probe.symbolic_shape_calls().decode().splitlines()
    forms = 1 if name.startswith(('select', 'diagonal')) else 2
    if calls != [expected] * forms:
        yield f'{name}: expected {forms} times {expected}, got {calls}'


def main(path):
    paddle.enable_static()
    probe = ctypes.CDLL(path)
    probe.symbolic_shape_calls.restype = ctypes.c_char_p
    probe.lend_symbolic_shapes.restype = ctypes.c_bool
    faults = []
    program = make_program(*CASES['masked, rows'][:2])
    if PIR.all_ops_defined_symbol_infer(program):
        faults.append('the analysis is complete without our functions')
    if not probe.lend_symbolic_shapes():
        faults.append('an operator of the wheel target is missing')
    for name, case in CASES.items():
        faults += faults_of(probe, name, *case)
    print(json.dumps(faults, indent=1))


if __name__ == '__main__':
    main(sys.argv[1])
