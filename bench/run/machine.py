"""What a run was made on and with."""

import datetime
import os
import platform
import re
import time
from pathlib import Path

import psutil

from scripts.common.programs import run

ROOT = Path(__file__).resolve().parents[2]


def _git(*arguments):
    try:
        done = run('git', *arguments, cwd=ROOT)
    except OSError:
        return None  # the GPU's machine may have no git
    return done.stdout.strip() if done.returncode == 0 else None


def _busy_seconds():
    """Seconds that all processors have worked since the start."""
    # the first eight: later fields are parts of earlier ones
    times = psutil.cpu_times()
    return sum(times[:8]) - times.idle - times.iowait


def _own_seconds(pids):
    """Seconds that some processes have worked."""
    total = 0.0
    for pid in pids:
        try:
            times = psutil.Process(pid).cpu_times()
        except psutil.NoSuchProcess:
            continue  # it ended
        total += times.user + times.system
    return total


class Others:
    """Share of the processors that other programs used for a while."""

    def __init__(self, pids):
        self.pids = [*pids, os.getpid()]
        self.start = self._now()

    def _now(self):
        return time.monotonic(), _busy_seconds() - _own_seconds(self.pids)

    def share(self):
        """From 0 to 1 since the object was made."""
        now = self._now()
        seconds = max(now[0] - self.start[0], 1e-3)
        room = seconds * psutil.cpu_count()
        used = (now[1] - self.start[1]) / room
        return round(min(1.0, max(0.0, used)), 3)


def facts():
    """Machine, date, commit: everything but the versions of the sides."""
    cpus = Path('/proc/cpuinfo').read_text()
    model = re.search(r'(?m)^model name\s*: (.*)$', cpus)
    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        'date': now.isoformat(timespec='seconds'),
        'commit': _git('rev-parse', 'HEAD'),
        'changed_files': bool(_git('status', '--porcelain')),
        'cpu': model[1] if model else platform.processor(),
        'cores': len(os.sched_getaffinity(0)),
        'memory_gib': round(psutil.virtual_memory().total / 2**30, 1),
        'system': f'{platform.system()} {platform.release()}',
    }
