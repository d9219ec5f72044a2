# Operators compiled against this wheel: see paddle/_native_runtime.py.
from paddle import _native_runtime

for name, function in _native_runtime.API.items():
    globals()[name] = function
    if name not in __all__:
        __all__.append(name)

masked_fill, masked_fill_ = _native_runtime.sharded(
    'masked_fill', masked_fill, masked_fill_
)
scatter, scatter_ = _native_runtime.recorded('scatter', scatter, scatter_)
