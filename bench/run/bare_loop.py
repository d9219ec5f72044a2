"""The limit of a case: a loop over the bytes that it has to read and write."""

import os
from functools import cache
from pathlib import Path
from statistics import median

from bench.run.processes import ROOT
from scripts.common.programs import run

SOURCE = Path(__file__).with_suffix('.cc')
PROGRAM = ROOT / 'build' / 'bench' / 'bare_loop'
PASSES = 9
# Below, the time is that of the call.
LEAST_BYTES = 1 << 20


@cache
def _program():
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    flags = ('-std=c++17', '-O3', '-mavx2', '-fopenmp')
    run('g++', SOURCE, *flags, '-o', PROGRAM, check=True)
    return PROGRAM


def milliseconds(read, written, threads):
    """Of a pass by the better kind of stores, or None if the bytes are few."""
    if read + written < LEAST_BYTES:
        return None
    huge_pages = {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}
    env = {**os.environ, 'OMP_NUM_THREADS': str(threads), **huge_pages}
    done = run(_program(), read, written, PASSES, env=env, check=True)
    times = [float(line) for line in done.stdout.split()]
    return min(median(times[:PASSES]), median(times[PASSES:]))
