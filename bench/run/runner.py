"""Start a process per side, compare their results, and time them alternately."""

import datetime
import os
import platform
import re
import subprocess
import sysconfig
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from unittest import mock

import numpy as np

from bench.run import worker
from bench.run.cases import FORWARD

ROOT = Path(__file__).resolve().parents[2]
# site-packages of the released Paddle: at the front of sys.path, it hides the
# folder from which the build's Python imports the operators.
RELEASE = sysconfig.get_path('purelib', vars={'base': ROOT / 'build' / 'venv'})
FOLDERS = {'ours': '', 'torch': '', 'release': RELEASE}
# {name: environment variables of the workers}. In the second, glibc keeps freed
# blocks, so that the next block of that size causes no page faults.
MEMORY = {
    'as installed': {},
    'page-fault-free': {
        'MALLOC_MMAP_THRESHOLD_': str(4 << 30),
        'MALLOC_TRIM_THRESHOLD_': str(8 << 30),
    },
}
ROUNDS, ROUND_SECONDS = 5, 0.15
# (relative, absolute); PyTorch and the release may round to bfloat16 after each
# step.
TOLERANCE = {'float32': (1e-5, 1e-5), 'bfloat16': (4e-2, 4.0)}
# The columns of the CSV file that identify a row.
KEY = 'case', 'mode', 'dtype', 'shape', 'threads', 'memory'
BASELINE = Path(__file__).with_name('baseline.cc')
# With fewer, the startup of the threads dominates.
MIN_BASELINE_BYTES = 1 << 18


def start_side(name, threads, memory='as installed'):
    """Start a pool of one process that runs functions of worker.py."""
    side = name, threads, FOLDERS[name]
    pool = ProcessPoolExecutor(1, get_context('spawn'), worker.start, side)
    with mock.patch.dict(os.environ, MEMORY[memory]):
        pool.submit(os.getpid).result()  # the first task spawns the process
    return pool


def assert_agree(outputs, expected, dtype):
    """Raise AssertionError if the outputs of two sides differ."""
    assert len(outputs) == len(expected), 'numbers of outputs differ'
    for one, other in zip(outputs, expected):
        tolerance = TOLERANCE[dtype]
        np.testing.assert_allclose(one, other, *tolerance, strict=True)


def prepare(sides, case):
    """Prepare a case; return {name: result} of the sides that agree with us."""
    results = {}
    for name, side in sides.items():
        try:
            result = side.submit(worker.prepare, case).result()
            if name != 'torch' or not case.has_ambiguous_result:
                expected = results.get('ours', result)['outputs']
                assert_agree(result['outputs'], expected, case.dtype)
        except BrokenProcessPool:
            raise
        except Exception:
            # The release lacks some calls and computes others wrongly.
            if name != 'release':
                raise
        else:
            results[name] = result
    return results


@cache
def build_baseline():
    program = ROOT / 'build' / 'bench' / 'baseline'
    program.parent.mkdir(parents=True, exist_ok=True)
    flags = '-std=c++17', '-O3', '-mavx2', '-fopenmp', '-Wno-ignored-attributes'
    subprocess.run(['g++', BASELINE, *flags, '-o', program], check=True)
    return program


def measure_baseline(bytes_read, bytes_written, threads):
    """Return the milliseconds of the memory-bandwidth baseline."""
    huge_pages = {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}
    process = subprocess.run(
        [build_baseline(), str(bytes_read), str(bytes_written)],
        env={**os.environ, 'OMP_NUM_THREADS': str(threads), **huge_pages},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(process.stdout)


def run_case(sides, case, threads, memory):
    """Measure a case; return its columns of the CSV file."""
    results = prepare(sides, case)
    rounds = {name: [] for name in results}
    for name in [*results] * ROUNDS:
        task = sides[name].submit(worker.time_call, ROUND_SECONDS)
        rounds[name].append(task.result() * 1e3)
    times = {name: median(values) for name, values in rounds.items()}
    sizes = results['ours']['bytes_read'], results['ours']['bytes_written']
    if case.mode == FORWARD and sum(sizes) >= MIN_BASELINE_BYTES:
        times['baseline'] = measure_baseline(*sizes, threads)
    row = dict(zip(KEY, (*case.key, threads, memory)))
    for name in (*sides, 'baseline'):
        row[f'{name}_ms'] = f'{times[name]:.6g}' if name in times else ''
    row['torch_call'] = results['torch']['call']
    return row


def describe_run():
    """Return the columns of the CSV file that are constant within a run."""
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
