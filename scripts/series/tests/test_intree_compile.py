"""The series compiles in its in-tree form, and injected faults are reported."""

import re

import pytest

from scripts.common.wheel_headers import find_include
from scripts.series.check_intree_compile import (
    ROOT,
    compile_unit,
    find_lost_symbols,
    main,
    write_header_unit,
)
from scripts.series.manifest import Hunk, Patch
from scripts.series.patch_repo import write_tree


def test_series_compiles_in_tree(capsys):
    assert main() == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ('text', 'mode', 'message'),
    [
        ('static int f() { int b = 1; return 2; }\n', 'OpenMP', 'unused var'),
        ('#pragma omp parallel\n', 'no OpenMP', 'omp parallel'),
    ],
)  # fmt: skip
def test_compile_unit_reports_injected_fault(tmp_path, text, mode, message):
    write_tree(tmp_path, {'ours.h': '', 'gpu.cu.h': '#error for a GPU\n'})
    unit = write_header_unit(tmp_path, ['ours.h', 'gpu.cu.h'])
    assert compile_unit(unit, mode, tmp_path, tmp_path) == ''
    write_tree(tmp_path, {'ours.h': text})
    fault = compile_unit(unit, mode, tmp_path, tmp_path)
    assert f'header_unit.cc ({mode})' in fault and message in fault


def test_find_lost_symbols_reports_kernels_without_instantiation(tmp_path):
    name = 'phi::ScatterGradKernel'
    macro = [
        '+PD_KERNEL_INSTANTIATION(',
        f'+    {name}, CPU, phi::CPUContext, FUNCTION_KERNEL_INSTANTIATION,',
        '+    float, int);',
    ]
    patches = [
        Patch(1, 'a', edits={'a.cc': [Hunk(1, '', [f'-{name}', *text])]})
        for text in ([], macro)
    ]
    (tmp_path / 'paddle/phi').mkdir(parents=True)
    (tmp_path / 'paddle/phi/kernels').symlink_to(ROOT / 'kernels')
    faults = [*find_lost_symbols(patches, tmp_path, find_include(ROOT))]
    types = ['double', 'float', 'int', 'long', 'double', 'long']
    assert [re.search('<(\\w+)', x)[1] for x in faults] == types, faults
