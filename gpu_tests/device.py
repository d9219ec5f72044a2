"""Where the kernels run: a GPU that PyTorch sees, or an emulation on the CPU."""

import os
import shutil
from functools import cache

from gpu_tests import build, emulate
from gpu_tests.library import Library

try:
    import torch
except ImportError:
    torch = None

# Set in the environment, so that processes that tests start see it too.
EMULATE = 'SCATTER_OPS_EMULATE'
# Of an imagined GPU: so few that loops over a grid go round several times.
EMULATED_MULTIPROCESSORS = 3


def emulated():
    """Whether kernels run in the emulation."""
    return os.environ.get(EMULATE) == '1'


def missing():
    """Why no kernel can run here, or ''."""
    if torch is None:
        return 'PyTorch is not installed'
    if emulated():
        return ''
    if not torch.cuda.is_available():
        return f'PyTorch {torch.__version__} sees no CUDA device'
    if shutil.which('nvcc') is None and not build.library_path().is_file():
        return 'nvcc is not installed'
    return ''


def name():
    """What PyTorch calls the device."""
    return 'cpu' if emulated() else 'cuda'


@cache
def library():
    """The kernels, built first where that is possible."""
    maker = emulate if emulated() else build
    if emulated() or shutil.which('nvcc'):
        maker.make()
    found = Library(maker.library_path())
    if not missing():
        found.keep_memory()
    return found


def stream():
    """PyTorch's present stream, so that its own work is in order with ours."""
    return 0 if emulated() else torch.cuda.current_stream().cuda_stream


@cache
def multiprocessors():
    """How many of them launches are made for."""
    if emulated():
        return EMULATED_MULTIPROCESSORS
    return torch.cuda.get_device_properties('cuda').multi_processor_count


def synchronize():
    """Waits for everything on the device."""
    if not emulated():
        torch.cuda.synchronize()
