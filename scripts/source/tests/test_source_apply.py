"""--source on toy checkouts: what it finds, applies, keeps and takes back."""

import shutil
import signal
import time

import pytest

from scripts.series.tests.series_samples import write_files

ADDED = 'paddle/phi/kernels/fill_kernel.h'
MANIPULATION = 'python/paddle/tensor/manipulation.py'


@pytest.fixture
def applied(toy):
    toy.apply()
    return toy


def test_clean_checkout_takes_the_series_once_and_gives_it_back(toy):
    assert 'Applied 2 patches on v1.0.0' in toy.apply()
    assert toy.git('log', '--format=%s').splitlines() == [
        'phi: add fill op',
        'phi: add shared code',
        'base',
    ]
    assert (toy.tree / ADDED).read_text() == '// declaration\n'
    assert toy.git('status', '--porcelain') == ''
    tip = toy.head()
    assert 'already applied' in toy.apply()
    assert toy.head() == tip
    assert 'back at v1.0.0' in toy.run('--undo')
    toy.assert_untouched()
    assert 'nothing to undo' in toy.run('--undo', status=1)


def test_series_applied_by_hand_is_noticed(applied):
    (applied.tree / '.git/scatter-operators.json').unlink()
    applied.commit(other='text\n')
    assert 'already applied' in applied.apply()


def test_earlier_version_of_the_series_has_to_go_first(applied):
    patch = applied.patches / '0002-phi-add-fill.patch'
    patch.write_text(patch.read_text().replace('New text', 'Newer text'))
    text = applied.apply(status=1)
    assert 'An earlier version of the series is applied' in text
    assert '--undo' in text


@pytest.mark.parametrize('committed', [True, False])
def test_undo_keeps_later_work(applied, committed):
    (applied.tree / ADDED).write_text('// mine\n')
    head = applied.commit() if committed else applied.head()
    said = 'git rebase --onto' if committed else ADDED
    assert said in applied.run('--undo', status=1)
    assert applied.head() == head
    assert (applied.tree / ADDED).read_text() == '// mine\n'


def test_all_findings_are_shown_in_one_run(toy):
    files = {ADDED: '// mine\n', '.git/MERGE_HEAD': toy.start + '\n'}
    write_files(toy.tree, {**files, 'CMakeLists.txt': 'changed\n'})
    text = toy.apply(status=1)
    for found in ('a merge is under way', 'uncommitted changes:\n',
                  'CMakeLists.txt', f'exist already:\n    {ADDED}',
                  'Stopped: 3 to be put right'):  # fmt: skip
        assert found in text
    assert toy.head() == toy.start
    assert (toy.tree / ADDED).read_text() == '// mine\n'


def edit(toy, old, new):
    text = (toy.tree / MANIPULATION).read_text()
    assert text.count(old) == 1
    (toy.tree / MANIPULATION).write_text(text.replace(old, new))
    return toy.commit()


def test_other_commit_that_the_hunks_fit_is_taken_with_a_note(toy):
    head = edit(toy, 'def first(x):', 'def first(x, y=1):')
    assert 'the series is made for v1.0.0' in toy.apply()
    assert toy.git('rev-parse', 'HEAD~2').strip() == head
    merged = (toy.tree / MANIPULATION).read_text()
    assert 'def first(x, y=1)' in merged and 'New text' in merged


def test_commit_that_the_hunks_do_not_fit_stops(toy):
    head = edit(toy, '"""Old text."""', '"""Their text."""')
    text = toy.apply(status=1)
    assert 'The series does not fit this commit' in text
    assert MANIPULATION in text
    assert 'git checkout v1.0.0' in text
    toy.assert_untouched(head)


@pytest.mark.parametrize(
    ('place', 'said'),
    [
        ('nowhere', 'No such file'),
        ('bin', 'not a git checkout'),
        ('Paddle/python', 'not its top'),
    ],
)
def test_folder_that_is_no_checkout_is_refused(toy, place, said):
    toy.tree = toy.folder / place
    assert said in toy.apply(status=1)


def test_user_settings_hooks_and_other_files_do_not_interfere(toy):
    hook = '.git/hooks/applypatch-msg'
    files = {'notes.txt': 'mine\n', hook: '#!/bin/sh\nexit 1\n'}
    write_files(toy.tree, files)
    (toy.tree / hook).chmod(0o755)
    toy.git('config', 'apply.whitespace', 'error')
    toy.git('config', 'commit.gpgSign', 'true')
    toy.apply()
    assert 'user.' not in toy.git('config', '--local', '--list')
    assert (toy.tree / 'notes.txt').read_text() == 'mine\n'


def test_patch_that_git_am_refuses_takes_the_others_out(toy):
    patch = toy.patches / '0002-phi-add-fill.patch'
    text = patch.read_text()
    patch.write_text(text[text.index('diff --git') :])
    assert 'git am stopped' in toy.apply(status=1)
    toy.assert_untouched()


# Stops the tool while git is at work.
SLOW_GIT = """\
#!/bin/sh
case " $* " in
*" am "*)
  kill -{name} $PPID
  sleep 1;;
esac
exec {git} "$@"
"""


@pytest.mark.parametrize('name', ['INT', 'TERM', 'KILL'])
def test_stopped_while_git_is_at_work_ends_it(toy, name):
    wrapper = toy.bin / 'git'
    wrapper.write_text(SLOW_GIT.format(name=name, git=shutil.which('git')))
    wrapper.chmod(0o755)
    killed = name == 'KILL'
    toy.apply(status=-signal.SIGKILL if killed else 130)
    wrapper.unlink()
    time.sleep(2 * killed)  # git is at its end
    assert 'already applied' in toy.apply()
    assert toy.git('rev-parse', 'HEAD~2').strip() == toy.start
    text = toy.run('--undo', status=int(killed))
    if killed:
        assert 'git reset --keep' in text
    else:
        toy.assert_untouched()
