"""The exporter on a tiny project: result, reproducibility, drift and faults."""

import pytest

from scripts.series import export_patches
from scripts.series.tests.series_samples import (
    SOURCES,
    make_series,
    write_files,
    write_project,
)

SHARED = '0001-phi-add-shared.patch'
FILL = '0002-phi-add-fill.patch'


def export(root, *arguments):
    return export_patches.main(['--root', str(root), *arguments])


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def project(tmp_path):
    return write_project(tmp_path / 'project')


@pytest.fixture
def exported(project):
    assert export(project) == 0
    return project


def test_author_and_sign_off_are_an_option(exported):
    assert export(exported, '--author', 'Ada Lane <ada@example.org>') == 0
    text = (exported / 'patches' / FILL).read_text()
    assert 'From: Ada Lane <ada@example.org>\n' in text
    assert 'Signed-off-by: Ada Lane <ada@example.org>\n' in text
    assert 'example.com' not in text


@pytest.mark.parametrize('author', ['Ada', '<ada@example.org>', 'Ada <ada>'])
def test_an_author_without_name_or_mail_is_refused(exported, author, capsys):
    with pytest.raises(SystemExit):
        export(exported, '--author', author)
    assert 'expected' in capsys.readouterr().err


def test_same_input_gives_same_bytes_whatever_the_git_settings(
    exported, tmp_path, monkeypatch
):
    (tmp_path / '.gitconfig').write_text(
        '[diff]\n noprefix = true\n context = 7\n algorithm = patience\n'
        '[format]\n signature = me\n numbered = true\n'
        '[user]\n name = me\n email = me@localhost\n'
    )
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('GIT_AUTHOR_NAME', 'me')
    monkeypatch.setenv('TZ', 'Asia/Tokyo')
    assert export(exported, '--output', str(tmp_path / 'again')) == 0
    assert contents(tmp_path / 'again') == contents(exported / 'patches')


def test_check_shows_what_a_changed_source_makes_stale(exported, capsys):
    capsys.readouterr()
    assert export(exported, '--check') == 0
    assert capsys.readouterr() == ('export_patches: up to date\n', '')
    write_files(exported, {'kernels/cpu/fill_kernel.cc': '// faster kernel\n'})
    assert export(exported, '--check') == 1
    err = capsys.readouterr().err
    assert FILL in err and SHARED not in err
    assert '-+// kernel' in err and '++// faster kernel' in err


def test_check_notices_other_patch_files_and_export_mends_them(
    exported, capsys
):
    folder = exported / 'patches'
    before = contents(folder)
    shared = (folder / SHARED).read_text()
    (folder / SHARED).write_text(shared.replace('is slow', 'is slower'))
    (folder / FILL).unlink()
    (folder / '0009-phi-add-more.patch').write_text('more\n')
    assert export(exported, '--check') == 1
    err = capsys.readouterr().err
    for said in (SHARED, FILL, '0009-phi-add-more.patch',
                 'deleted file mode', 'new file mode'):  # fmt: skip
        assert said in err
    assert not (folder / FILL).exists()
    assert export(exported) == 0
    assert before == contents(folder)


def test_faults_of_the_assignment_are_all_reported(tmp_path, capsys):
    series = make_series()
    shared, fill = series['patches']
    shared['files']['kernels/cpu'] = ['fill_kernel.cc']
    fill['files'] = {
        'kernels/cpu': ['fill_kernel.*'],
        'kernels/gpu': ['none_*'],
    }
    fill['ops'].append('missing_op')
    fill['functions'].append('missing_api')
    root = write_project(tmp_path, series)
    gpu = 'kernels/gpu/fill_kernel.cu'
    write_files(root, {'unittests/test_stray.py': '', gpu: ''})
    assert export(root) == 1
    err = capsys.readouterr().err
    for said in (
        'unittests/test_stray.py: mapped by no patch; name it in',
        f'{gpu}: mapped by no patch; list it under files of an item of its own',
        'kernels/cpu/fill_kernel.cc: mapped by more than one patch',
        'no file ops_yaml/missing_op.yaml',
        'no file python_api/missing_api.py',
        "'kernels/gpu/none_*' matches no source file",
    ):
        assert said in err
    assert not (root / 'patches').exists()


def test_line_that_a_test_of_a_rule_needs_is_asked_for(project, capsys):
    write_files(project, {'unittests/test_fill_rule.py': 'TEST = 1\n'})
    assert export(project) == 1
    told = capsys.readouterr().err
    line = '`(test_fill_rule MODULES test_fill_rule)` in '
    assert f'unittests/test_fill_rule.py: expected {line}' in told
    assert 'add it with an edit' in told


MANIFEST = 'scripts/series/series.yaml'
CC = 'kernels/infermeta/fill.cc'
PY = 'python_api/fill.py'
OP = 'ops_yaml/fill.yaml'
MODULE = 'paddle/tensor/manipulation.py'
WHEEL = f'build/originals/{MODULE}'
SYMBOLIC = '''
  inplace : (x -> out)
  interfaces : paddle::dialect::InferSymbolicShapeInterface
  backward :'''
# (file, text in it, what stands there instead, what is said)
FAULTS = [
    (CC, 'namespace phi {', 'static int lost;\nnamespace phi {',
     'outside namespace phi would be lost'),
    (CC, 'funcs/shared.h', 'funcs/other.h',
     'has no `#include "paddle/phi/kernels/funcs/other.h"`'),
    ('kernels/infermeta/fill.h', '}  // namespace phi', '}',
     'expected exactly one block'),
    (CC, '}  // namespace phi', '}  // namespace phi\nnamespace phi {\n'
     '}  // namespace phi', 'expected exactly one block'),
    (WHEEL, 'first.mark', 'first.patched', f'{MODULE}: no untouched copy'),
    (WHEEL, 'first.mark', 'first.patched',
     make_series()['wheel_files'][f'python/{MODULE}']),
    (OP, 'fill', 'zoom', 'alphabetical place of op zoom are not recorded'),
    (OP, 'fill', 'zoom', 'place of backward_op zoom_grad are not recorded'),
    (OP, 'fill', 'zoom', 'the last three lines above it'),
    (OP, '\n  backward :', SYMBOLIC,
     f'{OP}: expected `OP_DECLARE_INFER_SYMBOLIC_SHAPE(Fill_)` in '),
    (OP, '\n  backward :', SYMBOLIC,
     f'{OP}: expected `bool Fill_OpInferSymbolicShape(` in '),
    (OP, '- op : fill', '- op: fill', 'expected `- op'),
    ('kernels/fill_kernel.h', 'declaration', 'declaration ', 'trailing white'),
    ('kernels/fill_kernel.h', 'declaration', 'declaration\r', 'trailing white'),
    ('kernels/fill_kernel.h', 'declaration\n', 'declaration', 'no newline at'),
    (PY, 'def _check', 'print(1)\ndef _check', 'only imports and definitions'),
    (PY, 'def _check', '__all__ = []\ndef _check', 'only imports and definitio'),
    (PY, SOURCES[PY], 'import math\n', 'defines nothing'),
    (PY, 'def fill(x)', 'def fill(x):\n    pass\ndef _last():\n    pass\nfill.a = 1\n'
     'def more(x)', 'the definitions of fill are not together'),
    (PY, '_check', 'first', 'first: defined at several places'),
    (PY, 'beta(x)', 'helper(x)', 'the merged module: helper; add an import'),
    (MANIFEST, '    alpha,', '    delta,', 'edit of'),
    (MANIFEST, 'kernels/funcs:', '-', 'no lists by folder'),
    (MANIFEST, 'kernels/funcs:\n', 'kernels/funcs: x\n    other:\n', 'by folder'),
    (MANIFEST, 'subject: ', 'title: ', "unexpected keyword argument 'title'"),
    (MANIFEST, "  subject: 'phi: add fill op'\n", '', "argument: 'subject'"),
    (MANIFEST, 'add fill op', f'add {15 * "very "} long op', 'at most 72'),
    (MANIFEST, 'add fill op', 'add fill op.', 'no full stop'),
    (MANIFEST, 'The old one', 'Forwarded: no\n\n    The old one',
     "no field 'Forwarded: no'"),
    (MANIFEST, 'phi-add-fill', 'phi_fill', 'expected a name <area>-<verb>-'),
    (MANIFEST, 'phi-add-fill', 'Phi-add-fill', 'expected a name <area>-<verb>-'),
    (MANIFEST, 'phi-add-fill', f'phi-add-{50 * "x"}', 'at most 60 characters'),
]  # fmt: skip


@pytest.mark.parametrize(('path', 'old', 'new', 'message'), FAULTS)
def test_faulty_source_or_manifest_is_refused(
    project, capsys, path, old, new, message
):
    text = (project / path).read_bytes().decode()
    assert old in text
    (project / path).write_bytes(text.replace(old, new).encode())
    assert export(project) == 1
    assert message in capsys.readouterr().err
