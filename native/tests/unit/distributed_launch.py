"""Run test modules on several processes, connected by the loopback interface.

As a program, runs the table of values and the training on each number of ranks:

    python native/tests/unit/distributed_launch.py 4 8
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIME_LIMIT = 900


@dataclass
class Run:
    code: int
    end: float
    logs: list

    def __str__(self):
        logs = [f'-- rank {i}\n{log}' for i, log in enumerate(self.logs)]
        return '\n'.join([f'exit code {self.code}', *logs])


def launch(script, *arguments, ranks=2):
    """Run `script`, a path or a name in this folder, on each rank."""
    environment = {
        **os.environ,
        'PADDLE_DISTRI_BACKEND': 'gloo',
        'OMP_NUM_THREADS': '1',
    }
    with tempfile.TemporaryDirectory() as logs:
        command = [
            sys.executable, '-m', 'paddle.distributed.launch',
            '--nproc_per_node', str(ranks), '--log_dir', logs,
            str(HERE / script), *arguments,
        ]  # fmt: skip
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            code = f'none after {TIME_LIMIT} s'
        finally:
            # Kill ranks that outlive the launcher.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        end = time.time()
        return Run(code, end, [_read_log(logs, i) for i in range(ranks)])


def _read_log(folder, rank):
    path = Path(folder) / f'workerlog.{rank}'
    return path.read_text(errors='replace') if path.is_file() else 'no log'


def run_modules(*names, ranks=2):
    """Run test modules, or single tests."""
    return launch('distributed_utils.py', *names, ranks=ranks)


def main():
    failed = False
    for ranks in map(int, sys.argv[1:]):
        run = run_modules(
            'distributed_values', 'distributed_training', ranks=ranks
        )
        failed = failed or run.code != 0
        (tests,) = re.findall(r'^Ran .*', run.logs[0], re.M) or ['no summary']
        print(f'{ranks} ranks: {tests}: {run if run.code else "OK"}')
    sys.exit(failed)


if __name__ == '__main__':
    main()
