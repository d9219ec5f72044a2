"""Make the virtual environment of the build, or bring it up to date.

A digest of the requirements and of the interpreter is kept in the venv; as
long as it matches, nothing is done.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import sha256, write_atomic
from scripts.common.programs import run

ROOT = Path(__file__).resolve().parents[2]
STAMP = '.requirements.sha256'
HERE = '.'.join(str(part) for part in sys.version_info[:2])


def with_paddle(requirements, version, folder):
    """The requirements with another Paddle, as a file in `folder`."""
    text = requirements.read_text(encoding='utf-8')
    pinned = re.sub('(?m)^paddlepaddle==.*', f'paddlepaddle=={version}', text)
    path = folder / f'requirements-{version}.txt'
    write_atomic(path, pinned.encode())
    return path


def python_version(python):
    """'3.11' for an interpreter; '' when it does not run."""
    code = 'import sys; print("%d.%d" % sys.version_info[:2])'
    try:
        return run(python, '-c', code).stdout.strip()
    except OSError:
        return ''


def create(venv):
    """Create the venv unless one for this Python version is there."""
    found = python_version(venv / 'bin/python')
    if found == HERE:
        return
    if found:
        sys.exit(
            f'{venv} was made with Python {found}, this is {HERE}. Use the '
            'same Python (--python), build in another folder (--build-dir), '
            'or start over with --clean.'
        )
    # --clear: a venv whose python does not run was cut off half-way.
    command = [sys.executable, '-m', 'venv', '--clear', venv]
    subprocess.run(command, check=True)


def install(venv, requirements):
    """pip install; whatever already matches stays as it is."""
    pip = [venv / 'bin/python', '-m', 'pip', 'install']
    pip += ['--disable-pip-version-check', '--no-input', '-r', requirements]
    subprocess.run(pip, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add('--venv', type=Path, default=ROOT / 'build/venv')
    add('--requirements', type=Path, default=ROOT / 'requirements.txt')
    add('--paddle', help='another Paddle than the pinned one')
    args = parser.parse_args()
    if args.paddle:
        folder = args.venv.resolve().parent
        args.requirements = with_paddle(args.requirements, args.paddle, folder)
    stamp = args.venv / STAMP
    digest = sha256(args.requirements.read_bytes() + HERE.encode())
    usable = python_version(args.venv / 'bin/python')
    if usable and stamp.is_file() and stamp.read_text().strip() == digest:
        print(f'{args.venv}: up to date')
        return
    try:
        create(args.venv)
        install(args.venv, args.requirements)
    except subprocess.CalledProcessError as error:
        sys.exit(f'make_venv: failed: {" ".join(map(str, error.cmd))}')
    write_atomic(stamp, (digest + '\n').encode())


if __name__ == '__main__':
    main()
