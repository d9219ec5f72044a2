"""The exporter on copies of this project: reproducible, and no fault passes."""

import shutil

import pytest

from scripts.series import export_patches
from scripts.series.manifest import (
    EDITS,
    MANIFEST,
    PLACEHOLDER_AUTHOR,
    SOURCE_DIRS,
)

ROOT = export_patches.ROOT
COPIED = (*SOURCE_DIRS, 'scripts/series', 'docs', 'patches', 'native/kernels')
CC = 'kernels/infermeta/masked_scatter.cc'
GPU = 'kernels/gpu/masked_scatter_kernel.cu'
OP = 'ops_yaml/masked_scatter.yaml'
PAGE = 'docs/pull_requests/masked_scatter.md'
PY = 'python_api/masked_scatter.py'
PATCH = '0008-test-cover-masked_scatter.patch'


@pytest.fixture
def project(tmp_path):
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / 'project' / folder)
    (tmp_path / 'project/build').symlink_to(ROOT / 'build')
    return tmp_path / 'project'


def export(root, *arguments):
    return export_patches.main(['--root', str(root), *arguments])


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def plant(path, old, new):
    text = path.read_text('utf-8')
    assert old in text
    path.write_text(text.replace(old, new), 'utf-8')


def test_patches_differ_by_the_author_alone(project, tmp_path, monkeypatch):
    (tmp_path / '.gitconfig').write_text(
        '[diff]\n noprefix = true\n context = 7\n algorithm = patience\n'
        '[format]\n signature = me\n numbered = true\n attach = true\n'
        '[user]\n name = me\n email = me@localhost\n'
    )
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('GIT_AUTHOR_NAME', 'me')
    monkeypatch.setenv('TZ', 'Asia/Tokyo')
    assert export(project, '--author', 'Ada Lane <ada@a.org>') == 0
    ada, ours = b'Ada Lane <ada@a.org>', PLACEHOLDER_AUTHOR.encode()
    published = contents(ROOT / 'patches')
    for name, text in contents(project / 'patches').items():
        assert text.count(ada) == (2 if name.endswith('.patch') else 0)
        assert text.replace(ada, ours) == published[name]
    with pytest.raises(SystemExit):
        export(project, '--author', '<ada@a.org>')


def test_check_shows_what_is_stale_and_export_mends_it(project, capsys):
    folder = project / 'patches'
    plant(folder / PATCH, 'more tests', 'some tests')
    (folder / '0099-phi-add-more.patch').write_text('more\n')
    plant(project / CC, 'share_lod(x)', 'share_lod(mask);\n  out->share_lod(x)')
    assert export(project, '--check') == 1
    err = capsys.readouterr().err
    for said in (
        'some tests',
        '0099-phi-add',
        '++  out->share_lod(mask)',
        '-| `0006-',
    ):
        assert said in err
    assert export(project) == 0
    assert export(project, '--check') == 0
    assert contents(folder).keys() == contents(ROOT / 'patches').keys()


# (file, text in it, what stands there instead, what is said)
FAULTS = [
    (CC, 'shared/checks.h', 'other.h', 'other.h"`; add it with a hunk in'),
    (CC, 'share_lod(x);', 'share_lod(x); ', 'trailing white'),
    (OP, '- op : masked', '- op : zasked', 'zasked_scatter are not recorded'),
    (OP, '- op : masked', '- op : nasked', 'nasked_scatter are not recorded'),
    (OP, '- op : masked', '- op: masked', 'expected `- op'),
    (PY, 'def _promote_for_composite', 'print(1)\n\n\ndef _promote_for_composite', 'only imports and defin'),
    (PY, 'cast(x, ', 'cast(helper, ', 'the merged module: helper; add an import'),
    (PAGE, '#### test-cover', '#### test-more',
     f'{PAGE}: its sections are the messages of its patches in {MANIFEST}, in '
     'order: expected test-cover-masked_scatter, got test-more-masked_scatter'),
    (PAGE, '### 是否', '#### a\n\n```text\nb\n```\n\n### 是否', 'none, got a\n'),
    (PAGE, 'more tests of', 'more of the many tests of the operator',
     f'{PAGE}: test-cover-masked_scatter: expected a subject of at most 72'),
    (MANIFEST, 'manipulation.py: 003f', 'manipulation.py: 103f',
     'tensor/manipulation.py: no untouched copy'),
    (f'{EDITS}/phi-add-scatter_op_funcs.diff', ' import math', ' import maths',
     'edit of python/paddle/tensor'),
    (MANIFEST, 'size_note:', 'note:', "unexpected keyword argument 'note'"),
    (MANIFEST, 'size_note: tests', 'size_note: #', ' lines: from 1000'),
    (MANIFEST, 'phi-add-index_groups:',
     'phi-add-index_groups:\n      size_note: it is small',
     'phi-add-index_groups.patch adds '),
    (CC, 'namespace phi {\n', 'namespace phi {\n' + '// long\n' * 999,
     'lines of code: split it'),
    (MANIFEST, 'ops: [masked_scatter]', 'ops: [missing]',
     'add-masked_scatter: no file ops_yaml/missing.yaml'),
    (MANIFEST, 'gpu/masked_scatter_*', 'gpu/gone_*',
     f'{GPU}: expected one patch that has it, got none; name it in scripts/s'),
    (MANIFEST, 'cpu/mask.h]', 'cpu/mask.h, kernels/*/*/*/run.h]', 'run.h: expected one patch that '
     'has it, got phi-add-scatter_op_funcs, phi-add-mask_op_funcs; name it'),
    (f'{EDITS}/phi-add-masked_scatter.diff', 'a/paddle/fluid/pir/dialect/operator/'
     'interface/infer_symbolic_shape/multiary_infer_sym.h',
     'a/paddle/fluid/pir/dialect/operator/'
     'interface/infer_symbolic_shape/masked_scatter_infer_sym.cc',
     'masked_scatter_infer_sym.cc: name it by its source'),
    (f'{EDITS}/phi-speed-up-last_axis.diff', 'a/kernels/funcs/scatter_ops/'
     'index_reduce/cpu/segment_grad.h', 'a/kernels/funcs/scatter_ops/gpu/gone.cu.h',
     'gpu/gone.cu.h: no earlier patch adds it'),
]  # fmt: skip


@pytest.mark.parametrize(('path', 'old', 'new', 'message'), FAULTS)
def test_a_fault_is_refused(project, capsys, path, old, new, message):
    plant(project / path, old, new)
    assert export(project) == 1
    assert message in capsys.readouterr().err
