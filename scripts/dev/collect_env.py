"""Print what a bug report needs to say about this machine and build.

Standard library only; what cannot be found out is shown as unknown.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import file_sha256

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ('paddlepaddle', 'torch', 'numpy', 'scipy', 'pytest', 'hypothesis')
VARIABLES = ('OMP_NUM_THREADS', 'CXX', 'CXXFLAGS', 'LD_LIBRARY_PATH')


def first_line(command):
    """The first line that a command prints."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return 'unknown'
    return next(iter(done.stdout.splitlines()), 'unknown')


def file_value(path, key):
    """The value of the first `key: value` or `key=value` line of a file."""
    try:
        text = Path(path).read_text(encoding='utf-8', errors='replace')
    except OSError:
        return 'unknown'
    for line in text.splitlines():
        name, found, value = line.replace('=', ':', 1).partition(':')
        if found and name.strip() == key:
            return value.strip().strip('"')
    return 'unknown'


def site_packages(build):
    """Where the build's venv keeps its packages."""
    return next(iter(build.glob('venv/lib/python*/site-packages')), build)


def package_versions(build):
    """Versions in the build's venv, whichever Python runs this."""
    found = metadata.distributions(path=[str(site_packages(build))])
    versions = {d.metadata['Name']: d.version for d in found}
    return {name: versions.get(name, 'not installed') for name in PACKAGES}


def huge_pages():
    """The system's setting for transparent huge pages."""
    path = Path('/sys/kernel/mm/transparent_hugepage/enabled')
    return path.read_text().strip() if path.is_file() else 'unknown'


def installed_files(build):
    """Each file that the build changed, and whether it is still ours."""
    try:
        state = json.loads((build / 'originals/state.json').read_text())
    except (OSError, ValueError):
        return {'none': f'{build} holds no finished build'}
    same = {
        name: file_sha256(site_packages(build) / name) == entry['ours']
        for name, entry in state.items()
    }
    return {n: 'as built' if ok else 'CHANGED' for n, ok in same.items()}


def sections(build):
    """All facts, as {section: {name: value}}."""
    tools = {
        name: first_line([name, '--version'])
        for name in ('g++', 'cmake', 'git', 'ccache')
        if shutil.which(name)
    }
    return {
        'machine': {
            'system': f'{platform.system()} {platform.release()}',
            'distribution': file_value('/etc/os-release', 'PRETTY_NAME'),
            'processor': file_value('/proc/cpuinfo', 'model name'),
            'cores': str(os.cpu_count()),
            'memory': file_value('/proc/meminfo', 'MemTotal'),
            'huge pages': huge_pages(),
            'graphics': first_line(['nvidia-smi', '-L']),
        },
        'tools': tools,
        'python': {
            'interpreter': f'{platform.python_version()} at {sys.executable}',
        },
        'packages in the build': package_versions(build),
        'environment': {n: os.environ.get(n, 'not set') for n in VARIABLES},
        'base': {
            key: file_value(ROOT / 'patches/BASE', key)
            for key in ('tag', 'commit', 'wheel')
        },
        'installed': installed_files(build),
    }


def main():
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'build'
    for title, facts in sections(build).items():
        print(f'{title}:')
        for name, value in facts.items():
            print(f'  {name:<14} {value}')


if __name__ == '__main__':
    main()
