"""Tests of the GPU kernels without Paddle.

The case tables and references in unittests/ import paddle for functions that are
not called here, and Paddle for the CPU must not share a process with PyTorch for
the GPU: a stub takes its name.
"""

import sys
import types
from pathlib import Path

if 'paddle' not in sys.modules:
    sys.modules['paddle'] = types.SimpleNamespace(
        Tensor=(),  # nothing is an instance of it
        **dict.fromkeys(('_C_ops', 'select_scatter', 'diagonal_scatter')),
    )
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'unittests'))
