"""Hash and write files."""

import hashlib
import os
from pathlib import Path

IGNORED_DIRS = {'__pycache__', '.ruff_cache'}


def list_files(path):
    """List all files below a folder; of a file, the file itself."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    files = sorted(p for p in path.rglob('*') if p.is_file())
    return [p for p in files if not IGNORED_DIRS & set(p.parts)]


def tree_sha256(paths):
    """Return one digest of the names and contents of files and folders."""
    digest = hashlib.sha256()
    for path in (file for root in paths for file in list_files(root)):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f'{path}\0{content}\n'.encode())
    return digest.hexdigest()


def write_atomic(path, data):
    """Replace a file atomically: readers see the old or the new bytes."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f'.new-{os.getpid()}-{path.name}')
    temporary.write_bytes(data)
    os.replace(temporary, path)


def write_if_changed(path, data):
    """Write if the bytes differ: an unchanged time stamp saves rebuilds."""
    path = Path(path)
    if path.is_file() and path.read_bytes() == data:
        return False
    write_atomic(path, data)
    return True
