# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""Run a module of tests on two processes that talk over the loopback."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIME_LIMIT = 120


@dataclass
class Run:
    code: int
    seconds: float
    logs: list

    def __str__(self):
        logs = [f'-- rank {i}\n{log}' for i, log in enumerate(self.logs)]
        return '\n'.join([f'exit code {self.code}', *logs])


def launch(script, ranks=2):
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
            str(HERE / script),
        ]  # fmt: skip
        start = time.monotonic()
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
        seconds = time.monotonic() - start
        return Run(code, seconds, [_log(logs, i) for i in range(ranks)])


def _log(folder, rank):
    path = Path(folder) / f'workerlog.{rank}'
    return path.read_text(errors='replace') if path.is_file() else 'no log'
