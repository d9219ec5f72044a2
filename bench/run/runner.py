"""Runs a case: the sides have to agree, then they are timed in alternation."""

import datetime
import os
import platform
import re
import subprocess
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np

from bench.run import worker
from bench.run.cases import FORWARD
from bench.run.processes import ROOT

ROUNDS, ROUND_SECONDS = 5, 0.15
# Relative and absolute. PyTorch and the release may round a bfloat16 after each
# step.
TOLERANCE = {'float32': (1e-5, 1e-5), 'bfloat16': (4e-2, 4.0)}
# The columns of the CSV file that identify a row.
KEY = 'case', 'mode', 'dtype', 'shape', 'threads', 'memory'
BASELINE = Path(__file__).with_name('baseline.cc')
# With fewer, starting the threads takes most of the time.
MIN_BASELINE_BYTES = 1 << 18


def assert_agree(outputs, expected, dtype):
    """Raise AssertionError if the outputs of two sides differ."""
    assert len(outputs) == len(expected), 'numbers of outputs differ'
    for one, other in zip(outputs, expected):
        tolerance = TOLERANCE[dtype]
        np.testing.assert_allclose(one, other, *tolerance, strict=True)


def prepare(sides, case):
    """{name: what worker.prepare returned} of the sides that agree with ours."""
    prepared = {}
    for name, side in sides.items():
        try:
            result = side.submit(worker.prepare, case).result()
            if name != 'torch' or not case.has_ambiguous_result:
                expected = prepared.get('ours', result)['outputs']
                assert_agree(result['outputs'], expected, case.dtype)
        except BrokenProcessPool:
            raise
        except Exception:
            # The release lacks some calls and computes others wrongly.
            if name != 'release':
                raise
        else:
            prepared[name] = result
    return prepared


@cache
def baseline_program():
    program = ROOT / 'build' / 'bench' / 'baseline'
    program.parent.mkdir(parents=True, exist_ok=True)
    flags = '-std=c++17', '-O3', '-mavx2', '-fopenmp', '-Wno-ignored-attributes'
    subprocess.run(['g++', BASELINE, *flags, '-o', program], check=True)
    return program


def baseline_ms(bytes_read, bytes_written, threads):
    """Memory-bandwidth baseline."""
    huge_pages = {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}
    done = subprocess.run(
        [baseline_program(), str(bytes_read), str(bytes_written)],
        env={**os.environ, 'OMP_NUM_THREADS': str(threads), **huge_pages},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def run_case(sides, case, threads, memory):
    """The columns of the CSV file that are measured."""
    prepared = prepare(sides, case)
    rounds = {name: [] for name in prepared}
    for name in [*prepared] * ROUNDS:
        task = sides[name].submit(worker.time_call, ROUND_SECONDS)
        rounds[name].append(task.result() * 1e3)
    times = {name: median(seconds) for name, seconds in rounds.items()}
    sizes = prepared['ours']['bytes_read'], prepared['ours']['bytes_written']
    if case.mode == FORWARD and sum(sizes) >= MIN_BASELINE_BYTES:
        times['baseline'] = baseline_ms(*sizes, threads)
    row = dict(zip(KEY, (*case.key, threads, memory)))
    for name in (*sides, 'baseline'):
        row[f'{name}_ms'] = f'{times[name]:.6g}' if name in times else ''
    row['torch_call'] = prepared['torch']['call']
    return row


def facts():
    """The columns of the CSV file that are the same for a whole run."""
    cpus = Path('/proc/cpuinfo').read_text()
    cpu = re.search(r'(?m)^model name\s*: (.*)$', cpus)[1]
    command = 'git', 'describe', '--always', '--dirty', '--exclude=*'
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return {
        'date': datetime.date.today().isoformat(),
        'commit': commit.stdout.strip() or 'unknown',
        'machine': f'{cpu}, {os.cpu_count()} cores, Linux {platform.release()}',
        'torch': version('torch').partition('+')[0],
        'paddle': version('paddlepaddle'),
    }
