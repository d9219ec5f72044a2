"""The series compiles in its in-tree form; what would not, is caught.

The planted faults use toy headers instead of Paddle's, so each is quick.
"""

import re

import pytest

from scripts.common.wheel_headers import default_include
from scripts.series import check_intree_compile, export_patches
from scripts.series.check_intree_compile import ROOT, check, lost_symbols
from scripts.series.manifest import read_manifest
from scripts.series.tests.glog_headers import needs_glog
from scripts.series.tests.series_samples import (
    SOURCES,
    write_files,
    write_project,
)

KERNEL = 'kernels/cpu/fill_kernel.cc'
SHARED = 'kernels/funcs/shared.h'
INFER = 'kernels/infermeta/fill.cc'


def compile_toy(folder, files):
    write_project(folder)
    write_files(folder, files)
    assert export_patches.main(['--root', str(folder)]) == 0
    return check(folder, None, folder / 'include')


@needs_glog
def test_series_of_this_project_compiles_in_its_intree_form(capsys):
    status = check_intree_compile.main([])
    output = capsys.readouterr()
    assert status == 0, output.err
    assert 'compilations, clean' in output.out


@pytest.mark.parametrize(
    'path, text, messages',
    [
        (
            KERNEL,
            'int Sum() {\n  int unused = 1;\n  return 2;\n}\n',
            ['cpu/fill_kernel.cc (OpenMP)', "unused variable 'unused'"],
        ),
        (
            SHARED,
            'inline void Loop(int* x) {\n#pragma omp parallel\n  *x = 1;\n}\n',
            ['header_unit.cc (no OpenMP)', 'omp parallel'],
        ),
        (
            INFER,
            SOURCES[INFER].replace('{}', '{ funcs::Missing(x); }'),
            ['infermeta_unit.cc', "'funcs' has not been declared"],
        ),
    ],
)
def test_planted_fault_is_reported(tmp_path, path, text, messages):
    faults, _ = compile_toy(tmp_path, {path: text})
    plain = '\n'.join(faults).replace('‘', "'").replace('’', "'")
    assert [m for m in messages if m not in plain] == [], plain


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
