"""The exporter on a tiny project: result, reproducibility, drift and faults."""

from dataclasses import replace

import pytest

from scripts.series import export_patches
from scripts.series.definitions import without_parts
from scripts.series.manifest import PLACEHOLDER_AUTHOR, load_series
from scripts.series.patch_series import SeriesError
from scripts.series.tests.series_samples import (
    SITE,
    make_series,
    write_files,
    write_project,
)
from scripts.series.tree_edits import apply_patch

SHARED = '0001-phi-add-shared.patch'
FILL = '0002-phi-add-fill.patch'


def export(root, *arguments):
    return export_patches.main(['--root', str(root), *arguments])


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def project(tmp_path):
    return write_project(tmp_path / 'project')


def test_patches_differ_by_the_author_alone(project, tmp_path, monkeypatch):
    assert export(project, '--author', 'Ada Lane <ada@example.org>') == 0
    (tmp_path / '.gitconfig').write_text(
        '[diff]\n noprefix = true\n context = 7\n algorithm = patience\n'
        '[format]\n signature = me\n numbered = true\n attach = true\n'
        '[user]\n name = me\n email = me@localhost\n'
    )
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('GIT_AUTHOR_NAME', 'me')
    monkeypatch.setenv('TZ', 'Asia/Tokyo')
    assert export(project, '--output', str(tmp_path / 'again')) == 0
    ada, ours = b'Ada Lane <ada@example.org>', PLACEHOLDER_AUTHOR.encode()
    again = contents(tmp_path / 'again')
    for name, text in contents(project / 'patches').items():
        assert text.count(ada) == (2 if name.endswith('.patch') else 0)
        assert text.replace(ada, ours) == again[name]
    with pytest.raises(SystemExit):
        export(project, '--author', '<ada@example.org>')


def test_check_shows_what_is_stale_and_export_mends_it(project, capsys):
    assert export(project) == 0
    assert export(project, '--check') == 0
    folder = project / 'patches'
    before = contents(folder)
    shared = (folder / SHARED).read_text()
    (folder / SHARED).write_text(shared.replace('is slow', 'is slower'))
    (folder / '0009-phi-add-more.patch').write_text('more\n')
    write_files(project, {'kernels/cpu/fill_kernel.cc': '// faster kernel\n'})
    capsys.readouterr()
    assert export(project, '--check') == 1
    err = capsys.readouterr().err
    for said in ('-The old one is slower', '0009-phi-add-more.patch',
                 '-+// kernel', '++// faster kernel'):  # fmt: skip
        assert said in err
    write_files(project, {'kernels/cpu/fill_kernel.cc': '// kernel\n'})
    assert export(project) == 0
    assert before == contents(folder)


def test_faults_of_the_assignment_are_all_reported(tmp_path, capsys):
    series = make_series()
    shared, fill = series['patches']
    shared['files']['kernels/cpu'] = ['fill_kernel.cc']
    fill['files'] = {'kernels/cpu': ['fill_kernel.*'], 'kernels/gpu': ['no_*']}
    fill['ops'].append('missing')
    root = write_project(tmp_path, series)
    gpu = 'kernels/gpu/fill_kernel.cu'
    write_files(root, {'unittests/test_stray.py': '', gpu: ''})
    assert export(root) == 1
    err = capsys.readouterr().err
    one = 'expected one patch that has it, got'
    for said in (
        f'unittests/test_stray.py: {one} none; name it in scripts/series',
        f'{gpu}: {one} none',
        f'kernels/cpu/fill_kernel.cc: {one} phi-add-shared, phi-add-fill',
        'patch phi-add-fill: no file ops_yaml/missing.yaml',
        'patch phi-add-fill: no file kernels/gpu/no_*',
    ):
        assert said in err
    assert not (root / 'patches').exists()


MANIFEST = 'scripts/series/series.yaml'
CC = 'kernels/infermeta/fill.cc'
PY = 'python_api/fill.py'
OP = 'ops_yaml/fill.yaml'
MODULE = 'paddle/tensor/manipulation.py'
# (file, text in it, what stands there instead, what is said)
FAULTS = [
    (CC, 'funcs/shared.h', 'funcs/other.h',
     'has no `#include "paddle/phi/kernels/funcs/other.h"`'),
    (f'{SITE}/{MODULE}', 'first.mark', 'first.patched',
     f'{MODULE}: no untouched copy'),
    (OP, '- op : fill', '- op : zoom', 'place of op zoom are not recorded'),
    (OP, '- op : fill', '- op : afill', 'place of op afill are not recorded'),
    (OP, '- op : fill', '- op: fill', 'expected `- op'),
    ('kernels/fill_kernel.h', 'declaration', 'declaration ', 'trailing white'),
    (PY, 'def _check', 'print(1)\ndef _check', 'only imports and definitions'),
    (PY, '_check', 'first', 'first: defined at several places'),
    (PY, 'beta(x)', 'helper(x)', 'the merged module: helper; add an import'),
    (MANIFEST, '    alpha,', '    delta,', 'edit of'),
    (MANIFEST, 'infermeta/ternary.cc', 'kernels/funcs/shared.h',
     'shared.h: name it by its source'),
    (MANIFEST, 'subject: ', 'title: ', "unexpected keyword argument 'title'"),
    (MANIFEST, "  subject: 'phi: add fill op'\n", '', "argument: 'subject'"),
]  # fmt: skip


@pytest.mark.parametrize(('path', 'old', 'new', 'message'), FAULTS)
def test_faulty_source_or_manifest_is_refused(
    project, capsys, path, old, new, message
):
    text = (project / path).read_text()
    assert old in text
    (project / path).write_text(text.replace(old, new))
    assert export(project) == 1
    assert message in capsys.readouterr().err


RUN = 'kernels/funcs/scatter_ops/cpu/run.h'


@pytest.mark.parametrize(
    ('source', 'parts', 'message'),
    [
        (RUN, ['Stores', 'Gone'], 'part Gone: named 1 times, found 0'),
        (RUN, ['StoresFor', '#endif'], 'part #endif: named 1 times, found '),
        (RUN, ['Stores', 'Stores'], 'part Stores: named 2 times, found 1'),
        ('kernels/gpu/device.h', ['One'], 'device.h: no earlier patch adds it'),
    ],
)
def test_a_part_that_is_not_there_once_is_refused(source, parts, message):
    root = export_patches.ROOT
    patches = {patch.name: patch for patch in load_series(root).patches}
    copies = patches['phi-add-copies']
    copies.parts, copies.edits = {source: parts}, {}
    funcs = replace(patches['phi-add-scatter_op_funcs'], edits={}, functions=[])
    funcs.sources = [RUN]
    with pytest.raises(SeriesError) as error:
        apply_patch({}, funcs, root)
        apply_patch({}, copies, root)
    assert message in str(error.value)
    assert 'phi-add-copies' in str(error.value)
    assert source in str(error.value)


def test_a_block_of_two_names_is_not_taken_apart():
    text = 'struct One {\n};\nint Two(int a);\n\nint Three(int a);\n'
    assert without_parts(text, ['One', 'Two']) == 'int Three(int a);\n'
    with pytest.raises(SeriesError, match='Two is no part'):
        without_parts(text, ['One'])
