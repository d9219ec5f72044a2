"""Paddle's headers, and files that are written only if they change."""

import sysconfig
from pathlib import Path

# Those of the release, also where another Paddle precedes it on sys.path.
PADDLE_INCLUDE = Path(sysconfig.get_path('purelib'), 'paddle/include')


def write_if_changed(path, data):
    """Write if the bytes differ: an unchanged time stamp saves rebuilds."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
