# Memory that freed CPU Tensors leave: see paddle/_native_memory.py.
from paddle import _native_memory

_native_memory.install()
