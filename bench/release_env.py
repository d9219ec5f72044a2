"""A second Paddle that nobody has touched, in build/venv-release.

Only the wheel itself is installed there; everything it needs comes from the
build's venv through a .pth file, which is read after the venv's own packages.
It is kept: later runs only look whether it is the version that we build for.
"""

import fcntl
import subprocess
import sys
from pathlib import Path

from scripts.wheel.versions import BASE

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / 'build' / 'venv-release'
BASE_VENV = ROOT / 'build' / 'venv'
STAMP = 'paddle.version'
# A file that only the patched Paddle has.
FOREIGN_FILE = 'paddle/_native_ops.py'


def site_packages(venv):
    """The folder of a venv's packages."""
    return next(venv.glob('lib/python3*/site-packages'))


def is_ready(venv):
    """True if the venv holds the wanted version, as it was released."""
    stamp = venv / STAMP
    wanted = stamp.is_file() and stamp.read_text().strip() == BASE
    return wanted and not (site_packages(venv) / FOREIGN_FILE).exists()


def _install(venv, base):
    print(f'bench: installing released Paddle {BASE} into {venv}', flush=True)
    pip = [venv / 'bin/python', '-m', 'pip', 'install', '--quiet']
    pip += ['--no-input', '--no-compile', '--no-deps', f'paddlepaddle=={BASE}']
    for command in ([base / 'bin/python', '-m', 'venv', '--clear', venv], pip):
        subprocess.run(command, check=True, stdout=sys.stderr)
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
