"""The released Paddles that the wheel target is for, and why not others."""

NAME = 'paddlepaddle'
BASE = '3.3.1'
OTHERS = ('3.3.0',)
_NO_DECORATORS = (
    'paddle.utils.decorator_utils has no ParamAliasDecorator, by which the '
    'functions take the names that PyTorch uses'
)
REFUSED = {
    '3.2.2': (
        'paddle.tensor.manipulation has no _put_along_axis_wrapper, to which '
        'the PyTorch form of paddle.scatter is handed on'
    ),
    '3.1.1': _NO_DECORATORS,
    '3.0.0': _NO_DECORATORS,
}


def refusal(version):
    """Why the operators are not built into that Paddle, or None."""
    if version in (BASE, *OTHERS):
        return None
    known = ', '.join((BASE, *OTHERS))
    reason = REFUSED.get(version, 'nobody has tried it')
    return f'Paddle {version} is not served: {reason}. Served: {known}.'
