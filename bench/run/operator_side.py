"""A case as a call of paddle._C_ops, without the Python function in front of it."""

from functools import partial

from bench.run import paddle_side
from bench.run.paddle_side import gradients, load, quiet, setup

__all__ = ['gradients', 'load', 'quiet', 'setup', 'ways']

ways = partial(paddle_side.ways, only_operator=True)
