"""Paddle's headers, and files that are written only if they change."""

import sysconfig
from pathlib import Path

# The release's headers: build/site-packages, which is first on sys.path, may be
# missing or older.
PADDLE_INCLUDE = Path(sysconfig.get_path('purelib'), 'paddle/include')


def write_if_changed(path, data):
    """Write if the bytes differ: an unchanged time stamp saves rebuilds."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
