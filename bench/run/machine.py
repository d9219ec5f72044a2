"""What a run was made on and with."""

import datetime
import os
import platform
import re
from pathlib import Path

import psutil

from bench.run.processes import ROOT
from scripts.common.programs import run


class Others:
    """Share of the processors that other programs used for a while."""

    def __init__(self, pids):
        self.pids = [*pids, os.getpid()]
        self.start = self._seconds()

    def _seconds(self):
        """(of all processors, of those that were idle or ours) since boot"""
        # the first eight: later fields are parts of earlier ones
        times = psutil.cpu_times()
        alive = (psutil.Process(p) for p in self.pids if psutil.pid_exists(p))
        ours = sum(sum(process.cpu_times()[:2]) for process in alive)
        return sum(times[:8]), times.idle + times.iowait + ours

    def share(self):
        """From 0 to 1 since the object was made."""
        whole, known = (
            now - then for now, then in zip(self._seconds(), self.start)
        )
        return round(min(1.0, max(0.0, 1 - known / max(whole, 1e-3))), 3)


def facts():
    """Machine, date, commit: everything but the versions of the sides."""
    cpus = Path('/proc/cpuinfo').read_text()
    model = re.search(r'(?m)^model name\s*: (.*)$', cpus)
    now = datetime.datetime.now(datetime.timezone.utc)
    commit = run('git', 'rev-parse', 'HEAD', cwd=ROOT)
    changed = run('git', 'status', '--porcelain', cwd=ROOT)
    return {
        'date': now.isoformat(timespec='seconds'),
        'commit': commit.stdout.strip(),
        'changed_files': bool(changed.stdout.strip()),
        'cpu': model[1] if model else platform.processor(),
        'cores': len(os.sched_getaffinity(0)),
        'system': f'{platform.system()} {platform.release()}',
    }
