"""Runs Paddle's symbolic shape analysis on programs with our operators.

usage: python symbolic_shape_cases.py PROBE.so

Needs the operators of the wheel target. Prints a JSON list of what is wrong.
"""

import ctypes
import json
import re
import sys
from inspect import signature

import paddle

PIR = paddle.base.libpaddle.pir
DTYPES = {'mask': 'bool', 'index': 'int64'}


def masked(x, mask, value):
    paddle.masked_scatter(x, mask, value)


def masked_shape(x, mask, value):
    """Of a shape Paddle knows the values, too."""
    masked(paddle.shape(x).astype('float32'), mask, value)


def select(x, values, axis=1):
    paddle.select_scatter(x, values, axis, 0)


def select_last(x, values):
    select(x, values, -1)


def diagonal(x, y, axis1=0, axis2=1):
    paddle.diagonal_scatter(x, y, 0, axis1, axis2)


def diagonal_back(x, y):
    diagonal(x, y, -1, 0)


def index_scatter(x, index, updates, axis=1, reduce='add'):
    paddle.scatter(x, index, updates, False, axis=axis, reduce=reduce)


def index_reduce(x, index, updates, axis=1):
    index_scatter(x, index, updates, axis, 'amax')


def index_reduce_back(x, index, updates):
    index_reduce(x, index, updates, -2)


NOT_IN_PLACE = (select, select_last, diagonal, diagonal_back)
# (function, dims of its arguments) -> dims of the operands and of the result,
# after the call
CASES = {
    (masked, '[-1 3] [1 3] [-1]'): '[S0 3] [1 3] [S1] -> [S0 3]',
    # the mask is larger
    (masked, '[-1 1] [4 -1 3] [-1]'): (
        '[S0 1] [4 S1 3] [S2] -> [4 Broadcast(S0, S1) 3]'
    ),
    (masked, '[1 5] [4 1] [20]'): '[1 5] [4 1] [20] -> [4 5]',
    (masked, '[4 0] [4 1] [20]'): '[4 0] [4 1] [20] -> [4 0]',
    (masked_shape, '[-1 3] [2] [2]'): '[2] and values [2] [2] -> [2]',
    (select, '[-1 3 -1] [-1 -1]'): '[S0 3 S1] [S0 S1] -> [S0 3 S1]',
    (select_last, '[-1 3 4] [2 -1]'): '[2 3 4] [2 3] -> [2 3 4]',
    (diagonal, '[-1 -1] [-1]'): '[S0 S1] [S2] -> [S0 S1]',
    (diagonal_back, '[-1 -1 4] [-1 -1]'): '[S0 S1 4] [S1 S3] -> [S0 S1 4]',
    (index_scatter, '[-1 6] [-1] [-1 -1]'): '[S0 6] [S1] [S0 S3] -> [S0 6]',
    (index_reduce_back, '[-1 6 5] [-1 1] [3 -1 -1]'): (
        '[3 6 5] [S1 1] [3 S2 5] -> [3 6 5]'
    ),
    (index_reduce, '[-1 6 5] [] [-1 -1]'): (
        '[S0 6 5] [] and values [S0 5] -> [S0 6 5]'
    ),
}


def make_program(function, dims):
    program = paddle.static.Program()
    shapes = [map(int, x.split()) for x in re.findall(r'\[(.*?)\]', dims)]
    with paddle.static.program_guard(program):
        tensors = [
            paddle.static.data(name, list(shape), DTYPES.get(name, 'float32'))
            for name, shape in zip(signature(function).parameters, shapes)
        ]
        function(*tensors)
    return program


def faults_of(probe, function, dims, expected):
    """What is wrong with a case: a form in place has to give the same."""
    name = f'{function.__name__} of {dims}'
    probe.forget_symbolic_shape_calls()
    program = make_program(function, dims)
    if not PIR.all_ops_defined_symbol_infer(program):
        yield f'{name}: not every operator has its symbolic shape'
    passes = PIR.PassManager()
    PIR.infer_symbolic_shape_pass(passes, program)
    passes.run(program)
    calls = probe.symbolic_shape_calls().decode().splitlines()
    forms = 1 if function in NOT_IN_PLACE else 2
    if calls != [expected] * forms:
        yield f'{name}: expected {forms} times {expected}, got {calls}'


def main(path):
    paddle.enable_static()
    probe = ctypes.CDLL(path)
    probe.symbolic_shape_calls.restype = ctypes.c_char_p
    probe.lend_symbolic_shapes.restype = ctypes.c_bool
    faults = []
    program = make_program(masked, '[-1 3] [1 3] [-1]')
    if PIR.all_ops_defined_symbol_infer(program):
        faults.append('the analysis is complete without our functions')
    if not probe.lend_symbolic_shapes():
        faults.append('an operator of the wheel target is missing')
    for case, expected in CASES.items():
        faults += faults_of(probe, *case, expected)
    print(json.dumps(faults, indent=1))


if __name__ == '__main__':
    main(sys.argv[1])
