"""Whether this machine can build Paddle from source, and with how many jobs.

The least versions are those of Paddle's own build guide. Sizes are estimates:
the guide gives none, so that only a clear lack stops the build.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from scripts.common.command_line import memory
from scripts.common.prerequisites import check_python, tool_version
from scripts.source.checks import Finding

GIB = 1 << 30
LEAST_GXX = (8, 2)
LEAST_CMAKE = (3, 18)
CMAKE_TOO_NEW = (4, 0)
LEAST_MEMORY = 4 * GIB
# (a compile job, the whole build) with and without CUDA
MEMORY_PER_JOB = {False: 2 * GIB, True: 4 * GIB}
DISK = {False: 30 * GIB, True: 60 * GIB}
# Paddle opens many object files at once when it links.
LEAST_OPEN_FILES = 8192


def look_at_machine(build, gpu, search_path=None, sizes=None):
    """Findings about the tools and the room that a build needs."""
    findings = check_tools(gpu, search_path)
    findings += [
        Finding(f'{item.what}: {item.found}.', _packages(item))
        for item in check_python()
    ]
    total, _ = sizes['memory'] if sizes else memory()
    free = sizes['disk'] if sizes else free_disk(build)
    return findings + check_memory(total) + check_disk(build, free, gpu)


def _packages(item):
    named = f'apt-get install {item.apt}' if item.apt else ''
    return named or item.note


def _version(name, search_path):
    path = shutil.which(name, path=search_path)
    return path, tool_version(path) if path else (0, 0)


def _shown(version):
    return '.'.join(str(part) for part in version)


def check_tools(gpu, search_path=None):
    """Compiler, cmake, ninja and what Paddle's own build calls."""
    findings = []
    for name, least in (('g++', LEAST_GXX), ('cmake', LEAST_CMAKE)):
        path, version = _version(name, search_path)
        if path is None or version < least:
            found = f'{path} is {_shown(version)}' if path else 'not found'
            findings.append(
                Finding(f'{name} {_shown(least)} or later: {found}.')
            )
        elif name == 'cmake' and version >= CMAKE_TOO_NEW:
            findings.append(
                Finding(
                    f'cmake is {_shown(version)}: it refuses third-party '
                    'projects that ask for a cmake older than 3.5.',
                    'Use cmake 3, or export CMAKE_POLICY_VERSION_MINIMUM=3.5',
                    stops=False,
                )
            )
    needed = ['ninja', 'patchelf', 'make', *(['nvcc'] if gpu else [])]
    for name in needed:
        if shutil.which(name, path=search_path) is None:
            findings.append(Finding(f'{name}: not found.', _remedy(name)))
    if shutil.which('ccache', path=search_path) is None:
        findings.append(
            Finding(
                'ccache: not found; a second build takes as long as the first.',
                'Paddle uses it as soon as it is on PATH.',
                stops=False,
            )
        )
    return findings


def _remedy(name):
    if name == 'nvcc':
        return 'Install the CUDA toolkit and put its bin folder on PATH.'
    package = 'ninja-build' if name == 'ninja' else name
    return f'apt-get install {package} (Fedora: dnf install {package})'


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


def raise_open_files():
    """Lifts the limit of open files as far as allowed, for our children."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < LEAST_OPEN_FILES:
        wanted = min(LEAST_OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def python_version():
    return f'{sys.version_info[0]}.{sys.version_info[1]}'
