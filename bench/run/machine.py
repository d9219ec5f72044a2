"""What a run was made on and with."""

import datetime
import os
import platform
import re
from pathlib import Path

import psutil

from bench.run.processes import ROOT
from scripts.common.programs import run


def processor_seconds():
    """(of all processors, of those that were idle or ours) since boot"""
    # the first eight: later fields are parts of earlier ones
    times, here = psutil.cpu_times(), psutil.Process()
    # of those that have ended there is a sum
    ours = sum(here.cpu_times()[:4])
    ours += sum(sum(child.cpu_times()[:2]) for child in here.children())
    return sum(times[:8]), times.idle + times.iowait + ours


def others_since(start):
    """Share, from 0 to 1, of the processors that other programs used."""
    whole, known = (b - a for a, b in zip(start, processor_seconds()))
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
