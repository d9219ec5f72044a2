"""Distributed Tensors, on two ranks; the environment variable RANKS sets another
number."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def test_ranks(tmp_path):
    ranks = int(os.environ.get('RANKS', 2))
    environment = {
        **os.environ,
        'PADDLE_DISTRI_BACKEND': 'gloo',
        'OMP_NUM_THREADS': '1',
    }
    # SIGTERM ends the launcher and its ranks.
    command = [
        'timeout', '--kill-after=30', '800',
        sys.executable, '-m', 'paddle.distributed.launch',
        '--nproc_per_node', str(ranks), '--log_dir', tmp_path,
        HERE / 'distributed_utils.py',
        HERE / 'distributed_values.py', HERE / 'distributed_autograd.py',
    ]  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True)
    logs = [tmp_path / f'workerlog.{rank}' for rank in range(ranks)]
    texts = [log.read_text(errors='replace') for log in logs]
    assert done.returncode == 0, '\n'.join(texts)
    for text in texts:
        assert ' passed' in text
