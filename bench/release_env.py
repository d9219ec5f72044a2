"""The released Paddle, in build/venv-release.

That venv has no packages of its own: a .pth file lends it those of the build's venv,
where pip's Paddle is as it was released. The operators stand beside that one, and
only the build's own Python finds them.
"""

import fcntl
import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / 'build'
VENV = BUILD / 'venv-release'
SITE = 'lib/python{}.{}/site-packages'.format(*sys.version_info)
LENT = VENV / SITE / 'from_build_venv.pth'


def make():
    """Create the venv if it is not there; returns its interpreter.

    Tests run beside each other: one makes it, the others wait.
    """
    lent = f'{BUILD / "venv" / SITE}\n'
    with open(VENV.with_suffix('.lock'), 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not LENT.is_file() or LENT.read_text() != lent:
            python = BUILD / 'venv/bin/python'
            venv = [python, '-m', 'venv', '--clear', '--without-pip', VENV]
            subprocess.run(venv, check=True, stdout=sys.stderr)
            LENT.write_text(lent)
    return VENV / 'bin/python'
