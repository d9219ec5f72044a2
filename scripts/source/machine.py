"""Whether this machine can build Paddle from source, and with how many jobs.

The least versions are those of Paddle's own build guide. Sizes are estimates:
the guide gives none, so that only a clear lack stops the build.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from scripts.common.command_line import memory
from scripts.common.prerequisites import check_python, check_tool, tool_version
from scripts.source.checks import Finding

GIB = 1 << 30
CMAKE_TOO_NEW = (4, 0)
LEAST_MEMORY = 4 * GIB
# (a compile job, the whole build) with and without CUDA
MEMORY_PER_JOB = {False: 2 * GIB, True: 4 * GIB}
DISK = {False: 30 * GIB, True: 60 * GIB}
# What Paddle's own build calls, and how to get it.
PROGRAMS = {
    'ninja': 'apt-get install ninja-build (Fedora: dnf install ninja-build)',
    'patchelf': 'apt-get install patchelf (Fedora: dnf install patchelf)',
    'make': 'apt-get install make (Fedora: dnf install make)',
    'nvcc': 'Install the CUDA toolkit and put its bin folder on PATH.',
}


def look_at_machine(build, gpu):
    """Findings about the tools and the room that a build needs."""
    yield from check_tools(gpu)
    yield from check_memory(memory()[0])
    yield from check_disk(build, free_disk(build), gpu)


def check_tools(gpu, search_path=None):
    """Compiler, cmake, Python and what Paddle's own build calls."""
    missing = [
        check_tool('g++', (8, 2), 'g++', 'gcc-c++', search_path),
        check_tool('cmake', (3, 18), 'cmake', 'cmake', search_path),
        *check_python(),
    ]
    for item in filter(None, missing):
        remedy = f'apt-get install {item.apt}' if item.apt else item.note
        yield Finding(f'{item.what}: {item.found}.', remedy)
    for name, remedy in PROGRAMS.items():
        needed = gpu or name != 'nvcc'
        if needed and not shutil.which(name, path=search_path):
            yield Finding(f'{name}: not found.', remedy)
    cmake = shutil.which('cmake', path=search_path)
    if cmake and tool_version(cmake) >= CMAKE_TOO_NEW:
        text = (
            f'{cmake} is version 4 or later: it refuses third-party projects '
            'that ask for a cmake older than 3.5.'
        )
        remedy = 'Use cmake 3, or export CMAKE_POLICY_VERSION_MINIMUM=3.5'
        yield Finding(text, remedy, stops=False)
    if not shutil.which('ccache', path=search_path):
        text = 'ccache: not found; a second build takes as long as the first.'
        remedy = 'Paddle uses it as soon as it is on PATH.'
        yield Finding(text, remedy, stops=False)


def check_memory(total):
    if total and total < LEAST_MEMORY:
        yield Finding(
            f'{total / GIB:.1f} GiB of memory; linking Paddle needs more than '
            f'{LEAST_MEMORY // GIB} GiB.'
        )


def check_disk(build, free, gpu):
    wanted = DISK[gpu]
    if free < wanted:
        yield Finding(
            f'{free / GIB:.1f} GiB free for {build}; a build takes about '
            f'{wanted // GIB} GiB.',
            'Free some space, or name another place with --build-dir.',
            stops=free < wanted // 3,
        )


def free_disk(path):
    """Bytes free where a folder is, or will be."""
    path = Path(path)
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free
