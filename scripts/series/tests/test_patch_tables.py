"""The tables of patches in docs/ say what is in patches/."""

import dataclasses
import re
import shutil
from pathlib import Path

import pytest

from scripts.series import patch_tables
from scripts.series.manifest import SOURCE_DIRS, load_series
from scripts.series.patch_tables import Size, size_faults

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


@pytest.mark.parametrize('name', list(SERIES.pull_requests))
def test_texts_name_their_own_patches_only(name):
    text = (ROOT / f'docs/pull_requests/{name}.md').read_text('utf-8')
    named = re.findall(r'\d{4}-[\w-]+\.patch', text)
    wanted = [p.file_name for p in SERIES.pull_request(name)]
    assert sorted(set(named)) == wanted
    has_kernels = any('-gpu-' in name for name in wanted)
    assert ('no GPU has run them' in text) == has_kernels


@pytest.mark.parametrize(
    ('size', 'note', 'said'),
    [
        (Size(1, 998), '', []),
        (Size(1, 999), 'why', []),
        (Size(1, 999), '', ['adds 1000 lines: from 1000 on']),
        (Size(1, 998), 'why', ['adds 999 lines: from 1000 on']),
        (Size(1000, 1), 'why', ['adds 1000 lines of code: split it']),
    ],
)
def test_a_big_patch_says_why_and_a_small_one_does_not(size, note, said):
    patch = dataclasses.replace(SERIES.patches[0], size_note=note)
    faults = list(size_faults([patch], {patch.name: size}))
    assert len(faults) == len(said)
    assert all(text in fault for text, fault in zip(said, faults))


def test_stale_table_and_missing_text_are_reported(tmp_path, capsys):
    for folder in (*SOURCE_DIRS, 'scripts'):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for folder in ('docs', 'patches'):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    with (tmp_path / 'patches' / SERIES.patches[0].file_name).open('a') as file:
        file.write(ADDED.format(path='paddle/phi/kernels/z.h'))
    (tmp_path / 'docs/pull_requests/select_scatter.md').unlink()
    assert patch_tables.main(['--root', str(tmp_path)]) == 1
    shown = capsys.readouterr().err
    assert 'review_guide.md: not the table of the present patches' in shown
    assert 'docs/pull_requests/select_scatter.md: missing' in shown
