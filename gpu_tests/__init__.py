"""Tests of the GPU kernels without Paddle.

The references of fuzz/ import paddle for functions that are not called here. The
CPU build of Paddle must not share a process with PyTorch for the GPU, so a stub
replaces it.
"""

import sys
import types

if 'paddle' not in sys.modules:
    # isinstance(..., ()) is False.
    sys.modules['paddle'] = types.SimpleNamespace(Tensor=())
