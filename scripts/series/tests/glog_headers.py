"""Headers that Paddle's include and its wheel does not ship: those of glog."""

import pytest

from scripts.common.programs import run

COMPILED = run(
    'g++', '-x', 'c++', '-E', '-', input='#include "glog/logging.h"\n'
)
needs_glog = pytest.mark.skipif(
    COMPILED.returncode != 0,
    reason='glog has no headers here (apt-get install libgoogle-glog-dev)',
)
