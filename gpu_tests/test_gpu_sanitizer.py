"""compute-sanitizer finds no fault in the kernels."""

import os
import shutil
import sys

import pytest

from gpu_tests import device
from gpu_tests.build import ROOT
from scripts.common.programs import run

pytestmark = pytest.mark.real_gpu
# Small and big elements of every operator, at every length. The tools slow
# kernels down a lot, and a race shows at one length as well as at another.
LENGTHS = (
    '(lengths or rows or unaligned or long_indexes) '
    'and not (int16 or float32 or float64)'
)
UNALIGNED = '(unaligned or (long_indexes and 2049)) and not (int16 or float64)'


# The names keep the tests from choosing this one.
@pytest.mark.parametrize(
    'tool, chosen',
    [('memcheck', LENGTHS), ('racecheck', UNALIGNED)],
    ids=['memcheck', 'racecheck'],
)
def test_tool_reports_nothing(tool, chosen):
    program = shutil.which('compute-sanitizer')
    if program is None:
        pytest.skip('compute-sanitizer is not installed')
    device.library()
    done = run(
        *(program, '--tool', tool, '--error-exitcode', '99'),
        *(sys.executable, '-m', 'pytest', '-q', '-x', '-k', chosen),
        *('-p', 'no:cacheprovider', 'gpu_tests'),
        cwd=ROOT,
        # Else a whole pool of memory is in range.
        env={**os.environ, 'PYTORCH_NO_CUDA_MEMORY_CACHING': '1'},
        timeout=3000,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
