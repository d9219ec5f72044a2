"""Symbolic shapes: run by Paddle's analysis, declared, and never half there.

The planted faults are those of a toy project.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scripts.common.wheel_headers import default_include
from scripts.series import export_patches
from scripts.series.patch_series import SeriesError
from scripts.series.symbolic_shape_edits import (
    FOLDER,
    declare,
    insert_declaration,
)
from scripts.series.tests.glog_headers import needs_glog
from scripts.series.tests.series_samples import (
    OP_YAML,
    make_series,
    write_files,
    write_project,
)

ROOT = Path(__file__).resolve().parents[3]
FILL = 'kernels/infer_symbolic_shape/fill_infer_sym.cc'
HEADER_PATH = f'{FOLDER}unary_infer_sym.h'
PLAIN = '  interfaces : paddle::dialect::InferSymbolicShapeInterface\n'
HEADER = """\
#pragma once

namespace paddle::dialect {

OP_DECLARE_INFER_SYMBOLIC_SHAPE(Abs)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(Fancy)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(Floor)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(Zeta)

}  // namespace paddle::dialect
"""
SOURCE = f"""\
#include "{FOLDER}unary_infer_sym.h"

namespace paddle::dialect {{

bool FillOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {{
  return true;
}}

}}  // namespace paddle::dialect
"""


def build_probe(folder):
    """The probe with our functions, linked with the installed libpaddle.so."""
    sources = ROOT / 'kernels/infer_symbolic_shape'
    # The sources include each other by the paths they have in Paddle's tree.
    tree = folder / FOLDER
    tree.parent.mkdir(parents=True)
    tree.symlink_to(sources)
    include = default_include(ROOT)
    probe = folder / 'probe.so'
    command = ['g++', '-std=c++17', '-O0', '-shared', '-fPIC', '-Werror']
    command += ['-Wall', '-Wextra', '-Wno-unused-parameter', f'-I{folder}']
    command += [f'-isystem{include}', f'-isystem{include / "third_party"}']
    command += [str(Path(__file__).with_name('symbolic_shape_probe.cc'))]
    command += [str(path) for path in sorted(sources.glob('*.cc'))]
    command += [f'-L{include.parent / "base"}', '-l:libpaddle.so']
    command += [f'-L{include.parent / "libs"}', '-lcommon', '-o', str(probe)]
    done = subprocess.run(command, capture_output=True, encoding='utf-8')
    assert done.returncode == 0, done.stderr
    return probe


@needs_glog
def test_paddles_analysis_gets_the_symbolic_shapes(tmp_path):
    """In another process, with our functions in place of none."""
    probe = build_probe(tmp_path)
    cases = Path(__file__).with_name('symbolic_shape_cases.py')
    done = subprocess.run(
        [sys.executable, str(cases), str(probe)],
        capture_output=True, encoding='utf-8',
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize('path', sorted((ROOT / 'ops_yaml').glob('*.yaml')))
def test_each_operator_asks_for_its_symbolic_shape(path):
    for entry in yaml.safe_load(path.read_text(encoding='utf-8')):
        interfaces = entry.get('interfaces', '').split(', ')
        asked = 'paddle::dialect::InferSymbolicShapeInterface' in interfaces
        assert asked == ('op' in entry), entry


@pytest.mark.parametrize(
    'name, message', [('Fancy', 'is declared already'), ('Yes', 'to put Yes')]
)
def test_bad_declaration_is_refused(name, message):
    with pytest.raises(SeriesError, match=message):
        insert_declaration(HEADER, HEADER_PATH, name)


def test_definition_without_a_known_header_is_refused():
    with pytest.raises(SeriesError, match='include one header of'):
        declare({HEADER_PATH: HEADER}, FILL, SOURCE.split('\n', 1)[1])


@pytest.mark.parametrize(
    'source, yaml_tail, name',
    [
        (SOURCE.replace('Fill', 'Other'), PLAIN, 'Fill'),
        (SOURCE, '  inplace : (x -> out)\n' + PLAIN, 'Fill_'),
    ],
)
def test_operator_without_its_function_is_refused(
    tmp_path, capsys, source, yaml_tail, name
):
    export_toy(tmp_path, source, yaml_tail, status=1)
    told = f'asks for {name}OpInferSymbolicShape, which no file of'
    assert told in capsys.readouterr().err


def export_toy(folder, source, yaml_tail, status=0):
    """Exports a toy project that has a symbolic shape."""
    series = make_series()
    digest = hashlib.sha256(HEADER.encode()).hexdigest()
    series['wheel_files'][HEADER_PATH] = digest
    write_project(folder, series)
    entry = OP_YAML.replace(
        '  backward : fill_grad\n', f'  backward : fill_grad\n{yaml_tail}'
    )
    files = {'ops_yaml/fill.yaml': entry, FILL: source}
    files[f'build/originals/paddle/include/{HEADER_PATH}'] = HEADER
    write_files(folder, files)
    assert export_patches.main(['--root', str(folder)]) == status
