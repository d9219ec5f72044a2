"""What Python knows of the mode that a call is made in.

Installed as paddle._native_modes.
"""

_globals = []


def _tracer():
    """The tracer of dygraph; None while a static graph is built."""
    if not _globals:
        # Not at the top: paddle.base.framework imports paddle._C_ops.
        from paddle.base import framework

        _globals.append(framework.global_var)
    return _globals[0]._dygraph_tracer_


def in_dygraph():
    return _tracer() is not None


def has_grad():
    """Whether dygraph records gradients now."""
    tracer = _tracer()
    return tracer is None or tracer._has_grad
