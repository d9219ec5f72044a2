"""The series compiles in its in-tree form; what would not, is caught.

The injected faults include none of Paddle's headers, so each is quick.
"""

import re

import pytest

from scripts.common.wheel_headers import default_include
from scripts.series.check_intree_compile import (
    ROOT,
    compile_unit,
    header_unit,
    lost_symbols,
    main,
)
from scripts.series.manifest import Hunk, Patch
from scripts.series.patch_repo import write_tree


def test_series_of_this_project_compiles_in_its_intree_form(capsys):
    assert main() == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ('text', 'mode', 'message'),
    [
        ('static int f() { int b = 1; return 2; }\n', 'OpenMP', 'unused variable'),
        ('#pragma omp parallel\n', 'no OpenMP', 'omp parallel'),
    ],
)  # fmt: skip
def test_injected_fault_is_reported(tmp_path, text, mode, message):
    write_tree(tmp_path, {'ours.h': '', 'gpu.cu.h': '#error for a GPU\n'})
    unit = header_unit(tmp_path, ['ours.h', 'gpu.cu.h'])
    assert compile_unit(unit, mode, tmp_path, tmp_path) == ''
    write_tree(tmp_path, {'ours.h': text})
    fault = compile_unit(unit, mode, tmp_path, tmp_path)
    assert f'header_unit.cc ({mode})' in fault and message in fault


def test_kernel_that_is_no_longer_instantiated_is_reported(tmp_path):
    name = 'phi::ScatterGradKernel'
    macro = [
        '+PD_KERNEL_INSTANTIATION(',
        f'+    {name}, CPU, phi::CPUContext, FUNCTION_KERNEL_INSTANTIATION,',
        '+    float, int);',
    ]
    patches = [
        Patch(1, 'a', 'day', edits={'a.cc': [Hunk(1, '', [f'-{name}', *text])]})
        for text in ([], macro)
    ]
    (tmp_path / 'paddle/phi').mkdir(parents=True)
    (tmp_path / 'paddle/phi/kernels').symlink_to(ROOT / 'kernels')
    lost = [*lost_symbols(patches, tmp_path, default_include(ROOT))]
    types = ['double', 'float', 'int', 'long', 'double', 'long']
    assert [re.search('<(\\w+)', fault)[1] for fault in lost] == types, lost
