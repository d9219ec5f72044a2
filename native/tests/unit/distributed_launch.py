"""Run a module of tests on processes that talk over the loopback.

As a program, it runs the table of values and the training on as many ranks as
its arguments say, one number after the other:

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
    """Runs `script`, by its path or by its name beside this file, on each
    rank."""
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
            code = 'none: it did not end'
        finally:
            # the ranks too, if the launcher left them behind
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        end = time.time()
        told = [_log(logs, i) for i in range(ranks)]
        return Run(code, end, told)


def _log(folder, rank):
    path = Path(folder) / f'workerlog.{rank}'
    return path.read_text(errors='replace') if path.is_file() else 'no log'


def run_modules(*names, ranks=2):
    """Runs modules of tests, or some of their tests."""
    return launch('distributed_utils.py', *names, ranks=ranks)


def main():
    failed = False
    for ranks in map(int, sys.argv[1:]):
        run = run_modules(
            'distributed_values', 'distributed_training', ranks=ranks
        )
        failed = failed or run.code != 0
        (tests,) = re.findall(r'^Ran .*', run.logs[0], re.M) or ['no end']
        print(f'{ranks} ranks: {tests}: {run if run.code else "OK"}')
    sys.exit(failed)


if __name__ == '__main__':
    main()
