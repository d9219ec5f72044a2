"""The compiler of the build, for whoever compiles a file of their own."""

import json
import os
import shlex
from functools import cache
from pathlib import Path

from scripts.common import programs

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get('BUILD_DIR', ROOT / 'build'))


@cache
def _commands():
    """{source: (its compiler command, its object)}, of every source."""
    path = BUILD / 'compile_commands.json'
    if not path.is_file():
        raise FileNotFoundError(f'{path}: run scripts/apply_and_build.sh')
    found = {}
    for entry in json.loads(path.read_text()):
        words, _, rest = entry['command'].partition(' -o ')
        target = Path(entry['directory'], rest.split()[0])
        found[Path(entry['file'])] = shlex.split(words), target
    return found


def command():
    """How the build compiles a file, but for the names of the files."""
    return _commands()[BUILD / 'glue/native_ops.cc'][0]


def objects(folder):
    """What the build has compiled of a folder of sources."""
    found = _commands().items()
    return sorted(
        x for source, (_, x) in found if source.parent == ROOT / folder
    )


def paddle_libs(*names):
    """What the linker is told of libraries of the Paddle that is built for."""
    (libs,) = {
        Path(word).parent / 'libs'
        for word in command()
        if word.endswith('paddle/include')
    }
    return [f'-L{libs}', *names, f'-Wl,-rpath,{libs}']


def run(arguments):
    """Runs the compiler: (whether it was content, what it said)."""
    env = {**os.environ, 'LC_ALL': 'C'}
    done = programs.run(*command(), *arguments, env=env)
    return done.returncode == 0, done.stderr
