"""--source --only apply and --undo on toy checkouts."""

import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from scripts.series.check_intree_compile import make_base
from scripts.source.tests.source_samples import Toy

ROOT = Path(__file__).resolve().parents[3]
ADDED = 'paddle/phi/kernels/fill_kernel.h'
MANIPULATION = 'python/paddle/tensor/manipulation.py'


@pytest.fixture(scope='module')
def template(tmp_path_factory):
    return Toy.make(tmp_path_factory.mktemp('template'))


@pytest.fixture
def toy(template, tmp_path):
    return template.copy(tmp_path / 'toy')


def assert_untouched(toy, head=None):
    assert toy.head() == (head or toy.start)
    assert toy.status() == ''
    assert not (toy.tree / '.git/rebase-apply').exists()
    assert not (toy.tree / '.git/scatter-operators.json').exists()


def test_clean_checkout_takes_the_series(toy):
    status, text = toy.run('--only', 'apply')
    assert status == 0, text
    assert 'Applied 2 patches on v1.0.0' in text
    assert toy.git('log', '--format=%s').splitlines() == [
        'phi: add fill op',
        'phi: add shared code',
        'base',
    ]
    assert (toy.tree / ADDED).read_text() == '// declaration\n'
    assert toy.status() == ''


def test_series_of_this_project_goes_in_and_out(toy):
    """On the known part of the real base."""
    shutil.rmtree(toy.tree)
    make_base(ROOT, os.environ.get('PADDLE_SITE'), toy.tree)
    toy.start = toy.head()
    shutil.rmtree(toy.patches)
    shutil.copytree(ROOT / 'patches', toy.patches)
    toy.set_base(toy.start)
    status, text = toy.run('--only', 'apply')
    assert status == 0, text
    assert 'MaskedScatterInferMeta' in (
        toy.tree / 'paddle/phi/infermeta/ternary.cc'
    ).read_text(encoding='utf-8')
    assert toy.run('--undo')[0] == 0
    assert_untouched(toy)


def test_second_apply_says_already_applied(toy):
    toy.run('--only', 'apply')
    tip = toy.head()
    status, text = toy.run('--only', 'apply')
    assert status == 0
    assert 'already applied' in text
    assert toy.head() == tip


def test_series_applied_by_hand_is_noticed(toy):
    toy.run('--only', 'apply')
    (toy.tree / '.git/scatter-operators.json').unlink()
    toy.commit('later', other='text\n')
    status, text = toy.run('--only', 'apply')
    assert status == 0
    assert 'already applied' in text


def test_earlier_version_of_the_series_has_to_go_first(toy):
    toy.run('--only', 'apply')
    patch = toy.patches / '0002-phi-add-fill.patch'
    patch.write_text(patch.read_text().replace('New text', 'Newer text'))
    status, text = toy.run('--only', 'apply')
    assert status == 1
    assert 'An earlier version of the series is applied' in text
    assert '--undo' in text


def test_undo_restores_the_exact_commit(toy):
    toy.run('--only', 'apply')
    status, text = toy.run('--undo')
    assert status == 0, text
    assert 'back at v1.0.0' in text
    assert_untouched(toy)


def test_undo_without_apply_is_refused(toy):
    status, text = toy.run('--undo')
    assert status == 1
    assert 'nothing to undo' in text


@pytest.mark.parametrize('committed', [True, False])
def test_undo_keeps_later_work(toy, committed):
    toy.run('--only', 'apply')
    (toy.tree / ADDED).write_text('// mine\n')
    if committed:
        toy.commit('mine')
    head = toy.head()
    status, text = toy.run('--undo')
    assert status == 1
    assert ('git rebase --onto' if committed else ADDED) in text
    assert toy.head() == head
    assert (toy.tree / ADDED).read_text() == '// mine\n'


def test_uncommitted_changes_stop_and_are_named(toy):
    (toy.tree / 'CMakeLists.txt').write_text('changed\n')
    status, text = toy.run('--only', 'apply')
    assert status == 1
    assert 'uncommitted changes' in text
    assert 'CMakeLists.txt' in text
    assert toy.head() == toy.start


def test_untracked_files_elsewhere_do_not_matter(toy):
    (toy.tree / 'notes.txt').write_text('mine\n')
    status, text = toy.run('--only', 'apply')
    assert status == 0, text
    assert (toy.tree / 'notes.txt').read_text() == 'mine\n'


def test_untracked_file_at_a_place_of_the_series_stops(toy):
    (toy.tree / ADDED).parent.mkdir(parents=True, exist_ok=True)
    (toy.tree / ADDED).write_text('// mine\n')
    status, text = toy.run('--only', 'apply')
    assert status == 1
    assert 'exist already' in text
    assert ADDED in text
    assert (toy.tree / ADDED).read_text() == '// mine\n'


def test_all_findings_are_shown_in_one_run(toy):
    (toy.tree / 'CMakeLists.txt').write_text('changed\n')
    (toy.tree / ADDED).parent.mkdir(parents=True, exist_ok=True)
    (toy.tree / ADDED).write_text('// mine\n')
    (toy.tree / '.git/MERGE_HEAD').write_text(toy.start + '\n')
    status, text = toy.run('--only', 'apply')
    assert status == 1
    assert 'a merge is under way' in text
    assert 'uncommitted changes' in text
    assert 'exist already' in text
    assert 'Stopped: 3 to be put right' in text


def edit(toy, old, new):
    text = (toy.tree / MANIPULATION).read_text()
    assert text.count(old) == 1
    (toy.tree / MANIPULATION).write_text(text.replace(old, new))
    return toy.commit('edit')


def test_other_commit_that_the_hunks_fit_is_taken_with_a_note(toy):
    head = edit(toy, 'def first(x):', 'def first(x, y=1):')
    status, text = toy.run('--only', 'apply')
    assert status == 0, text
    assert 'the series is made for v1.0.0' in text
    assert toy.git('rev-parse', 'HEAD~2').strip() == head
    merged = (toy.tree / MANIPULATION).read_text()
    assert 'def first(x, y=1)' in merged and 'New text' in merged


@pytest.mark.parametrize('left', ['other lines', 'nothing'])
def test_commit_that_the_hunks_do_not_fit_stops(toy, left):
    if left == 'nothing':
        toy.git('rm', '-rq', 'paddle', 'python')
        head = toy.commit('empty')
    else:
        head = edit(toy, '"""Old text."""', '"""Their text."""')
    status, text = toy.run('--only', 'apply')
    assert status == 1
    assert 'The series does not fit this commit' in text
    assert MANIPULATION in text or left == 'nothing'
    assert 'git checkout v1.0.0' in text
    assert_untouched(toy, head)


@pytest.mark.parametrize('place', ['missing', 'plain', 'inside'])
def test_folder_that_is_no_checkout_is_refused(toy, tmp_path, place):
    toy.tree = {
        'missing': tmp_path / 'nowhere',
        'plain': toy.bin,
        'inside': toy.tree / 'python',
    }[place]
    status, text = toy.run('--only', 'apply')
    assert status == 1
    assert {
        'missing': 'no such folder',
        'plain': 'not a git checkout',
        'inside': 'not its top',
    }[place] in text


def test_dry_run_changes_nothing_and_shows_git_am(toy):
    before = sorted((toy.tree / '.git').rglob('*'))
    status, text = toy.run('--only', 'apply', '--dry-run')
    assert status == 0, text
    assert ' am ' in text
    assert '0002-phi-add-fill.patch' in text
    assert sorted((toy.tree / '.git').rglob('*')) == before
    assert_untouched(toy)


def test_user_settings_and_hooks_do_not_interfere(toy):
    hook = toy.tree / '.git/hooks/applypatch-msg'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nexit 1\n')
    hook.chmod(0o755)
    toy.git('config', 'apply.whitespace', 'error')
    toy.git('config', 'commit.gpgSign', 'true')
    status, text = toy.run('--only', 'apply')
    assert status == 0, text
    config = toy.git('config', '--local', '--list')
    assert 'user.' not in config


# Stops the tool while git is at work, in the scratch work tree (am) or in the
# checkout (reset). Git itself goes on: it has a session of its own.
SLOW_GIT = """\
#!/bin/sh
case " $* " in
*" %(command)s "*)
  kill -%(signal)s $PPID
  sleep 1;;
esac
exec %(git)s "$@"
"""


def run_and_stop(toy, command, name):
    wrapper = toy.bin / 'git'
    values = {'command': command, 'signal': name, 'git': shutil.which('git')}
    wrapper.write_text(SLOW_GIT % values)
    wrapper.chmod(0o755)
    status, text = toy.run('--only', 'apply')
    wrapper.unlink()
    return status, text


@pytest.mark.parametrize('name', ['INT', 'TERM'])
def test_interrupted_between_patches_leaves_nothing(toy, name):
    status, text = run_and_stop(toy, 'am', name)
    assert status == 130, text
    assert 'Stopped' in text
    assert_untouched(toy)
    assert not (toy.tree / '.git/worktrees').exists()


@pytest.mark.parametrize('name', ['INT', 'TERM'])
def test_interrupted_in_the_last_step_ends_it(toy, name):
    status, text = run_and_stop(toy, 'reset', name)
    assert status == 130, text
    assert toy.status() == ''
    assert 'already applied' in toy.run('--only', 'apply')[1]
    assert toy.run('--undo')[0] == 0
    assert_untouched(toy)


@pytest.mark.parametrize('command', ['am', 'reset'])
def test_killed_tool_is_run_or_undone_again(toy, command):
    status, _ = run_and_stop(toy, command, 'KILL')
    assert status == -signal.SIGKILL
    time.sleep(2)  # git is at its end
    status, text = toy.run('--only', 'apply')
    assert status == 0, text
    assert toy.git('rev-parse', 'HEAD~2').strip() == toy.start
    assert toy.status() == ''
    assert toy.run('--undo')[0] == 0
    assert_untouched(toy)
