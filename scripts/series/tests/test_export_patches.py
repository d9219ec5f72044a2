"""The exporter is reproducible and reports faults, on copies of the project."""

import shutil

import pytest

from scripts.series import export_patches
from scripts.series.manifest import EDITS, MANIFEST, SOURCES
from scripts.series.tree_edits import BASE_OPS

ROOT = export_patches.ROOT
COPIED_PATHS = {BASE_OPS, EDITS, 'patches', *(x.split('/')[0] for x in SOURCES)}
CC = 'kernels/infermeta/masked_scatter.cc'
OP = 'ops_yaml/masked_scatter.yaml'
PATCH = '0007-gpu-add-select_scatter.patch'


@pytest.fixture
def project(tmp_path, monkeypatch):
    for folder in COPIED_PATHS:
        shutil.copytree(ROOT / folder, tmp_path / 'project' / folder)
    shutil.copy(ROOT / MANIFEST, tmp_path / 'project' / MANIFEST)
    monkeypatch.setattr(export_patches, 'ROOT', tmp_path / 'project')
    return tmp_path / 'project'


def read_files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def substitute(path, old, new):
    text = path.read_text('utf-8')
    assert old in text
    path.write_text(text.replace(old, new), 'utf-8')


def test_export_ignores_user_settings_and_completes_new_patch(
    project, tmp_path, monkeypatch
):
    (tmp_path / '.gitconfig').write_text(
        '[diff]\n noprefix = true\n context = 7\n algorithm = patience\n'
        '[format]\n signature = me\n numbered = true\n attach = true\n'
        '[user]\n name = me\n email = me@localhost\n'
    )
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('GIT_AUTHOR_NAME', 'me')
    monkeypatch.setenv('TZ', 'Asia/Tokyo')
    path = project / 'patches' / PATCH
    substitute(path, '\nSigned-off-by: Your Name <you@example.com>\n', '')
    path.rename(path.with_name(f'0000{PATCH[4:]}'))
    assert export_patches.main([]) == 0
    assert read_files(project / 'patches') == read_files(ROOT / 'patches')


def test_check_reports_stale_patches(project, capsys):
    folder = project / 'patches'
    substitute(folder / PATCH, 'namespace phi', 'namespace x')
    (folder / '0099-phi-add-more.patch').write_text('more\n')
    substitute(project / CC, 'share_lod(x)', 'share_lod(mask)')
    before = read_files(folder)
    assert export_patches.main(['--check']) == 1
    err = capsys.readouterr().err
    stale = (PATCH, '0004-phi-add-masked_scatter.patch', '0099-phi-add-more')
    assert [name for name in stale if f'patches/{name}' not in err] == []
    assert read_files(folder) == before


# (file, text in it, its replacement, part of the error)
FAULTS = [
    (CC, 'share_lod(x);', 'share_lod(x); ', 'trailing white'),
    (OP, '- op : masked', '- op : zasked', 'position of zasked_scatter. Add'),
    (OP, '- op : masked', '- op : aasked', 'position of aasked_scatter. Add'),
    (f'patches/{PATCH}', 'Add GPU', 'Add a lot of kernels, among which are GPU',
     'gpu-add-select_scatter.patch: expected a line `Subject: [PATCH] ...` with'),
    (MANIFEST, 'gpu-add-select_scatter:', 'gpu-add-all:',
     'patches/NNNN-gpu-add-all.patch: expected a line `Subject: [PATCH] ...`'),
    (MANIFEST, 'rules: true', 'rule: true', "unexpected keyword argument"),
    (MANIFEST, 'ops: [masked_scatter]', 'ops: [missing]',
     'add-masked_scatter: no file ops_yaml/missing.yaml'),
    (MANIFEST, 'gpu/masked_scatter_kernel.cu', 'gpu/gone.cu',
     'gpu/masked_scatter_kernel.cu: expected one patch, got none'),
    (MANIFEST, 'cpu/masked_ops.h]', 'cpu/masked_ops.h, cpu/parallel.h]',
     'expected one patch, got phi-add-scatter_op_funcs, phi-add-mask_op_funcs'),
    (f'{EDITS}/phi-add-scatter_op_funcs.diff', ' import math', ' import maths',
     'phi-add-scatter_op_funcs: expected one match after the previous patches, '
     'but found 0:\nimport maths'),
    ('patches/0017-phi-speed-up-masks.patch', ' #include "', ' #include "x',
     'masked_scatter.h: expected one match after the previous patches'),
]  # fmt: skip


@pytest.mark.parametrize(('path', 'old', 'new', 'message'), FAULTS)
def test_export_reports_fault(project, capsys, path, old, new, message):
    substitute(project / path, old, new)
    assert export_patches.main([]) == 1
    assert message in capsys.readouterr().err
