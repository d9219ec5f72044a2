"""Delete what builds have made, and nothing else.

A build folder is named by the user, so only entries with known names go.
"""

import shutil

from scripts.common.steps import StepFailed

MADE_BY_BUILDS = (
    'venv',
    'originals',
    'patch_stage',
    'glue',
    'include',
    'stamps',
    'logs',
    '_native_lib.so',
    'CMakeCache.txt',
    'CMakeFiles',
    'Testing',
    'CTestTestfile.cmake',
    'cmake_install.cmake',
    'build.ninja',
    'compile_commands.json',
    '.ninja_deps',
    '.ninja_log',
)


def clean(build):
    """Remove the known entries of a build folder."""
    for name in MADE_BY_BUILDS:
        path = build / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def check_build_dir(build, root):
    """Raise when a build folder would mix with the sources."""
    if build == root or build in root.parents:
        raise StepFailed(
            f'--build-dir {build}: holds the sources. Name a folder of its '
            'own, for example build.'
        )
    if build.exists() and not build.is_dir():
        raise StepFailed(f'--build-dir {build}: is not a folder.')
