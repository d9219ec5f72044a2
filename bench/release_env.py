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

BUILD = Path(__file__).resolve().parents[1] / 'build'
VENV = BUILD / 'venv-release'
SITE = 'lib/python{}.{}/site-packages'.format(*sys.version_info)
STAMP = VENV / 'paddle.version'
# A file that only the patched Paddle has.
FOREIGN_FILE = VENV / SITE / 'paddle/_native_ops.py'


def make():
    """Create the venv if it is not there; returns its interpreter.

    Tests run beside each other: one makes it, the others wait.
    """
    python = VENV / 'bin/python'
    with open(VENV.with_suffix('.lock'), 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = STAMP.read_text().strip() if STAMP.is_file() else ''
        if found == BASE and not FOREIGN_FILE.exists():
            return python
        print(
            f'bench: installing released Paddle {BASE} into {VENV}', flush=True
        )
        venv = [BUILD / 'venv/bin/python', '-m', 'venv', '--clear', VENV]
        pip = [python, '-m', 'pip', 'install', '--quiet', '--no-input']
        pip += ['--no-compile', '--no-deps', f'paddlepaddle=={BASE}']
        for command in (venv, pip):
            subprocess.run(command, check=True, stdout=sys.stderr)
        borrowed = VENV / SITE / 'from_build_venv.pth'
        borrowed.write_text(f'{BUILD / "venv" / SITE}\n')
        STAMP.write_text(BASE + '\n')
    return python
