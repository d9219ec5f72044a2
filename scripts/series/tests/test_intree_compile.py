"""The series compiles in its in-tree form; what would not, is caught.

The planted faults use toy headers instead of Paddle's, so each is quick.
"""

import re

import pytest

from scripts.common.wheel_headers import default_include
from scripts.series import check_intree_compile, export_patches
from scripts.series.base_symbols import lost_symbols
from scripts.series.check_intree_compile import ROOT, check
from scripts.series.manifest import load_series
from scripts.series.tests.glog_headers import needs_glog
from scripts.series.tests.series_samples import (
    INCLUDE,
    SOURCES,
    make_series,
    write_files,
    write_project,
)
from scripts.series.upstream_tree import base_tree, wheel_dirs

KERNEL = 'kernels/cpu/fill_kernel.cc'
SHARED = 'kernels/funcs/shared.h'
INFER = 'kernels/infermeta/fill.cc'


def compile_toy(folder, files, series=None):
    write_project(folder, series)
    write_files(folder, files)
    write_files(folder / 'include', INCLUDE)
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
            '#include "paddle/phi/kernels/infermeta/fill.h"\n',
            ['cpu/fill_kernel.cc (OpenMP)', 'infermeta/fill.h: No such file'],
        ),
        (
            KERNEL,
            'int Sum() {\n  int unused = 1;\n  return 2;\n}\n',
            ['cpu/fill_kernel.cc (OpenMP)', "unused variable 'unused'"],
        ),
        (
            KERNEL,
            'void Loop(int* x) {\n#pragma omp parallel\n  *x = 1;\n}\n',
            ['cpu/fill_kernel.cc (no OpenMP)', 'omp parallel'],
        ),
        (
            SHARED,
            'inline std::vector<int> Dims() { return {}; }\n',
            ['header_unit.cc (no OpenMP)', 'funcs/shared.h:1:'],
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


def test_header_of_a_later_patch_does_not_compile(tmp_path):
    series = make_series()
    series['patches'].append(series['patches'].pop(0))
    del series['patches'][1]['edits']
    infer = SOURCES[INFER].replace('#include "paddle/phi/kernels/funcs', '//')
    kernel = {
        KERNEL: '#include "paddle/phi/kernels/funcs/shared.h"\n',
        INFER: infer,
    }
    (fault,) = compile_toy(tmp_path, kernel, series)[0]
    assert fault.startswith('after 0001-phi-add-fill.patch: paddle/phi/kernels')
    assert 'funcs/shared.h: No such file' in fault


def test_toy_series_compiles(tmp_path):
    """A file that the wheel has too is seen with our change."""
    other = {'include/paddle/phi/kernels/funcs/shared.h': '#error wrong file\n'}
    # after each patch InferMeta and the headers; one kernel; at last, the
    # headers without OpenMP
    assert compile_toy(tmp_path, other) == ([], 6)


def test_function_that_nothing_instantiates_any_more_is_reported(tmp_path):
    series = load_series(ROOT)
    patches = [ROOT / 'patches' / p.file_name for p in series.patches]
    base = base_tree(series, wheel_dirs(ROOT))
    check_intree_compile.replay(series, base, patches, tmp_path)
    cpu = tmp_path / 'paddle/phi/kernels/cpu'
    whole, part = cpu / 'masked_fill_kernel.cc', cpu / 'scatter_grad_kernel.cc'
    above, _, below = whole.read_text().partition('PD_KERNEL_INSTANTIATION(')
    whole.write_text(f'{above}PD_REGISTER{below.partition("PD_REGISTER")[2]}')
    text = part.read_text()
    part.write_text(re.sub(r',\s+int64_t\);', ');', text, count=1))
    compile_unit = check_intree_compile.compile_unit
    faults = lost_symbols(tmp_path, default_include(ROOT), compile_unit)
    lost = [fault.split()[1] for fault in faults if 'exported' in fault]
    assert len(lost) == len(faults) == 13, faults
    assert 'phi::MaskedFillKernel<phi::dtype::float16,' in lost
    assert 'phi::ScatterGradKernel<long,' in lost
