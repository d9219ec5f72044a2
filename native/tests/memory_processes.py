"""Processes of tests of memory, and the limits that they set themselves."""

import os
import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run(module, code, **environment):
    """What a process prints that has all names of a test module, as words."""
    done = subprocess.run(
        [sys.executable, '-c', f'from {module} import *\n{code}'],
        env={**os.environ, 'PYTHONPATH': str(HERE)} | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def limited(room, call):
    """call() with `room` MiB of addresses left."""
    pages = int(Path('/proc/self/statm').read_text().split()[0])
    used = pages * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (room << 20), before[1]))
    try:
        return call()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
