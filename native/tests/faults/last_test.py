"""A pytest plugin that keeps the name of the test which was started last: where
pytest stops at the first failure or crashes, the one that found a fault."""

import os
import sys
from pathlib import Path


def pytest_runtest_logstart(nodeid, location):
    Path(os.environ['LAST_TEST']).write_text(nodeid, encoding='utf-8')
    if paddle := sys.modules.get('paddle'):
        # Its handler allocates: it waits for good where the heap is broken.
        paddle.disable_signal_handler()
