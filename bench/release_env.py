"""A second Paddle that nobody has touched, in build/venv-release.

Only the wheel itself is installed there; everything it needs comes from the
build's venv through a .pth file, which is read after the venv's own packages.
It is kept: later runs only look whether it is the version that we build for.
"""

import fcntl
import sys
from pathlib import Path

from scripts.common.programs import run
from scripts.wheel.versions import BASE

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / 'build' / 'venv-release'
BASE_VENV = ROOT / 'build' / 'venv'
STAMP = 'paddle.version'
# A file that only the patched Paddle has.
FOREIGN_FILE = '_native_ops.py'


def site_packages(venv):
    """The folder of a venv's packages."""
    found = sorted(venv.glob('lib/python3*/site-packages'))
    return found[0] if found else None


def is_ready(venv):
    """True if the venv holds the wanted version, as it was released."""
    stamp, site = venv / STAMP, site_packages(venv)
    wanted = stamp.is_file() and stamp.read_text().strip() == BASE
    return wanted and not (site / 'paddle' / FOREIGN_FILE).exists()


def _run(*command):
    done = run(*command)
    if done.returncode:
        sys.stderr.write(done.stdout[-2000:] + done.stderr[-2000:])
        sys.exit(f'bench: failed: {" ".join(map(str, command))}')


def _install(venv, base):
    print(f'bench: installing released Paddle {BASE} into {venv}')
    _run(base / 'bin/python', '-m', 'venv', '--clear', venv)
    options = ('--no-input', '--no-compile', '--no-deps')
    pip = (venv / 'bin/python', '-m', 'pip', 'install', *options)
    _run(*pip, f'paddlepaddle=={BASE}')
    borrowed = site_packages(venv) / 'from_build_venv.pth'
    borrowed.write_text(f'{site_packages(base)}\n')
    (venv / STAMP).write_text(BASE + '\n')


def make(venv=VENV, base=BASE_VENV):
    """Create the venv if it is not there; returns its interpreter.

    Tests run beside each other: one makes it, the others wait.
    """
    with open(venv.with_suffix('.lock'), 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_ready(venv):
            _install(venv, base)
    return venv / 'bin/python'
