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


PUBLISHED = """  *reinterpret_cast<volatile uint64_t*>(word) =
      static_cast<uint64_t>(count) << 2 | flag;"""
FLAG_FIRST = """  *reinterpret_cast<volatile uint64_t*>(word) = flag;"""
# name -> (unit, (text, what stands there instead), what has to be said)
FAULTS = {
    'a window that skips as many as it looks at': (
        'look_back.cu',
        ('first -= kWarpSize)', 'first -= 2 * kWarpSize)'),
        'expected',
    ),
    'a flag before its count': (
        'look_back.cu',
        (PUBLISHED, f'{FLAG_FIRST}\n{PUBLISHED}'),
        'words that come late',
    ),
    'values that nobody waits for': without_barrier(
        'masked_scatter.cu',
        """args.values[scan.before + k];
    }
    __syncthreads();""",
    ),
    'values of a gradient that nobody waits for': without_barrier(
        'masked_scatter.cu',
        """  if constexpr (kGrad) {
    __syncthreads();""",
    ),
    'a count that nobody waits for': without_barrier(
        'masked_scatter.cu',
        """  }
  __syncthreads();
  result.before = tile_before;""",
    ),
    'a place that is cut to 32 bits': (
        'operand_view.cu',
        ('place.offset += index', 'place.offset += (int)index'),
        'is looked for at',
    ),
    'staged updates that nobody waits for': without_barrier(
        'staged_rows.cu',
        """                staged);
    __syncthreads();""",
    ),
    'sums of parts that nobody waits for': without_barrier(
        'staged_rows.cu',
        """        reducer.ReducePart(lanes_of(row), level, part);
      });
      __syncthreads();""",
    ),
    'a tile of rows that comes too early': without_barrier(
        'staged_rows.cu',
        """        rows, count, [&](int row, int i) { reducer(lanes_of(row), i); });
    __syncthreads();""",
    ),
    'a part that misses its last entry': (
        'staged_rows.cu',
        ('below + kPartSize, &result', 'below + kPartSize - 1, &result'),
        'a sum is wrong',
    ),
}


@pytest.mark.parametrize('name', FAULTS)
def test_fault_in_a_part_is_found(tmp_path, name):
    unit, (old, new), said = FAULTS[name]
    write_fault(old, new, tmp_path)
    status, text = run(unit, tmp_path)
    assert status != 0
    assert said in text
