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
    return [
        *check_tools(gpu),
        *check_memory(memory()[0]),
        *check_disk(build, free_disk(build), gpu),
    ]


def check_tools(gpu, search_path=None):
    """Compiler, cmake, Python and what Paddle's own build calls."""
    missing = [
        check_tool('g++', (8, 2), 'g++', 'gcc-c++', search_path),
        check_tool('cmake', (3, 18), 'cmake', 'cmake', search_path),
        *check_python(),
    ]
    findings = [
        Finding(
            f'{item.what}: {item.found}.',
            f'apt-get install {item.apt}' if item.apt else item.note,
        )
        for item in missing
        if item
    ]
    findings += [
        Finding(f'{name}: not found.', remedy)
        for name, remedy in PROGRAMS.items()
        if (gpu or name != 'nvcc') and not shutil.which(name, path=search_path)
    ]
    return findings + notes_on_tools(search_path)


def notes_on_tools(search_path):
    """What does not stop a build."""
    notes = []
    cmake = shutil.which('cmake', path=search_path)
    if cmake and tool_version(cmake) >= CMAKE_TOO_NEW:
        notes.append(
            Finding(
                f'{cmake} is version 4 or later: it refuses third-party '
                'projects that ask for a cmake older than 3.5.',
                'Use cmake 3, or export CMAKE_POLICY_VERSION_MINIMUM=3.5',
                stops=False,
            )
        )
    if not shutil.which('ccache', path=search_path):
        notes.append(
            Finding(
                'ccache: not found; a second build takes as long as the first.',
                'Paddle uses it as soon as it is on PATH.',
                stops=False,
            )
        )
    return notes


def check_memory(total):
    if not total or total >= LEAST_MEMORY:
        return []
    return [
        Finding(
            f'{total / GIB:.1f} GiB of memory; linking Paddle needs more than '
            f'{LEAST_MEMORY // GIB} GiB.'
        )
    ]


def check_disk(build, free, gpu):
    wanted = DISK[gpu]
    if free >= wanted:
        return []
    return [
        Finding(
            f'{free / GIB:.1f} GiB free for {build}; a build takes about '
            f'{wanted // GIB} GiB.',
            'Free some space, or name another place with --build-dir.',
            stops=free < wanted // 3,
        )
    ]


def free_disk(path):
    """Bytes free where a folder is, or will be."""
    path = Path(path)
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free
