"""Headers that Paddle's include and its wheel does not ship: those of glog."""

import pytest

from scripts.common.programs import run


def found():
    """True if the compiler finds them."""
    source = '#include "glog/logging.h"\n'
    return run('g++', '-x', 'c++', '-E', '-', input=source).returncode == 0


needs_glog = pytest.mark.skipif(
    not found(),
    reason='glog has no headers here (apt-get install libgoogle-glog-dev)',
)
