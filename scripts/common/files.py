"""File helpers shared by the tools: hashing and atomic writing."""

import hashlib
import os
from pathlib import Path

IGNORED_DIRS = {'__pycache__', '.ruff_cache'}


def sha256(data):
    """Hex digest of bytes."""
    return hashlib.sha256(data).hexdigest()


def file_sha256(path):
    """Hex digest of a file, or None when there is no such file."""
    try:
        return sha256(Path(path).read_bytes())
    except FileNotFoundError:
        return None


def files_below(path):
    """The files of a path: itself, or all below a folder."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    files = sorted(p for p in path.rglob('*') if p.is_file())
    return [p for p in files if not IGNORED_DIRS & set(p.parts)]


def tree_sha256(paths):
    """One digest for the names and contents of files and folders."""
    digest = hashlib.sha256()
    for path in (below for root in paths for below in files_below(root)):
        digest.update(f'{path}\0{file_sha256(path)}\n'.encode())
    return digest.hexdigest()


def write_atomic(path, data):
    """Replace a file in one step: readers see the old or the new bytes."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f'.new-{os.getpid()}-{path.name}')
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_if_changed(path, data):
    """Write only when the bytes differ, so that make tools see no change."""
    path = Path(path)
    if path.is_file() and path.read_bytes() == data:
        return False
    write_atomic(path, data)
    return True
