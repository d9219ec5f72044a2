# Calls straight into the compiled operators: see paddle/_native_calls.py.
from paddle import _native_calls

_native_calls.install()
