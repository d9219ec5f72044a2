# Operators compiled against this wheel: see paddle/_native_runtime.py.
from paddle import _native_runtime

_native_runtime.install(globals())
