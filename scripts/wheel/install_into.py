"""Install the packed wheel into an environment that has the released Paddle."""

import argparse
import json
import shlex
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import run
from scripts.wheel.versions import BASE, NAME

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import json, sys
from importlib import metadata
try:
    found = metadata.version('paddlepaddle')
except metadata.PackageNotFoundError:
    found = None
print(json.dumps([sys.implementation.cache_tag, found]))
"""


class IntoError(Exception):
    """The environment can't take the wheel."""


def asked(python):
    """The interpreter's tag, such as cpython-311, and its Paddle's version."""
    try:
        done = run(python, '-c', ASK)
    except OSError as error:
        raise IntoError(f'{python}: {error.strerror}') from error
    if done.returncode:
        raise IntoError(f'{python}: not a Python: {done.stderr.strip()}')
    return json.loads(done.stdout)


def check(python, tag, version):
    """Raise unless the environment has the release that the wheel is of."""
    here = sys.implementation.cache_tag
    typed = shlex.quote(python)
    if tag != here:
        raise IntoError(
            f'{python} is {tag}, but the operators are built for {here}. '
            f'Build them with --python {typed} --build-dir of its own.'
        )
    if version is None:
        raise IntoError(
            f'{python} has no {NAME}. Install it first: '
            f'{typed} -m pip install {NAME}=={BASE}'
        )
    if version.partition('+')[0] != BASE:
        raise IntoError(
            f'{python} has {NAME} {version}, but the operators are for {BASE}.'
        )


def pip_for(python):
    """The environment's own pip, or ours where it has none, as uv's have."""
    own = [python, '-m', 'pip']
    if run(*own, '--version').returncode == 0:
        return own
    # Its folder runs with any Python, and installs for that one. Not found by
    # find_spec: setuptools takes that for pip itself, and gives up distutils.
    return [python, str(Path(PathFinder.find_spec('pip').origin).parent)]


def install(pip, wheel):
    """Over what is there; Paddle needs the same packages as before."""
    command = [*pip, 'install', '--no-deps', '--no-index', '--force-reinstall']
    command += ['--disable-pip-version-check', str(wheel)]
    subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('python', help='the interpreter of the environment')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    args = parser.parse_args()
    try:
        wheels = list((args.build_dir / 'dist').glob(f'{NAME}-*.whl'))
        if len(wheels) != 1:
            raise IntoError('there is no wheel yet: build it with --wheel.')
        check(args.python, *asked(args.python))
        pip = pip_for(args.python)
        install(pip, wheels[0])
    except IntoError as error:
        sys.exit(f'install_into: {error}')
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    see = [args.python, '-m', 'paddle_scatter_info']
    back = [*pip, 'install', '--no-deps', '--force-reinstall']
    print(f'See it: {shlex.join(see)}')
    print(f'Go back: {shlex.join([*back, f"{NAME}=={BASE}"])}')


if __name__ == '__main__':
    main()
