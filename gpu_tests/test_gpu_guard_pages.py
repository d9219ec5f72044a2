"""No kernel reads behind its operands."""

import subprocess
import sys

import pytest

from gpu_tests import device, emulate

pytestmark = pytest.mark.skipif(
    not device.emulated(), reason='a GPU has no such pages: use --emulate'
)

LENGTHS = (16, 1024, 1025, 4099)


@pytest.mark.parametrize('call', ['masked_scatter', 'index_scatter'])
def test_nothing_is_read_behind_the_operands(call):
    device.library()
    code = (
        'from gpu_tests import paddle_standin; paddle_standin.install(); '
        'from gpu_tests import guard_pages\n'
        f'for length in {LENGTHS}: guard_pages.{call}(length)'
    )
    done = subprocess.run(
        [sys.executable, '-c', code],
        cwd=emulate.ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
