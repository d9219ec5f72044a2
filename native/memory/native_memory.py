"""What freed CPU Tensors leave for the next ones: paddle.device.empty_cache.

Installed as paddle._native_memory.
"""

import sys

from paddle import _native_lib as _lib
from paddle.base import core

_FLAG = 'FLAGS_cpu_idle_memory_limit_in_mb'


def empty_cache() -> None:
    """
    Gives the memory of freed CPU Tensors, which is kept for the next ones, back
    to the system. What lies beside a Tensor that is in use stays. A program
    seldom needs it: the memory that is kept is limited by
    FLAGS_cpu_idle_memory_limit_in_mb.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> tensor = paddle.ones([512, 512, 512])
            >>> del tensor
            >>> paddle.device.empty_cache()
    """
    _lib.empty_cache()


def summary() -> str:
    """Whether freed memory is kept, in a line."""
    usage = _lib.memory_usage()
    if usage is None or core.globals()['FLAGS_use_system_allocator']:
        return "Paddle's own allocator (another one than by default)"
    if not usage['limit']:
        return f"Paddle's own allocator ({_FLAG} is 0)"
    return f'{usage["limit"] >> 20} MiB of freed Tensors are kept at most ({_FLAG})'


def install():
    """By the names that it has for other devices."""
    device = sys.modules['paddle.device']
    device.empty_cache = device.cpu.empty_cache = empty_cache
