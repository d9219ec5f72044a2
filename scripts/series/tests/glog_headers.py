"""Headers that Paddle's include and its wheel does not ship: those of glog."""

import subprocess

import pytest


def found():
    """True if the compiler finds them."""
    done = subprocess.run(
        ['g++', '-x', 'c++', '-E', '-'],
        input='#include "glog/logging.h"\n',
        capture_output=True,
        text=True,
    )
    return done.returncode == 0


needs_glog = pytest.mark.skipif(
    not found(),
    reason='glog has no headers here (apt-get install libgoogle-glog-dev)',
)
