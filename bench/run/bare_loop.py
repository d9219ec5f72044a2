"""The limit of a case: a loop over the bytes that it has to read and write."""

import os
from functools import cache
from pathlib import Path

from bench.run.processes import ROOT
from scripts.common.programs import run

SOURCE = Path(__file__).with_suffix('.cc')
PROGRAM = ROOT / 'build' / 'bench' / 'bare_loop'
# Below, the time is that of the call.
LEAST_BYTES = 1 << 20


@cache
def _program():
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    flags = ('-std=c++17', '-O3', '-mavx2', '-fopenmp')
    run('g++', SOURCE, *flags, '-o', PROGRAM, check=True)
    return PROGRAM


def milliseconds(read, written, threads):
    """Of a pass over so many bytes, or None if they are few."""
    if read + written < LEAST_BYTES:
        return None
    huge_pages = {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}
    env = {**os.environ, 'OMP_NUM_THREADS': str(threads), **huge_pages}
    done = run(_program(), read, written, env=env, check=True)
    return float(done.stdout)
