"""Each rule of the patch linter on a good and on bad patches."""

import pytest

from scripts.series import check_patches

NAME = '0001-phi-add-fill.patch'
GOOD = f'''\
From {'0' * 40} Mon Sep 17 00:00:00 2001
From: Some authors <nobody@localhost>
Date: Fri, 2 Jan 2026 00:00:00 +0000
Subject: [PATCH] phi: add fill op

The old one is slow.

Signed-off-by: Some authors <nobody@localhost>

diff --git a/x.py b/x.py
--- a/x.py
+++ b/x.py
@@ -1,3 +1,4 @@
 one

+two
 three
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+one
'''

BAD = [
    ('Subject: [PATCH] phi', 'Subject: phi', 'does not begin with "[PATCH] "'),
    ('add fill op', 'add ' + 'very ' * 20 + 'long op', 'subject is longer'),
    ('add fill op', 'add fill op.', 'ends with a full stop'),
    ('The old one is slow.\n', '', 'no text between subject and sign-off'),
    ('Signed-off-by: Some', 'Signed: Some', '0 lines Signed-off-by'),
    ('Signed-off-by: ', 'Forwarded: no\nSigned-off-by: ', 'Forwarded: no'),
    ('Signed-off-by: ', 'Depends: none\nSigned-off-by: ', 'Depends: none'),
    (' <nobody@localhost>\n\n', '\n\n', '0 lines Signed-off-by'),
    ('+two', '+two ', 'added line has blanks at its end'),
    ('+two', '+two\r', 'added line has a carriage return'),
    ('@@ -0,0 +1 @@\n+one\n', '@@ -0,0 +1,2 @@\n+one\n', 'ends too early'),
    (' three\n', '', 'hunk ends too early'),
    ('-1,3 +1,4', '-1,2 +1,3', 'more lines in the hunk than its header'),
    ('+one\n', '+one\n\\ No newline at end of file\n', 'no newline at its end'),
    ('\ndiff --git', '\nindex', 'no diff'),
    (f'From {"0" * 40}', 'Some text', 'not a mail patch'),
]


def write_series(folder, patches, listed=None):
    for name, text in patches.items():
        (folder / name).write_bytes(text.encode('utf-8'))
    names = list(patches) if listed is None else listed
    (folder / 'series').write_text(''.join(f'{n}\n' for n in names))
    (folder / 'BASE').write_text('tag: v1.0.0\n')
    return folder


def test_good_patch_has_no_faults(tmp_path, capsys):
    write_series(tmp_path, {NAME: GOOD})
    assert check_patches.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == 'check_patches: clean\n'


def test_folded_subject_is_read_as_one_line():
    text = GOOD.replace('phi: add fill op', 'phi: add\n fill op')
    assert check_patches.read_patch(NAME, text).subject == (
        '[PATCH] phi: add fill op'
    )
    assert check_patches.check_patch(NAME, text) == []


@pytest.mark.parametrize(('old', 'new', 'message'), BAD)
def test_bad_patch_is_reported(old, new, message):
    text = GOOD.replace(old, new)
    assert text != GOOD
    faults = check_patches.check_patch(NAME, text)
    assert any(f.startswith(NAME) and message in f for f in faults), faults


@pytest.mark.parametrize(
    'name',
    [
        '1-phi-add-fill.patch',
        '0001-phi_fill.patch',
        '0001-Phi-add-fill.patch',
        '0001-phi-add-' + 'x' * 60 + '.patch',
    ],
)
def test_bad_name_is_reported(name):
    faults = check_patches.check_patch(name, GOOD)
    assert faults and all('name is' in fault for fault in faults)


def test_all_faults_of_a_folder_are_reported_together(tmp_path, capsys):
    second = GOOD.replace('Signed-off-by', 'Origin: vendor\nSigned-off-by')
    write_series(
        tmp_path,
        {NAME: GOOD.replace('+two', '+two '), '0002-phi-add-b.patch': second},
        [NAME, NAME, '0004-phi-add-gone.patch'],
    )
    (tmp_path / 'BASE').unlink()
    assert check_patches.main([str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert 'BASE: missing' in err
    assert f'series: {NAME} is listed 2 times' in err
    assert '0004-phi-add-gone.patch is listed, but there is no such file' in err
    assert '0002-phi-add-b.patch: not listed in series' in err
    assert 'blanks at its end' in err
    assert 'commits of Paddle do not have' in err
    assert out == 'check_patches: FAILED\n'


def test_series_must_be_in_the_order_of_the_numbers(tmp_path):
    later = '0002-phi-add-later.patch'
    write_series(tmp_path, {NAME: GOOD, later: GOOD}, [later, NAME])
    assert check_patches.check_patches(tmp_path) == [
        'series: not in the order of the numbers'
    ]
