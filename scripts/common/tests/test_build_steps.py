"""Steps are run, stopped and reported; builds write into their own folders."""

import sys
import time
from pathlib import Path

import pytest

from scripts.common import programs
from scripts.common.steps import (
    MARKER,
    Step,
    check_build_dir,
    locked,
    run_steps,
)

ROOT = Path(__file__).resolve().parents[3]


def test_step_is_reported_and_holds_the_lock(tmp_path, capsys):
    check = f'ls -l /proc/$$/fd | grep -q {MARKER} && echo hello'
    with locked(tmp_path) as lock:
        run_steps(tmp_path, [Step('name', check, '', True)], lock, tmp_path)
        output = capsys.readouterr().out
        assert output.startswith('[1/1] name ... ')
        assert output.endswith(' s\nhello\n\n')
        with pytest.raises(
            SystemExit, match=r'(?s)exit code 3\. .* why\n\n.*try'
        ):
            step = Step('name', 'echo why; exit 3', 'try this')
            run_steps(tmp_path, [step], lock, tmp_path)


def test_signal_stops_the_children_and_the_next_run_goes_on(tmp_path):
    program = f"""if True:
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(ROOT)!r})
        from scripts.common.steps import Step, locked, run_steps
        from scripts.wheel import target
        def run(args):
            build = Path({str(tmp_path)!r})
            command = 'sleep 1; kill -TERM $PPID; sleep 60; true'
            with locked(build) as lock:
                step = Step('name', command, 'hint')
                run_steps(build, [step], lock)
        target.run = run
        target.main()
    """
    done = programs.run(sys.executable, '-c', program, timeout=20)
    assert 'Run the same command again' in done.stderr
    assert done.returncode == 130
    time.sleep(1)  # for the children to end
    with locked(tmp_path):  # which a child would hold
        pass


def test_builds_write_into_a_folder_of_theirs_one_at_a_time(tmp_path):
    build = tmp_path / 'build'
    with locked(build):
        with pytest.raises(SystemExit, match='Another build is using'):
            with locked(build):
                pass
    (build / 'notes').touch()
    check_build_dir(build)
    (build / MARKER).unlink()
    with pytest.raises(SystemExit, match='holds notes, which no build made'):
        check_build_dir(build)
