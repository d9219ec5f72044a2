"""The tables of patches in docs/ say what is in patches/."""

import dataclasses
import re
import shutil
from pathlib import Path

import pytest

from scripts.series import patch_tables
from scripts.series.manifest import SOURCE_DIRS, load_series
from scripts.series.patch_tables import GPU_STATUS, Size, size_faults, size_of

ROOT = Path(__file__).resolve().parents[3]
SERIES = load_series(ROOT)
ADDED = """\
diff --git a/{path} b/{path}
new file mode 100644
--- /dev/null
+++ b/{path}
@@ -0,0 +1,2 @@
+one
++++ two
"""


def test_tables_are_those_of_the_present_patches(capsys):
    status = patch_tables.main([])
    assert status == 0, capsys.readouterr().err


@pytest.fixture
def project(tmp_path):
    """A copy in which docs/ and patches/ may be spoiled."""
    for folder in (*SOURCE_DIRS, 'scripts'):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for folder in ('docs', 'patches'):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


@pytest.mark.parametrize('name', list(SERIES.pull_requests))
def test_texts_name_their_own_patches_only(name):
    text = (ROOT / f'docs/pull_requests/{name}.md').read_text('utf-8')
    named = re.findall(r'\d{4}-[\w-]+\.patch', text)
    wanted = [p.file_name for p in SERIES.pull_request(name)]
    assert sorted(set(named)) == wanted
    has_kernels = any('-gpu-' in name for name in wanted)
    assert ('no GPU has run them' in text) == has_kernels


def test_lines_are_counted_by_what_they_are_for(tmp_path):
    def size(*parts):
        (tmp_path / 'some.patch').write_text(''.join(parts))
        return size_of(tmp_path / 'some.patch')

    kernel = ADDED.format(path='paddle/phi/kernels/funcs/x.h')
    tests = ADDED.format(path='test/legacy_test/test_x.py')
    more = ADDED.format(path='test/legacy_test/test_y.py')
    assert size(kernel, tests, more) == Size(2, 4, '', 1)
    cuda = ADDED.format(path='paddle/phi/kernels/funcs/x.cu.h')
    assert size(kernel, cuda) == Size(4, 0, GPU_STATUS, 2)


def test_a_big_patch_says_why_and_a_small_one_does_not():
    plain = next(p for p in SERIES.patches if not p.size_note)
    noted = next(p for p in SERIES.patches if p.size_note)
    series = dataclasses.replace(SERIES, patches=[plain, noted])
    big, small = Size(1, 999, ''), Size(1, 998, '')
    assert not [*size_faults(series, {plain.name: small, noted.name: big})]
    faults = [*size_faults(series, {plain.name: big, noted.name: small})]
    assert f'{plain.file_name} adds 1000 lines: split it' in faults[0]
    assert f'{noted.file_name} adds 999 lines only: it needs no' in faults[1]
    code = {plain.name: small, noted.name: Size(1000, 1, '')}
    (fault,) = size_faults(series, code)
    assert f'{noted.file_name} adds 1000 lines of code: split it' in fault


def test_stale_table_and_missing_text_are_reported(project, capsys):
    patch = project / 'patches' / SERIES.patches[0].file_name
    text = patch.read_text('utf-8')
    patch.write_text(text + ADDED.format(path='paddle/phi/kernels/z.h'))
    page = project / 'docs/pull_requests/select_scatter.md'
    page.rename(project / 'page.md')
    arguments = ['--root', str(project)]
    assert patch_tables.main(arguments) == 1
    shown = capsys.readouterr().err
    assert 'review_guide.md: not the table of the present patches' in shown
    assert 'docs/pull_requests/select_scatter.md: missing' in shown
    assert patch_tables.START in shown
    (project / 'page.md').rename(page)
    assert patch_tables.main([*arguments, '--write']) == 0
    assert patch_tables.main(arguments) == 0
