"""A module that stands in for paddle where only its name is needed.

The case tables and references in unittests/ import paddle for functions that
are not called here, and a Paddle for the CPU must not share a process with a
PyTorch for the GPU.
"""

import sys
import types

from gpu_tests.build import ROOT
from scripts.common.programs import run

UNITTESTS = ROOT / 'unittests'


def install():
    """Makes `import paddle` and the modules of unittests/ work."""
    if 'paddle' not in sys.modules:
        sys.modules['paddle'] = types.SimpleNamespace(
            Tensor=(),  # nothing is one of these
            **dict.fromkeys(('_C_ops', 'select_scatter', 'diagonal_scatter')),
        )
    if str(UNITTESTS) not in sys.path:
        sys.path.insert(0, str(UNITTESTS))


def run_apart(function, *arguments):
    """(exit status, what it said) of a process that does nothing but a call."""
    module, name = function.__module__, function.__name__
    code = (
        'from gpu_tests import paddle_standin\n'
        'paddle_standin.install()\n'
        f'from {module} import {name}\n'
        f'{name}(*{arguments!r})\n'
    )
    done = run(sys.executable, '-c', code, cwd=ROOT, timeout=300)
    return done.returncode, done.stdout + done.stderr
