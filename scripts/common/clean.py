"""Build folders: which are ours, and deleting what builds have made in them.

A build folder is named by the user. A marker file in it says that a build made
it; in any other folder nothing is written or deleted.
"""

import shutil

from scripts.common.steps import StepFailed

MARKER = '.scatter_ops_build'
MADE_BY_BUILDS = (
    'venv', 'originals', 'glue', 'include', 'stamps', 'logs', 'dist',
    '_native_build.json', '_native_lib.so', 'CMakeCache.txt', 'CMakeFiles',
    'Testing', 'CTestTestfile.cmake', 'cmake_install.cmake', 'build.ninja',
    'compile_commands.json', '.ninja_deps', '.ninja_log',
)  # fmt: skip


def is_ours(build):
    """Whether a build has made the folder."""
    return (build / MARKER).is_file()


def mark(build):
    """Say that the folder is ours; check_build_dir has found that it may be."""
    text = 'scripts/apply_and_build.sh made this folder and may empty it.\n'
    (build / MARKER).write_text(text, encoding='utf-8')


def to_clean(build):
    """What clean() would delete."""
    if not is_ours(build):
        return []
    paths = [build / name for name in MADE_BY_BUILDS]
    return [path for path in paths if path.exists() or path.is_symlink()]


def clean(build):
    """Remove what builds have made in a folder of ours."""
    for path in to_clean(build):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def check_build_dir(build, root):
    """Raise unless a build may write into the folder: it is not there yet, is
    empty, or was made by a build."""
    if build == root or build in root.parents:
        raise StepFailed(
            f'--build-dir {build}: holds the sources. Name a folder of its '
            'own, for example build.'
        )
    if build.exists() and not build.is_dir():
        raise StepFailed(f'--build-dir {build}: is not a folder.')
    others = [p for p in build.glob('*') if p.name != '.lock']
    if others and not is_ours(build):
        raise StepFailed(
            f'--build-dir {build}: holds {others[0].name}, which no build '
            'made. Name an empty folder, or one that is not there yet.'
        )
