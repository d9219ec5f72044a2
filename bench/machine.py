"""What a run was made on and with."""

import datetime
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _git(*arguments):
    try:
        done = subprocess.run(
            ['git', *arguments], cwd=ROOT, capture_output=True, text=True
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _first(path, start=''):
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith(start):
            return line.partition(':')[2].strip() if start else line
    return None


def cpu_features():
    """The vector extensions that the kernels look for."""
    flags = (_first('/proc/cpuinfo', 'flags') or '').split()
    return [f for f in ('avx2', 'bmi2', 'avx512f') if f in flags]


def facts():
    """Machine, date, commit: everything but the versions of the sides."""
    commit = _git('rev-parse', 'HEAD')
    now = datetime.datetime.now(datetime.timezone.utc)
    pages = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    return {
        'date': now.isoformat(timespec='seconds'),
        'commit': commit,
        'changed_files': bool(_git('status', '--porcelain')),
        'cpu': _first('/proc/cpuinfo', 'model name') or platform.processor(),
        'cores': len(os.sched_getaffinity(0)),
        'features': cpu_features(),
        'memory_gib': round(pages / 2**30, 1),
        'system': f'{platform.system()} {platform.release()}',
        'huge_pages': _first('/sys/kernel/mm/transparent_hugepage/enabled'),
        'load_at_start': list(os.getloadavg()),
        'python': platform.python_version(),
    }
