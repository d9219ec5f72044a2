"""Symbolic shapes: run by Paddle's analysis, and asked for by each operator."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from scripts.common.programs import run
from scripts.common.wheel_headers import default_include
from scripts.series.tests.glog_headers import needs_glog
from scripts.series.tree_edits import SYMBOLIC

ROOT = Path(__file__).resolve().parents[3]


def build_probe(folder):
    """The probe with our functions, linked with the installed libpaddle.so."""
    sources = ROOT / 'kernels/infer_symbolic_shape'
    # The sources include each other by the paths they have in Paddle's tree.
    tree = folder / SYMBOLIC
    tree.parent.mkdir(parents=True)
    tree.symlink_to(sources)
    include = default_include(ROOT)
    probe = folder / 'probe.so'
    command = ['g++', '-std=c++17', '-O0', '-shared', '-fPIC', '-Werror']
    command += ['-Wall', '-Wextra', '-Wno-unused-parameter', f'-I{folder}']
    command += [f'-isystem{include}', f'-isystem{include / "third_party"}']
    command += [Path(__file__).with_name('symbolic_shape_probe.cc')]
    command += sorted(sources.glob('*.cc'))
    command += [f'-L{include.parent / "base"}', '-l:libpaddle.so']
    command += [f'-L{include.parent / "libs"}', '-lcommon', '-o', probe]
    done = run(*command)
    assert done.returncode == 0, done.stderr
    return probe


@needs_glog
def test_paddles_analysis_gets_the_symbolic_shapes(tmp_path):
    """In another process, with our functions in place of none."""
    probe = build_probe(tmp_path)
    cases = Path(__file__).with_name('symbolic_shape_cases.py')
    done = run(sys.executable, cases, probe)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize('path', sorted((ROOT / 'ops_yaml').glob('*.yaml')))
def test_each_operator_asks_for_its_symbolic_shape(path):
    for entry in yaml.safe_load(path.read_text(encoding='utf-8')):
        interfaces = entry.get('interfaces', '').split(', ')
        asked = 'paddle::dialect::InferSymbolicShapeInterface' in interfaces
        assert asked == ('op' in entry), entry
