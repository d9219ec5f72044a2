"""Distributed Tensors, on two ranks. The environment variable RANKS sets another
number, on which the modules in MODULES run."""

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / 'docs/distributed.md'
MODULES = ('values', 'autograd')
TIME_LIMIT = 900

OTHER_CALL = 'value should be the same on all ranks'
# {fault of rank 1: messages in the logs of both ranks}
FAULTS = {
    'killed': ['', 'fails at'],
    'other mesh': ['', 'mesh of mask should be the mesh of the other Tensors'],
    'other shape': ['', 'mask should be broadcastable with the shape of x'],
    'too few values': [OTHER_CALL, OTHER_CALL],
}


def launch(folder, script, *arguments, ranks=2):
    """Run `script`, a path or a name in this folder, on each rank. Return the exit
    code and the output of each rank."""
    environment = {
        **os.environ,
        'PADDLE_DISTRI_BACKEND': 'gloo',
        'OMP_NUM_THREADS': '1',
    }
    # SIGTERM ends the launcher and its ranks.
    command = [
        'timeout', '--kill-after=30', str(TIME_LIMIT),
        sys.executable, '-m', 'paddle.distributed.launch',
        '--nproc_per_node', str(ranks), '--log_dir', folder,
        HERE / script, *arguments,
    ]  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True)
    logs = [folder / f'workerlog.{rank}' for rank in range(ranks)]
    return done.returncode, [log.read_text(errors='replace') for log in logs]


def test_ranks(tmp_path):
    ranks = int(os.environ.get('RANKS', 2))
    modules = [HERE / f'distributed_{module}.py' for module in MODULES]
    code, logs = launch(tmp_path, 'distributed_utils.py', *modules, ranks=ranks)
    assert code == 0, '\n'.join(logs)
    for log in logs:
        assert ' passed' in log


def test_failing_rank_ends_all_ranks(tmp_path):
    def fail(fault):
        run = launch(tmp_path / fault, 'distributed_failure.py', fault)
        return *run, time.time()

    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(fail, FAULTS))
    for (code, logs, end), messages in zip(runs, FAULTS.values()):
        assert code != 0
        failed_at = float(re.search('fails at (.*)', logs[1])[1])
        assert end - failed_at < 20
        for log, message in zip(logs, messages):
            assert message in log
            assert 'call succeeded' not in log


def test_example_in_docs_prints_documented_output(tmp_path):
    blocks = re.findall(
        r'^```(?:python)?\n(.*?)^```$', PAGE.read_text('utf-8'), re.M | re.S
    )
    example, *outputs = blocks
    script = tmp_path / 'example.py'
    script.write_text(example, encoding='utf-8')
    code, logs = launch(tmp_path, script)
    assert code == 0, '\n'.join(logs)
    assert len(outputs) == len(logs)
    for output, log in zip(outputs, logs):
        assert output in log
