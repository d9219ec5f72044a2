# Operators compiled against this wheel: see paddle/_native_ops.py.
from paddle import _native_ops, _native_runtime

for name, function in _native_ops.API.items():
    globals()[name] = function
    if name not in __all__:
        __all__.append(name)

masked_fill, masked_fill_ = _native_runtime.sharded_masked_fill(
    _native_ops.BASE['masked_fill'], masked_fill, masked_fill_
)
scatter, scatter_ = _native_runtime.recorded_scatter(
    _native_ops.BASE['scatter'], scatter, scatter_
)
