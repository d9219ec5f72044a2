"""Functions of the operators in paddle._C_ops.

Installed as paddle._native_runtime.
"""

from paddle import _native_lib as _lib
from paddle import _native_static as _static


def install(c_ops):
    """Add the functions to paddle._C_ops, whose globals are `c_ops`."""
    for entry in _lib.entries:
        if entry.is_backward:
            continue
        for name, is_inplace in (entry.name, False), (f'{entry.name}_', True):
            if is_inplace and entry.inplace_input < 0:
                continue
            if not entry.is_base:
                c_ops['__all__'].append(name)
            c_ops[name] = entry.make_function(is_inplace, c_ops.get(name))


def _check_version():
    """Raise ImportError unless the module is compiled for this release."""
    from paddle.version import full_version

    if full_version != _lib.paddle_version:
        raise ImportError(
            f'paddle._native_lib is built for paddle {_lib.paddle_version}, '
            f'but the version is {full_version}: run '
            f'scripts/apply_and_build.sh again.'
        )


_check_version()
_static.load()
