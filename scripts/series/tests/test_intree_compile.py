"""The series compiles in its in-tree form; what would not, is caught.

The planted faults include none of Paddle's headers, so each is quick.
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
from scripts.series.manifest import read_manifest
from scripts.series.patch_repo import write_tree
from scripts.series.tests.glog_headers import needs_glog


@needs_glog
def test_series_of_this_project_compiles_in_its_intree_form(capsys):
    status = main([])
    output = capsys.readouterr()
    assert status == 0, output.err
    assert 'compilations, clean' in output.out


@pytest.mark.parametrize(
    ('text', 'mode', 'message'),
    [
        ('static int f() { int b = 1; return 2; }\n', 'OpenMP', 'unused variable'),
        ('#pragma omp parallel\n', 'no OpenMP', 'omp parallel'),
        ('using funcs::Missing;\n', 'OpenMP', 'has not been declared'),
    ],
)  # fmt: skip
def test_planted_fault_is_reported(tmp_path, text, mode, message):
    write_tree(tmp_path, {'ours.h': '', 'gpu.cu.h': '#error for a GPU\n'})
    unit = header_unit(tmp_path, ['ours.h', 'gpu.cu.h'])
    assert compile_unit(unit, mode, tmp_path, tmp_path) == ''
    write_tree(tmp_path, {'ours.h': text})
    said = compile_unit(unit, mode, tmp_path, tmp_path)
    assert f'header_unit.cc ({mode})' in said and message in said


def test_function_that_nothing_instantiates_any_more_is_reported(tmp_path):
    series, text = read_manifest(ROOT), ''
    for patch in series.patches:
        for path, text in patch.edits.items():
            if path.endswith('/masked_fill_kernel.cc'):
                text = text.replace('PD_KERNEL_INSTANTIATION', 'OTHER')
            if path.endswith('/scatter_grad_kernel.cc'):
                text = re.sub(r',\n\+ *int64_t\);', ');', text, count=1)
            patch.edits[path] = text
    sources = tmp_path / 'paddle/phi'
    sources.mkdir(parents=True)
    (sources / 'kernels').symlink_to(ROOT / 'kernels')
    lost = [*lost_symbols(series, tmp_path, default_include(ROOT))]
    assert len(lost) == 13, lost
    assert any('phi::MaskedFillKernel<phi::dtype::float16,' in x for x in lost)
    assert any('phi::ScatterGradKernel<long,' in fault for fault in lost)
