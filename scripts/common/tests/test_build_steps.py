"""How steps are run, skipped, stopped and reported, and folders are emptied."""

import os
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from scripts.common.build_folder import MARKER, check_build_dir, clean, locked
from scripts.common.command_line import Refused
from scripts.common.steps import Runner, Step
from scripts.series.tests.series_samples import write_files

ROOT = Path(__file__).resolve().parents[3]


def test_step_runs_when_something_changed_or_failed(tmp_path, capsys):
    files = [tmp_path / 'in', tmp_path / 'out']

    def run(code='open("out", "w").write("made"); print("hello")'):
        command = shlex.join([sys.executable, '-c', code])
        step = Step('name', 'do it', command, 'try this', files, True)
        runner = Runner(tmp_path, [step], tmp_path)
        runner.run(dry=True)
        will_skip = '(unchanged: skipped)' in capsys.readouterr().out
        runner.run()
        said = capsys.readouterr().out
        assert will_skip == (said == '[1/1] do it ... unchanged\n')
        assert will_skip or said.endswith(' s\nhello\n\n')
        return not will_skip

    assert run() and not run()
    files[0].write_text('1')
    assert run() and not run()
    files[1].unlink()
    assert run() and not run()
    with pytest.raises(Refused, match=r'(?s)exit code 3\. .* why\n\n.*try'):
        run('print("why"); raise SystemExit(3)')
    assert run() and not run()


def test_signal_stops_the_children_and_the_next_run_goes_on(tmp_path):
    program = textwrap.dedent(f"""
        import shlex, sys
        sys.path.insert(0, {str(ROOT)!r})
        from scripts.common.command_line import exit_status
        from scripts.common.steps import Runner, Step
        child = 'import os, time; print(os.getpid(), flush=True); time.sleep(60)'
        command = shlex.join([sys.executable, '-c', child])
        step = Step('name', 'do it', command, 'hint')
        sys.exit(exit_status(Runner({str(tmp_path)!r}, [step], '/').run))
    """)
    command = [sys.executable, '-c', program]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    child = wait_for_child(tmp_path / 'logs/01-name.log')
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=20)[1]
    assert 'Run the same command again' in said and process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert not (tmp_path / 'stamps/name').exists()


def wait_for_child(log):
    """The process id that the command has written into its log."""
    for _ in range(200):
        lines = log.read_text().splitlines() if log.is_file() else []
        if lines and lines[-1].isdigit():
            return int(lines[-1])
        time.sleep(0.05)
    raise AssertionError('the command did not start')


def test_only_what_builds_made_in_a_folder_of_ours_is_deleted(tmp_path):
    build = tmp_path / 'build'
    names = ('venv/bin/python', 'mine/text', 'CMakeCache.txt', 'notes.txt')
    with locked(build):
        with pytest.raises(Refused, match=f'process {os.getpid()}'):
            with locked(build):
                pass
    write_files(build, dict.fromkeys(names, ''))
    (build / 'stamps').symlink_to(build / 'mine')
    check_build_dir(build, tmp_path / 'sources')
    clean(build)
    left = {path.name for path in build.iterdir()}
    assert left == {MARKER, 'mine', 'notes.txt'}
    assert (build / 'mine/text').is_file()
    (build / MARKER).unlink()
    for folder, fault in (
        (build, 'holds .*, which no build made'),
        (build / 'notes.txt', 'is not a folder'),
        (tmp_path / 'sources', 'holds the sources'),
        (tmp_path, 'holds the sources'),
    ):
        with pytest.raises(Refused, match=fault):
            check_build_dir(folder, tmp_path / 'sources')
