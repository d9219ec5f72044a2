"""Build folders: which are ours, one run at a time, and emptying them.

A build folder is named by the user. A file in it says that a build made it, and
is its lock; in any other folder nothing is written or deleted.
"""

import fcntl
import os
import shutil
from contextlib import contextmanager

from scripts.common.command_line import Refused

MARKER = '.scatter_ops_build'
MADE_BY_BUILDS = (
    'venv', 'originals', 'glue', 'include', 'stamps', 'logs', 'dist',
    '_native_build.json', '_native_lib.so', 'CMakeCache.txt', 'CMakeFiles',
    'Testing', 'CTestTestfile.cmake', 'cmake_install.cmake', 'build.ninja',
    'compile_commands.json', '.ninja_deps', '.ninja_log',
)  # fmt: skip


def check_build_dir(build, root):
    """Raise unless a build may write into the folder: it is not there yet, is
    empty, or was made by a build."""
    if build == root or build in root.parents:
        raise Refused(
            f'--build-dir {build}: holds the sources. Name a folder of its '
            'own, for example build.'
        )
    if build.exists() and not build.is_dir():
        raise Refused(f'--build-dir {build}: is not a folder.')
    others = list(build.glob('*'))
    if others and not (build / MARKER).is_file():
        raise Refused(
            f'--build-dir {build}: holds {others[0].name}, which no build '
            'made. Name an empty folder, or one that is not there yet.'
        )


@contextmanager
def locked(build):
    """Hold a folder that has been checked for one run; yields the descriptor."""
    build.mkdir(parents=True, exist_ok=True)
    with open(build / MARKER, 'a+', encoding='utf-8') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            raise Refused(
                f'Another build is using {build}: {file.read().strip()}\n'
                'Wait for it, or give this one its own --build-dir.'
            ) from None
        file.truncate(0)
        file.write(
            'scripts/apply_and_build.sh made this folder and may empty it; '
            f'the last run was process {os.getpid()}.\n'
        )
        file.flush()
        yield file.fileno()


def to_clean(build):
    """What clean() deletes of a folder that has been checked."""
    paths = [build / name for name in MADE_BY_BUILDS]
    return [path for path in paths if path.exists() or path.is_symlink()]


def clean(build):
    """Remove what builds have made."""
    for path in to_clean(build):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
