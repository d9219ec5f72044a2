"""A fault in the data ends the process, with a message that names the op."""

import subprocess
import sys
from pathlib import Path

import pytest

from gpu_tests import device
from gpu_tests.faults import FAULTS

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = '''
import sys
from gpu_tests import paddle_standin
paddle_standin.install()
from gpu_tests import faults
faults.make(sys.argv[1])
'''


@pytest.mark.parametrize('name', FAULTS)
def test_process_dies_with_the_name_of_the_operator(name):
    device.library()  # so that the process need not build it
    done = subprocess.run(
        [sys.executable, '-c', PROGRAM, name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    said = done.stdout + done.stderr
    assert done.returncode != 0, said
    for words in FAULTS[name][1]:
        assert words in said, said
