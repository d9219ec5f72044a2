"""What a build needs of the machine, and how to get what is missing.

apply_and_build.sh has looked for a Python already.
"""

import importlib.util
import platform
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

# Each with the oldest version that does, and Fedora's package.
TOOLS = (
    ('g++', (8, 0), 'gcc-c++'),
    ('cmake', (3, 20), 'cmake'),
    ('git', (2, 20), 'git'),
)


def tool_version(path):
    """The (major, minor) that `tool --version` prints, or (0, 0)."""
    try:
        said = subprocess.check_output([path, '--version'], text=True)
    except (OSError, subprocess.CalledProcessError):
        return (0, 0)
    found = re.search(r'(\d+)\.(\d+)', said)
    return tuple(map(int, found.groups())) if found else (0, 0)


def find_missing():
    """[(what is missing, what was found, Debian's package, Fedora's)]"""
    missing = []
    here = (platform.system(), platform.machine())
    if here != ('Linux', 'x86_64'):
        found = f'this is {" on ".join(here)}'
        missing.append(('Linux on x86_64', found, '', ''))
    if not importlib.util.find_spec('ensurepip'):
        found = 'not in this Python'
        missing.append(('the venv module', found, 'python3-venv', ''))
    includes = Path(sysconfig.get_paths()['include'])
    if not (includes / 'Python.h').is_file():
        packages = ('python3-dev', 'python3-devel')
        missing.append(('Python.h', f'not in {includes}', *packages))
    for name, least, fedora in TOOLS:
        path = shutil.which(name)
        version = tool_version(path) if path else ()
        if version < least:
            found = 'not found'
            if path:
                found = '{} is version {}.{}'.format(path, *version)
            wanted = '{} {}.{} or later'.format(name, *least)
            missing.append((wanted, found, name, fedora))
    return missing


def describe(missing):
    """One message for all that is missing."""
    count = len(missing)
    lines = [f'{count} thing{"s" if count > 1 else ""} missing:', '']
    lines += [f'  {what:<24}{found}' for what, found, *_ in missing]
    _, _, debian, fedora = zip(*missing)
    for command, packages in (
        ('Debian, Ubuntu: sudo apt-get', debian),
        ('Fedora, RHEL:   sudo dnf', fedora),
    ):
        if any(packages):
            words = ' '.join(filter(None, packages))
            lines += ['', f'  {command} install {words}']
    return '\n'.join(lines)
