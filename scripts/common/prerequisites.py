"""Check that this machine has what the build needs, and say how to get it.

Everything missing is reported in one message. Exit code 1 if anything is.
"""

import importlib.util
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

PYTHON_RANGE = ((3, 9), (3, 13))


def python_range():
    low, high = PYTHON_RANGE
    return f'{low[0]}.{low[1]} to {high[0]}.{high[1]}'


@dataclass
class Missing:
    """One thing that is not there, and the packages that bring it."""

    what: str
    found: str
    apt: str = ''
    dnf: str = ''
    note: str = ''


def tool_version(path):
    """The (major, minor) that `tool --version` prints, or (0, 0)."""
    try:
        done = subprocess.run(
            [path, '--version'], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    found = re.search(r'(\d+)\.(\d+)', done.stdout)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def check_tool(name, least, apt, dnf):
    """What is missing of a command: it is absent or too old."""
    path = shutil.which(name)
    version = tool_version(path) if path else ()
    if version >= least:
        return []
    shown = '.'.join(str(part) for part in version)
    found = f'{path} is version {shown}' if path else 'not found'
    wanted = f'{name} {least[0]}.{least[1]} or later'
    return [Missing(wanted, found, apt, dnf)]


def check_python(version=None, includes=None):
    """What is missing of the Python that runs this file."""
    version = tuple(version or sys.version_info[:2])
    low, high = PYTHON_RANGE
    shown = f'python {version[0]}.{version[1]}'
    if not low <= version <= high:
        found = f'{sys.executable} is {shown}'
        note = 'then name it with --python PATH'
        what = f'python {python_range()}'
        return [Missing(what, found, 'python3', 'python3', note)]
    missing = []
    if not all(importlib.util.find_spec(m) for m in ('venv', 'ensurepip')):
        found = f'{shown} lacks it'
        missing.append(Missing('the venv module', found, 'python3-venv'))
    includes = Path(includes or sysconfig.get_paths()['include'])
    if not (includes / 'Python.h').is_file():
        found, dnf = f'not in {includes}', 'python3-devel'
        missing.append(Missing('Python.h', found, 'python3-dev', dnf))
    return missing


def check_platform(system=None, machine=None):
    """The Paddle wheel that everything builds upon is for one platform."""
    here = (system or platform.system(), machine or platform.machine())
    if here == ('Linux', 'x86_64'):
        return []
    note = 'use a container or a virtual machine'
    found = f'this is {" on ".join(here)}'
    return [Missing('Linux on x86_64', found, note=note)]


def find_missing():
    """Everything that is missing on this machine."""
    return [
        *check_platform(),
        *check_python(),
        *check_tool('g++', (8, 0), 'g++', 'gcc-c++'),
        *check_tool('cmake', (3, 20), 'cmake', 'cmake'),
        *check_tool('git', (2, 20), 'git', 'git'),
    ]


def describe(missing):
    """The one message for all that is missing."""
    count = len(missing)
    lines = [f'{count} thing{"s" if count > 1 else ""} missing:', '']
    for item in missing:
        lines.append(f'  {item.what:<24}{item.found}')
        if item.note:
            lines.append(f'  {"":<24}{item.note}')
    for title, key, tool in (
        ('Debian, Ubuntu:', 'apt', 'apt-get'),
        ('Fedora, RHEL:', 'dnf', 'dnf'),
    ):
        packages = dict.fromkeys(getattr(item, key) for item in missing)
        words = ' '.join(filter(None, packages))
        if words:
            lines += ['', f'  {title:<16}sudo {tool} install {words}']
    return '\n'.join(lines)


def main():
    missing = find_missing()
    if missing:
        sys.exit(describe(missing))
    print(f'python {platform.python_version()} at {sys.executable}')
    for name in ('g++', 'cmake', 'git', 'ccache'):
        path = shutil.which(name)
        version = tool_version(path) if path else None
        shown = f'{version[0]}.{version[1]} at {path}' if path else 'none'
        print(f'{name} {shown}')


if __name__ == '__main__':
    main()
