"""How steps are run, skipped, stopped and reported, and folders are emptied."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from scripts.common.build_folder import (
    MARKER,
    check_build_dir,
    clean,
    locked,
    to_clean,
)
from scripts.common.command_line import Refused
from scripts.common.steps import Runner, Step
from scripts.series.tests.series_samples import write_files

ROOT = Path(__file__).resolve().parents[3]


def step(folder, code, **options):
    """A step with an input and an output, which runs some Python code."""
    command = [
        sys.executable,
        '-c',
        f'output = {str(folder / "out")!r}; {code}',
    ]
    options = {
        'inputs': [folder / 'in'],
        'outputs': [folder / 'out'],
        **options,
    }
    return Step('name', 'do it', command, 'try this', **options)


def test_step_runs_when_something_changed_or_failed(tmp_path, capsys):
    def states(code='open(output, "w").write("made")'):
        made = step(tmp_path, code)
        Runner(tmp_path, [made], tmp_path).run(dry=True)
        Runner(tmp_path, [made], tmp_path).run()
        said = re.sub(r'\d\.\d', '0.1', capsys.readouterr().out).splitlines()
        return said[0].split('do it')[1], said[-1].split('do it')[1]

    runs, unchanged = (
        ('', ' ... 0.1 s'),
        (' (unchanged: skipped)', ' ... unchanged'),
    )
    (tmp_path / 'in').write_text('1')
    assert [states(), states()] == [runs, unchanged]
    (tmp_path / 'in').write_text('2')
    assert [states(), states()] == [runs, unchanged]
    (tmp_path / 'out').unlink()
    assert states() == runs
    with pytest.raises(Refused, match=r'(?s)exit code 3\. .* why\n\n.*try'):
        states('print("why"); raise SystemExit(3)')
    assert states() == runs
    (tmp_path / 'out').unlink()
    with pytest.raises(Refused, match='did not make .*out'):
        states('pass')


def test_shown_output_leaves_out_the_command(tmp_path, capsys):
    made = step(tmp_path, 'print("hello")', outputs=[], show_output=True)
    Runner(tmp_path, [made], tmp_path).run()
    assert capsys.readouterr().out.endswith(' s\nhello\n\n')


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_children_and_the_next_run_goes_on(tmp_path, number):
    program = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        from scripts.common.command_line import exit_status
        from scripts.common.steps import Runner, Step
        child = 'import os, time; print(os.getpid(), flush=True); time.sleep(60)'
        step = Step('name', 'do it', [sys.executable, '-c', child], 'hint')
        sys.exit(exit_status(Runner({str(tmp_path)!r}, [step], '/').run))
    """)
    command = [sys.executable, '-c', program]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    child = wait_for_child(tmp_path / 'logs/01-name.log')
    process.send_signal(number)
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
    gone = {path.name for path in to_clean(build)}
    assert gone == {'CMakeCache.txt', 'stamps', 'venv'}
    clean(build)
    left = {path.name for path in build.iterdir()}
    assert left == {MARKER, 'mine', 'notes.txt'}
    (build / MARKER).unlink()
    for folder, fault in (
        (build, 'holds .*, which no build made'),
        (build / 'notes.txt', 'is not a folder'),
        (tmp_path / 'sources', 'holds the sources'),
        (tmp_path, 'holds the sources'),
    ):
        with pytest.raises(Refused, match=fault):
            check_build_dir(folder, tmp_path / 'sources')
