"""Tests of build steps and of the lock on a build folder."""

import sys
import time
from pathlib import Path

import pytest

from scripts.common import programs
from scripts.common.steps import (
    MARKER,
    Step,
    check_build_dir,
    lock_folder,
    run_steps,
)

ROOT = Path(__file__).resolve().parents[3]


def test_run_steps_reports_each_step_and_passes_the_lock(tmp_path, capsys):
    check = f'ls -l /proc/$$/fd | grep -q {MARKER} && echo hello'
    with lock_folder(tmp_path) as lock:
        run_steps(tmp_path, [Step('name', check, '', True)], lock, tmp_path)
        output = capsys.readouterr().out
        assert output.startswith('[1/1] name ... ')
        assert output.endswith(' s\nhello\n\n')
        with pytest.raises(
            SystemExit, match=r'(?s)exit code 3\. .* why\n\nHint: try this'
        ):
            step = Step('name', 'echo why; exit 3', 'try this')
            run_steps(tmp_path, [step], lock, tmp_path)


def test_sigterm_terminates_children_and_releases_the_lock(tmp_path):
    program = f"""if True:
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(ROOT)!r})
        from scripts.common.steps import Step, lock_folder, run_steps
        from scripts.wheel import target
        def run(args):
            build = Path({str(tmp_path)!r})
            command = 'sleep 1; kill -TERM $PPID; sleep 60; true'
            with lock_folder(build) as lock:
                step = Step('name', command, 'hint')
                run_steps(build, [step], lock)
        target.run = run
        target.main()
    """
    process = programs.run(sys.executable, '-c', program, timeout=20)
    assert 'command again to resume' in process.stderr
    assert process.returncode == 130
    time.sleep(1)  # the children hold the lock until they end
    with lock_folder(tmp_path):
        pass


def test_build_folder_rejects_other_files_and_concurrent_builds(tmp_path):
    build = tmp_path / 'build'
    with lock_folder(build):
        with pytest.raises(SystemExit, match='Another build is using'):
            with lock_folder(build):
                pass
    (build / 'notes').touch()
    check_build_dir(build)
    (build / MARKER).unlink()
    with pytest.raises(SystemExit, match='not created by .* notes'):
        check_build_dir(build)
