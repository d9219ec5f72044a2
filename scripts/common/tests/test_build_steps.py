"""How steps are run, skipped, stopped and reported, and whose folders they write."""

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


def test_step_runs_when_something_changed_or_failed(tmp_path, capsys):
    files = [tmp_path / 'in', tmp_path / 'out']

    # The commands hold the lock.
    check = f'ls -l /proc/$$/fd | grep -q {MARKER} && touch out; echo hello'

    def run(command=check):
        step = Step('name', command, 'try this', files, True)
        run_steps(tmp_path, [step])
        will_skip = '(unchanged: skipped)' in capsys.readouterr().out
        with locked(tmp_path) as lock:
            run_steps(tmp_path, [step], lock, tmp_path)
        said = capsys.readouterr().out
        assert will_skip == (said == '[1/1] name ... unchanged\n')
        assert will_skip or said.endswith(' s\nhello\n\n')
        return not will_skip

    files[0].write_text('')
    assert run() and not run()
    files[0].write_text('1')
    assert run() and not run()
    files[1].unlink()
    with pytest.raises(SystemExit, match=r'(?s)exit code 3\. .* why\n\n.*try'):
        run('echo why; exit 3')
    assert run() and not run()


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
                step = Step('name', command, 'hint', (), False)
                run_steps(build, [step], lock)
        target.run = run
        target.main()
    """
    done = programs.run(sys.executable, '-c', program, timeout=20)
    assert 'Run the same command again' in done.stderr
    assert done.returncode == 130 and not (tmp_path / 'stamps/name').exists()
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
