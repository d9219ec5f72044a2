"""Runs Paddle's symbolic shape analysis on programs with our operators.

usage: python symbolic_shape_cases.py PROBE.so

Needs the operators of the wheel target. Prints a JSON list of what is wrong.
"""

import ctypes
import json
import re
import sys
from functools import partial

import paddle

PIR = paddle.base.libpaddle.pir
MASKED = partial(paddle.masked_scatter)
SELECT = partial(paddle.select_scatter, axis=1, index=0)
DIAGONAL = partial(paddle.diagonal_scatter, offset=0, axis1=0, axis2=1)
SUM = partial(paddle.scatter, overwrite=False, axis=1, reduce='add')
AMAX = partial(SUM, reduce='amax')


def masked_shape(x, mask, value):
    """Of a shape Paddle knows the values, too."""
    MASKED(paddle.shape(x).astype('float32'), mask, value)


NOT_IN_PLACE = (paddle.select_scatter, paddle.diagonal_scatter)
# (function, dims of its Tensors, float32 or as is said) -> dims of the operands and
# of the result, after the call
CASES = {
    (MASKED, '[-1 3] bool[1 3] [-1]'): '[S0 3] [1 3] [S1] -> [S0 3]',
    # the mask is larger
    (MASKED, '[-1 1] bool[4 -1 3] [-1]'): (
        '[S0 1] [4 S1 3] [S2] -> [4 Broadcast(S0, S1) 3]'
    ),
    (MASKED, '[1 5] bool[4 1] [20]'): '[1 5] [4 1] [20] -> [4 5]',
    (MASKED, '[4 0] bool[4 1] [20]'): '[4 0] [4 1] [20] -> [4 0]',
    (partial(masked_shape), '[-1 3] bool[2] [2]'): (
        '[2] and values [2] [2] -> [2]'
    ),
    (SELECT, '[-1 3 -1] [-1 -1]'): '[S0 3 S1] [S0 S1] -> [S0 3 S1]',
    (partial(SELECT, axis=-1), '[-1 3 4] [2 -1]'): ('[2 3 4] [2 3] -> [2 3 4]'),
    (DIAGONAL, '[-1 -1] [-1]'): '[S0 S1] [S2] -> [S0 S1]',
    (partial(DIAGONAL, axis1=-1, axis2=0), '[-1 -1 4] [-1 -1]'): (
        '[S0 S1 4] [S1 S3] -> [S0 S1 4]'
    ),
    (SUM, '[-1 6] int64[-1] [-1 -1]'): '[S0 6] [S1] [S0 S3] -> [S0 6]',
    (partial(AMAX, axis=-2), '[-1 6 5] int64[-1 1] [3 -1 -1]'): (
        '[3 6 5] [S1 1] [3 S2 5] -> [3 6 5]'
    ),
    (AMAX, '[-1 6 5] int64[] [-1 -1]'): (
        '[S0 6 5] [] and values [S0 5] -> [S0 6 5]'
    ),
}


def make_program(call, dims):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        found = re.findall(r'(\w*)\[(.*?)\]', dims)
        tensors = [
            paddle.static.data(
                f't{i}', [*map(int, x.split())], dtype or 'float32'
            )
            for i, (dtype, x) in enumerate(found)
        ]
        call(*tensors)
    return program


def faults_of(probe, call, dims, expected):
    """What is wrong with a case: a form in place has to give the same."""
    name = f'{call.func.__name__} {call.keywords} of {dims}'
    probe.forget_symbolic_shape_calls()
    program = make_program(call, dims)
    if not PIR.all_ops_defined_symbol_infer(program):
        yield f'{name}: not every operator has its symbolic shape'
    passes = PIR.PassManager()
    PIR.infer_symbolic_shape_pass(passes, program)
    passes.run(program)
    calls = probe.symbolic_shape_calls().decode().splitlines()
    forms = 1 if call.func in NOT_IN_PLACE else 2
    if calls != [expected] * forms:
        yield f'{name}: expected {forms} times {expected}, got {calls}'


def main(path):
    paddle.enable_static()
    probe = ctypes.CDLL(path)
    probe.symbolic_shape_calls.restype = ctypes.c_char_p
    probe.lend_symbolic_shapes.restype = ctypes.c_bool
    faults = []
    program = make_program(MASKED, '[-1 3] bool[1 3] [-1]')
    if PIR.all_ops_defined_symbol_infer(program):
        faults.append('the analysis is complete without our functions')
    if not probe.lend_symbolic_shapes():
        faults.append('an operator of the wheel target is missing')
    for case, expected in CASES.items():
        faults += faults_of(probe, *case, expected)
    print(json.dumps(faults, indent=1))


if __name__ == '__main__':
    main(sys.argv[1])
