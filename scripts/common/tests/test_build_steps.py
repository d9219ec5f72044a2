"""Tests of how steps are run, skipped, stopped and reported."""

import io
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from scripts.common import files
from scripts.common.clean import check_build_dir, clean, mark, to_clean
from scripts.common.steps import Runner, Step, StepFailed, build_lock
from scripts.series.tests.series_samples import write_files

ROOT = Path(__file__).resolve().parents[3]


class Bench:
    """A build folder and a step that appends a line to a file."""

    def __init__(self, folder):
        self.folder = folder
        self.build = folder / 'build'
        self.input = folder / 'input'
        self.output = folder / 'output'
        self.input.write_text('1')
        self.out = io.StringIO()

    def step(self, code=None, **options):
        code = code or f'open({str(self.output)!r}, "a").write("ran\\n")'
        command = [sys.executable, '-c', code]
        return Step('name', 'do it', [command], 'try this', **options)

    def tracked(self, code=None):
        return self.step(code, inputs=[self.input], outputs=[self.output])

    def run(self, *steps):
        Runner(self.build, list(steps), self.folder, self.out).run()
        return self.out.getvalue()

    def runs(self):
        return self.output.read_text().count('ran')


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_unchanged_step_is_skipped(bench):
    assert re.fullmatch(
        r'\[1/2\] do it \.\.\. [\d.]+ s\n\[2/2\] do it \.\.\. unchanged\n',
        bench.run(bench.tracked(), bench.tracked()),
    )
    Runner(bench.build, [bench.tracked()], bench.folder, bench.out).dry_run()
    assert '[1/1] do it (unchanged: skipped)\n' in bench.out.getvalue()
    assert bench.runs() == 1


@pytest.mark.parametrize('change', ['input', 'output', 'command'])
def test_step_runs_again_after_a_change(bench, change):
    bench.run(bench.tracked())
    step = bench.tracked()
    if change == 'input':
        bench.input.write_text('2')
    elif change == 'output':
        bench.output.unlink()
    else:
        step.commands[0].append('another argument')
    assert 'unchanged' not in bench.run(step).splitlines()[-1]


def test_failed_step_runs_again_though_nothing_changed(bench):
    bench.run(bench.tracked())
    bench.input.write_text('2')
    with pytest.raises(StepFailed):
        bench.run(bench.tracked('raise SystemExit(1)'))
    bench.input.write_text('1')
    bench.run(bench.tracked())
    assert bench.runs() == 2


def test_step_that_does_not_make_its_output_fails(bench):
    with pytest.raises(StepFailed, match='did not make .*output'):
        bench.run(bench.tracked('pass'))


def test_command_that_does_not_exist_fails(bench):
    with pytest.raises(StepFailed, match='/nonexistent/tool'):
        bench.run(Step('name', 'do it', [['/nonexistent/tool']], 'try this'))


def test_shown_output_leaves_out_the_commands(bench):
    shown = bench.run(bench.step('print("hello")', show_output=True))
    assert 'hello' in shown and '$ ' not in shown


def test_second_run_in_the_same_folder_is_refused(bench):
    with build_lock(bench.build):
        with pytest.raises(StepFailed, match=f'process {os.getpid()}'):
            with build_lock(bench.build):
                pass
    with build_lock(bench.build) as descriptor:
        assert descriptor > 2


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_children_and_the_next_run_goes_on(bench, number):
    program = textwrap.dedent(f"""
        import signal, sys
        sys.path.insert(0, {str(ROOT)!r})
        from scripts.common.command_line import stop
        from scripts.common.steps import Runner, Step
        signal.signal(signal.SIGTERM, stop)
        child = 'import os, time; print(os.getpid(), flush=True); time.sleep(60)'
        step = Step('name', 'do it', [[sys.executable, '-c', child]], 'hint')
        Runner({str(bench.build)!r}, [step], {str(bench.folder)!r}).run()
    """)
    quiet = dict.fromkeys(('stdout', 'stderr'), subprocess.DEVNULL)
    process = subprocess.Popen([sys.executable, '-c', program], **quiet)
    child = wait_for_child(bench.build / 'logs/01-name.log')
    process.send_signal(number)
    assert process.wait(timeout=20) != 0
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert not (bench.build / 'stamps/name').exists()


def wait_for_child(log):
    """The process id that the command has written into its log."""
    for _ in range(200):
        lines = log.read_text().splitlines() if log.is_file() else []
        if lines and lines[-1].isdigit():
            return int(lines[-1])
        time.sleep(0.05)
    raise AssertionError('the command did not start')


def test_clean_leaves_what_builds_did_not_make(bench):
    made = ('venv/bin/python', 'mine/text', 'CMakeCache.txt', 'notes.txt')
    write_files(bench.build, dict.fromkeys(made, ''))
    (bench.build / 'stamps').symlink_to(bench.build / 'mine')
    mark(bench.build)
    gone = {path.name for path in to_clean(bench.build)}
    assert gone == {'CMakeCache.txt', 'stamps', 'venv'}
    clean(bench.build)
    left = {path.name for path in bench.build.iterdir()}
    assert left == {'.scatter_ops_build', 'mine', 'notes.txt'}


def test_folder_of_somebody_else_is_neither_built_in_nor_emptied(tmp_path):
    theirs = tmp_path / 'theirs'
    (theirs / 'venv').mkdir(parents=True)
    with pytest.raises(StepFailed, match='holds venv, which no build made'):
        check_build_dir(theirs, tmp_path / 'sources')
    assert to_clean(theirs) == []
    clean(theirs)
    assert (theirs / 'venv').is_dir()


def test_build_folder_must_not_hold_the_sources(tmp_path):
    for folder in (tmp_path, tmp_path.parent):
        with pytest.raises(StepFailed, match='holds the sources'):
            check_build_dir(folder, tmp_path)
    check_build_dir(tmp_path / 'build', tmp_path)


def test_atomic_write_leaves_old_bytes_when_it_fails(bench, monkeypatch):
    def fail(*_):
        raise OSError('disk full')

    with monkeypatch.context() as patch:
        patch.setattr(files.os, 'replace', fail)
        with pytest.raises(OSError, match='disk full'):
            files.write_atomic(bench.input, b'new')
    assert bench.input.read_text() == '1'
    assert list(bench.folder.glob('.new-*')) == []


def test_atomic_write_keeps_the_permissions(bench):
    bench.input.chmod(0o755)
    files.write_atomic(bench.input, b'new')
    assert bench.input.stat().st_mode & 0o777 == 0o755


def test_unchanged_bytes_keep_the_time_of_the_file(bench):
    before = bench.input.stat().st_mtime_ns
    assert not files.write_if_changed(bench.input, b'1')
    assert bench.input.stat().st_mtime_ns == before
    assert files.write_if_changed(bench.input, b'2')
    assert bench.input.read_text() == '2'
