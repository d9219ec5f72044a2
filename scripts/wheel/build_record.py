"""What an installed build says of itself: paddle/_native_build.json."""

import json
import subprocess

from scripts.series.manifest import read_manifest
from scripts.wheel.versions import BASE


def series_day(root):
    """The day of the newest patch, such as 2026-11-22."""
    return max(patch.day for patch in read_manifest(root).patches)


def commit_of(root):
    """The commit that is built, or 'unknown' outside a git checkout."""
    command = ['git', '-C', str(root), 'describe', '--always', '--dirty']
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() or 'unknown'


def build_record(root):
    """The file's bytes."""
    operators = sorted(path.stem for path in root.glob('ops_yaml/*.yaml'))
    record = {
        'base': BASE,
        'series': series_day(root),
        'commit': commit_of(root),
        'operators': operators,
    }
    return (json.dumps(record, indent=2) + '\n').encode()
