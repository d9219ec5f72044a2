"""Symbolic shapes, inferred by Paddle's analysis and declared by each operator."""

import ctypes
import re
from functools import partial
from pathlib import Path

import pytest
import yaml

import paddle
from scripts.common.files import PADDLE_INCLUDE
from scripts.common.programs import run
from scripts.series.check_intree_compile import STUBS
from scripts.series.tree_edits import SYMBOLIC

ROOT = Path(__file__).resolve().parents[2]
PIR = paddle.base.libpaddle.pir
MASKED = partial(paddle.masked_scatter)
SELECT = partial(paddle.select_scatter, axis=1, index=0)
DIAGONAL = partial(paddle.diagonal_scatter, offset=0, axis1=0, axis2=1)
SUM = partial(paddle.scatter, overwrite=False, axis=1, reduce='add')
AMAX = partial(SUM, reduce='amax')


def masked_shape(x, mask, value):
    """Call with a shape, whose values Paddle's analysis propagates."""
    MASKED(paddle.shape(x).astype('float32'), mask, value)


NOT_IN_PLACE = (paddle.select_scatter, paddle.diagonal_scatter)
# (function, dims of its Tensors, which are float32 by default, inferred dims of
# the operands and of the result)
CASES = [
    (MASKED, '[-1 3] bool[1 3] [-1]', '[S0 3] [1 3] [S1] -> [S0 3]'),
    # the mask is larger
    (MASKED, '[-1 1] bool[4 -1 3] [-1]',
     '[S0 1] [4 S1 3] [S2] -> [4 Broadcast(S0, S1) 3]'),
    (MASKED, '[1 5] bool[4 1] [20]', '[1 5] [4 1] [20] -> [4 5]'),
    (MASKED, '[4 0] bool[4 1] [20]', '[4 0] [4 1] [20] -> [4 0]'),
    (partial(masked_shape), '[-1 3] bool[2] [2]',
     '[2] and values [2] [2] -> [2]'),
    (SELECT, '[-1 3 -1] [-1 -1]', '[S0 3 S1] [S0 S1] -> [S0 3 S1]'),
    (partial(SELECT, axis=-1), '[-1 3 4] [2 -1]', '[2 3 4] [2 3] -> [2 3 4]'),
    (DIAGONAL, '[-1 -1] [-1]', '[S0 S1] [S2] -> [S0 S1]'),
    (partial(DIAGONAL, axis1=-1, axis2=0), '[-1 -1 4] [-1 -1]',
     '[S0 S1 4] [S1 S3] -> [S0 S1 4]'),
    (SUM, '[-1 6] int64[-1] [-1 -1]', '[S0 6] [S1] [S0 S1] -> [S0 6]'),
    (partial(AMAX, axis=-2), '[-1 6 5] int64[-1] [3 -1 -1]',
     '[3 6 5] [S1] [3 S1 5] -> [3 6 5]'),
    (AMAX, '[-1 6 5] int64[] [-1 -1]',
     '[S0 6 5] [1] [S0 1 5] -> [S0 6 5]'),
]  # fmt: skip


@pytest.fixture(scope='module')
def probe(tmp_path_factory):
    """Link the functions with libpaddle.so and attach them to the operators."""
    folder = tmp_path_factory.mktemp('probe')
    sources = ROOT / 'kernels/infer_symbolic_shape'
    # The sources include each other by their paths in Paddle's tree.
    tree = folder / SYMBOLIC
    tree.parent.mkdir(parents=True)
    tree.symlink_to(sources)
    command = ['g++', '-std=c++17', '-O0', '-shared', '-fPIC', '-Werror']
    command += ['-Wall', '-Wextra', '-Wno-unused-parameter', f'-I{folder}']
    system = (PADDLE_INCLUDE, PADDLE_INCLUDE / 'third_party', STUBS)
    command += [f'-isystem{path}' for path in system]
    units = [Path(__file__).with_name('symbolic_shape_probe.cc')]
    units += sorted(sources.glob('*.cc'))
    # One unit: Paddle's headers take most of the compile time.
    (folder / 'unit.cc').write_text(''.join(f'#include "{x}"\n' for x in units))
    command += [folder / 'unit.cc']
    base, libs = (PADDLE_INCLUDE.with_name(name) for name in ('base', 'libs'))
    command += [f'-L{base}', '-l:libpaddle.so', f'-L{libs}', '-lcommon']
    done = run(*command, '-o', folder / 'probe.so')
    assert done.returncode == 0, done.stderr
    paddle.enable_static()
    program = make_program(*CASES[0][:2])
    assert not PIR.all_ops_defined_symbol_infer(program)
    library = ctypes.CDLL(folder / 'probe.so')
    library.symbolic_shape_calls.restype = ctypes.c_char_p
    library.attach_symbolic_shapes.restype = ctypes.c_bool
    assert library.attach_symbolic_shapes(), 'an operator is missing'
    return library


def make_program(call, dims):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        specs = re.findall(r'(\w*)\[(.*?)\]', dims)
        tensors = [
            paddle.static.data(
                f't{i}', [*map(int, x.split())], dtype or 'float32'
            )
            for i, (dtype, x) in enumerate(specs)
        ]
        call(*tensors)
    return program


@pytest.mark.parametrize(('call', 'dims', 'expected'), CASES)
def test_analysis_infers_symbolic_shapes(probe, call, dims, expected):
    probe.clear_symbolic_shape_calls()
    program = make_program(call, dims)
    assert PIR.all_ops_defined_symbol_infer(program)
    passes = PIR.PassManager()
    PIR.infer_symbolic_shape_pass(passes, program)
    passes.run(program)
    calls = probe.symbolic_shape_calls().decode().splitlines()
    assert calls == [expected] * (1 if call.func in NOT_IN_PLACE else 2)


@pytest.mark.parametrize('path', sorted((ROOT / 'ops_yaml').glob('*.yaml')))
def test_operators_declare_symbolic_shapes(path):
    for entry in yaml.safe_load(path.read_text(encoding='utf-8')):
        interfaces = entry.get('interfaces', '').split(', ')
        infers = 'paddle::dialect::InferSymbolicShapeInterface' in interfaces
        assert infers == ('op' in entry), entry
