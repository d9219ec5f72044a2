"""Build folders: which are ours, and one run at a time.

A build folder is named by the user. A file in it says that a build made it, and
is its lock; in any other folder nothing is written or deleted.
"""

import fcntl
import sys
from contextlib import contextmanager

from scripts.common.steps import ROOT

MARKER = '.scatter_ops_build'


def check_build_dir(build, root=ROOT):
    """Exit unless a build may write into the folder: it is not there yet, is
    empty, or was made by a build."""
    if build == root or build in root.parents:
        sys.exit(
            f'--build-dir {build}: holds the sources. Name a folder of its '
            'own, for example build.'
        )
    if build.exists() and not build.is_dir():
        sys.exit(f'--build-dir {build}: is not a folder.')
    others = list(build.glob('*'))
    if others and not (build / MARKER).is_file():
        sys.exit(
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
            sys.exit(
                f'Another build is using {build}. Wait for it, or give this one its '
                'own --build-dir.'
            )
        file.truncate(0)
        file.write(
            'scripts/apply_and_build.sh made this folder and may empty it.\n'
        )
        file.flush()
        yield file.fileno()
