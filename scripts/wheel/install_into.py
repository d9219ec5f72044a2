"""Install the packed wheel into an environment that has the released Paddle."""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.command_line import Refused, exit_status
from scripts.common.programs import run
from scripts.wheel.versions import BASE, NAME

ROOT = Path(__file__).resolve().parents[2]
# The first Paddle is what is imported.
ASK = f"""
import json, sys
from importlib import metadata
found = [x.version for x in metadata.distributions(name='{NAME}')]
print(json.dumps([sys.implementation.cache_tag, found[0] if found else '']))
"""


def check(python):
    """Raise unless the environment has the release that the wheel is of."""
    try:
        done = run(python, '-c', ASK)
    except OSError as error:
        raise Refused(f'--into: {python}: {error.strerror}') from error
    if done.returncode:
        raise Refused(f'--into: {python}: not a Python: {done.stderr.strip()}')
    tag, paddle = json.loads(done.stdout)
    here, typed = sys.implementation.cache_tag, shlex.quote(python)
    if tag != here:
        raise Refused(
            f'--into: {python} is {tag}, but the operators are built for '
            f'{here}. Build them with --python {typed} --build-dir of its own.'
        )
    if not paddle:
        raise Refused(
            f'--into: {python} has no {NAME}. Install it first: '
            f'{typed} -m pip install {NAME}=={BASE}'
        )
    if paddle.partition('+')[0] != BASE:
        raise Refused(
            f'--into: {python} has {NAME} {paddle}, but the operators are '
            f'for {BASE}.'
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('python', help='the interpreter of the environment')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    args = parser.parse_args()
    check(args.python)
    wheels = list((args.build_dir / 'dist').glob(f'{NAME}-*.whl'))
    if len(wheels) != 1:
        raise Refused('There is no wheel yet: build it with --wheel.')
    # Our own pip: not every environment has one. Over what is there; Paddle
    # needs the same packages as before.
    pip = [sys.executable, '-m', 'pip', '--python', args.python]
    install = [*pip, 'install', '--no-deps', '--force-reinstall']
    options = ['--no-index', '--disable-pip-version-check', wheels[0]]
    subprocess.run([*install, *options], check=True)
    see = [args.python, '-m', 'paddle_scatter_info']
    print(f'See it: {shlex.join(see)}')
    print(f'Go back: {shlex.join([*install, f"{NAME}=={BASE}"])}')


if __name__ == '__main__':
    sys.exit(exit_status(main, subprocess.CalledProcessError))
