"""What a run was made on and with."""

import datetime
import os
import platform
import subprocess
import time
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


def _busy_ticks():
    """Ticks that all processors have worked since the start."""
    fields = [int(n) for n in _first('/proc/stat').split()[1:]]
    idle = fields[3] + fields[4]
    return sum(fields[:8]) - idle  # 8: later fields are parts of earlier ones


def _own_ticks(pids):
    """Ticks of some processes."""
    total = 0
    for pid in pids:
        try:
            text = Path(f'/proc/{pid}/stat').read_text()
        except OSError:
            continue  # it ended
        # the name before it may hold blanks
        fields = text.rpartition(')')[2].split()
        total += int(fields[11]) + int(fields[12])
    return total


class Others:
    """Share of the processors that other programs used for a while."""

    def __init__(self, pids):
        self.pids = [*pids, os.getpid()]
        self.start = self._now()

    def _now(self):
        try:
            return time.monotonic(), _busy_ticks() - _own_ticks(self.pids)
        except (AttributeError, OSError, ValueError):
            return None  # no /proc: then nobody can say

    def share(self):
        """From 0 to 1 since the object was made, or None."""
        now = self._now()
        if now is None or self.start is None:
            return None
        seconds = max(now[0] - self.start[0], 1e-3)
        ticks = now[1] - self.start[1]
        room = seconds * os.sysconf('SC_CLK_TCK') * os.cpu_count()
        return round(min(1.0, max(0.0, ticks / room)), 3)


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
