"""Install the packed wheel into an environment that has the released Paddle."""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import run
from scripts.wheel.versions import BASE, NAME

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import json, sys
from importlib import metadata
found = [x.version for x in metadata.distributions(name='paddlepaddle')]
print(json.dumps([sys.implementation.cache_tag, *found]))
"""


class IntoError(Exception):
    """The environment can't take the wheel."""


def check(python):
    """Raise unless the environment has the release that the wheel is of."""
    try:
        done = run(python, '-c', ASK)
    except OSError as error:
        raise IntoError(f'{python}: {error.strerror}') from error
    if done.returncode:
        raise IntoError(f'{python}: not a Python: {done.stderr.strip()}')
    tag, *versions = json.loads(done.stdout)
    here = sys.implementation.cache_tag
    typed = shlex.quote(python)
    if tag != here:
        raise IntoError(
            f'{python} is {tag}, but the operators are built for {here}. '
            f'Build them with --python {typed} --build-dir of its own.'
        )
    if not versions:
        raise IntoError(
            f'{python} has no {NAME}. Install it first: '
            f'{typed} -m pip install {NAME}=={BASE}'
        )
    # The first is what is imported.
    if versions[0].partition('+')[0] != BASE:
        raise IntoError(
            f'{python} has {NAME} {versions[0]}, but the operators are for {BASE}.'
        )


def pip_for(python):
    """The environment's own pip, or ours where it has none, as uv's have."""
    own = [python, '-m', 'pip']
    if run(*own, '--version').returncode == 0:
        return own
    return [sys.executable, '-m', 'pip', '--python', python]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('python', help='the interpreter of the environment')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    args = parser.parse_args()
    wheels = list((args.build_dir / 'dist').glob(f'{NAME}-*.whl'))
    if len(wheels) != 1:
        sys.exit('install_into: there is no wheel yet: build it with --wheel.')
    try:
        check(args.python)
    except IntoError as error:
        sys.exit(f'install_into: {error}')
    # Over what is there; Paddle needs the same packages as before.
    pip = pip_for(args.python)
    install = [*pip, 'install', '--no-deps', '--force-reinstall']
    options = ['--no-index', '--disable-pip-version-check', str(wheels[0])]
    done = subprocess.run([*install, *options])
    if done.returncode:
        sys.exit(done.returncode)
    see = [args.python, '-m', 'paddle_scatter_info']
    print(f'See it: {shlex.join(see)}')
    print(f'Go back: {shlex.join([*install, f"{NAME}=={BASE}"])}')


if __name__ == '__main__':
    main()
