# Operators compiled against this wheel: see paddle/_native_ops.py.
from paddle import _native_ops

for name, function in _native_ops.API.items():
    globals()[name] = function
    if name not in __all__:
        __all__.append(name)
