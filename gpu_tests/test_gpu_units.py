"""Parts of the kernels by themselves, in the emulation.

Each fault that is put into a copy of the sources has to be found: the test
shows that what it checks can fail.
"""

import pytest

from gpu_tests import emulate
from scripts.common import programs

pytestmark = pytest.mark.no_gpu
UNITS = emulate.ROOT / 'gpu_tests' / 'units'
RACES = ('-fsanitize=thread', '-Wno-tsan')


def write_fault(old, new, folder):
    """A copy in `folder` of the one source with the text `old`, changed."""
    sources = emulate.kernel_sources()
    found = [path for path in sources if path.read_text().count(old) == 1]
    assert len(found) == 1, f'{len(found)} sources have once: {old}'
    target = folder / emulate.in_paddle(found[0])
    target.parent.mkdir(parents=True)
    text = found[0].read_text().replace(old, new)
    target.write_text(emulate.emulated(text))


def run(unit, folder):
    """(exit status, what was said) of a unit."""
    text = (UNITS / unit).read_text()
    program = emulate.make_program(text, folder, RACES)
    done = programs.run(program, timeout=120)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize('unit', sorted(path.name for path in UNITS.iterdir()))
def test_part_is_right_and_has_no_race(tmp_path, unit):
    assert run(unit, tmp_path) == (0, '')


def without_barrier(unit, text):
    """A fault of `text`, which has one."""
    return unit, (text, text.replace('__syncthreads();', '')), 'a race'


# name -> (unit, (text, what stands there instead), what has to be said)
FAULTS = {
    'a round that does not wait for the one before': without_barrier(
        'masked_scatter.cu',
        """    TileScan(*storage).ExclusiveSum(take ? 1 : 0, before, total);
    __syncthreads();""",
    ),
    'a round that forgets those before it': (
        'masked_scatter.cu',
        ('f(i, take, count + before)', 'f(i, take, before)'),
        'wrong',
    ),
    'a place that is cut to 32 bits': (
        'operand_view.cu',
        (
            'offset += (i - outer * axis.dim)',
            'offset += (int)(i - outer * axis.dim)',
        ),
        'is looked for at',
    ),
}


@pytest.mark.parametrize('name', FAULTS)
def test_fault_in_a_part_is_found(tmp_path, name):
    unit, (old, new), said = FAULTS[name]
    write_fault(old, new, tmp_path)
    status, text = run(unit, tmp_path)
    assert status != 0
    assert said in text
