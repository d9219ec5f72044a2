"""Print what a bug report needs to say about this machine and build.

Standard library only; what cannot be found out is shown as unknown.
"""

import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import file_sha256, read_json
from scripts.common.programs import run

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ('paddlepaddle', 'torch', 'numpy', 'scipy', 'pytest', 'hypothesis')
VARIABLES = ('OMP_NUM_THREADS', 'CXX', 'CXXFLAGS', 'LD_LIBRARY_PATH')
TOOLS = ('g++', 'cmake', 'git', 'ccache')


def first_line(*command):
    """The first line that a command prints."""
    try:
        done = run(*command, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return 'unknown'
    return next(iter(done.stdout.splitlines()), 'unknown')


def line_of(path, start):
    """The rest of the first line of a file that starts so."""
    try:
        text = Path(path).read_text(encoding='utf-8', errors='replace')
    except OSError:
        return 'unknown'
    lines = (x for x in text.splitlines() if x.startswith(start))
    return next(lines, f'{start}unknown')[len(start) :].strip(' \t:="')


def installed(build, site):
    """Each file that the build changed, and whether it is still ours."""
    state = read_json(build / 'originals/state.json')
    said = {True: 'as built', False: 'CHANGED'}
    files = {
        n: said[file_sha256(site / n) == e['ours']] for n, e in state.items()
    }
    return files or {'none': f'{build} holds no finished build'}


def sections(build):
    """All facts, as {section: {name: value}}."""
    site = next(iter(build.glob('venv/lib/python*/site-packages')), build)
    found = metadata.distributions(path=[str(site)])
    versions = {d.metadata['Name']: d.version for d in found}
    absent, base = 'not installed', ROOT / 'patches/BASE'
    pages = '/sys/kernel/mm/transparent_hugepage/enabled'
    return {
        'machine': {
            'system': f'{platform.system()} {platform.release()}',
            'distribution': line_of('/etc/os-release', 'PRETTY_NAME'),
            'processor': line_of('/proc/cpuinfo', 'model name'),
            'cores': os.cpu_count(),
            'memory': line_of('/proc/meminfo', 'MemTotal'),
            'huge pages': line_of(pages, ''),
            'graphics': first_line('nvidia-smi', '-L'),
        },
        'tools': {name: first_line(name, '--version') for name in TOOLS},
        'python': {'version': platform.python_version(), 'at': sys.executable},
        'packages in the build': {n: versions.get(n, absent) for n in PACKAGES},
        'environment': {n: os.environ.get(n, 'not set') for n in VARIABLES},
        'base': {n: line_of(base, n) for n in ('tag', 'commit', 'wheel')},
        'installed': installed(build, site),
    }


def main():
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'build'
    for title, facts in sections(build).items():
        print(f'{title}:')
        for name, value in facts.items():
            print(f'  {name:<14} {value}')


if __name__ == '__main__':
    main()
