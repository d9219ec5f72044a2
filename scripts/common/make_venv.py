"""Make the virtual environment of a build, or bring it up to its requirements."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = '{}.{}'.format(*sys.version_info)


def create(venv):
    """Create the venv unless one for this Python version is there."""
    code = 'import pip, sys; print("{}.{}".format(*sys.version_info))'
    try:
        command = [venv / 'bin/python', '-c', code]
        found = subprocess.check_output(command, text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        # --clear: a venv without Python or pip was cut off half-way.
        command = [sys.executable, '-m', 'venv', '--clear', venv]
        subprocess.run(command, check=True)
        return
    if found != HERE:
        sys.exit(
            f'{venv} was made with Python {found}, this is {HERE}. Use the '
            'same Python (--python), build in another folder (--build-dir), '
            'or start over with --clean.'
        )


def install(venv, requirements):
    """pip install; whatever already matches stays as it is.

    Python compiles what is imported. pip would compile all that there is.
    """
    pip = [venv / 'bin/python', '-m', 'pip', 'install', '--no-compile']
    pip += ['--disable-pip-version-check', '--no-input', '-r', '/dev/stdin']
    subprocess.run(pip, check=True, input=requirements.encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add('--venv', type=Path, required=True)
    add('--requirements', type=Path, required=True)
    add('--paddle', metavar='V', help='another Paddle than the one in them')
    args = parser.parse_args()
    text = args.requirements.read_text(encoding='utf-8')
    if args.paddle:
        pin = f'paddlepaddle=={args.paddle}'
        text = re.sub('(?m)^paddlepaddle==.*', pin, text)
    try:
        create(args.venv)
        install(args.venv, text)
    except subprocess.CalledProcessError as error:
        sys.exit(f'make_venv: failed: {" ".join(map(str, error.cmd))}')


if __name__ == '__main__':
    main()
