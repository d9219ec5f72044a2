"""Parts of the kernels by themselves, in the emulation.

Each fault that is put into a copy of the sources has to be found: the test
shows that what it checks can fail.
"""

import subprocess

import pytest

from gpu_tests import emulate

pytestmark = pytest.mark.no_gpu
UNITS = emulate.ROOT / 'gpu_tests' / 'units'
RACES = ('-fsanitize=thread', '-Wno-tsan')


@pytest.fixture(scope='module')
def objects(tmp_path_factory):
    """The emulator itself, compiled once."""
    folder = tmp_path_factory.mktemp('emulator')
    compiler = emulate.make_compiler()
    made = []
    for name in ('emulator', 'races'):
        made.append(folder / f'{name}.o')
        source = emulate.EMULATOR / f'{name}.cc'
        command = [*compiler.program, *compiler.flags, '-c', source]
        subprocess.run([*command, '-o', made[-1]], check=True)
    return made


def write_fault(old, new, folder):
    """A copy in `folder` of the one source with the text `old`, changed."""
    sources = emulate.kernel_sources()
    found = [path for path in sources if path.read_text().count(old) == 1]
    assert len(found) == 1, f'{len(found)} sources have once: {old}'
    target = folder / emulate.in_paddle(found[0])
    target.parent.mkdir(parents=True)
    text = found[0].read_text().replace(old, new)
    target.write_text(emulate.emulated(text))


def run(unit, objects, folder, arguments=(), checks=RACES):
    """(exit status, what was said) of a unit.

    What lies in `folder` hides the kernels' own sources.
    """
    emulate.write_tree()
    source, program = folder / 'unit.cu', folder / 'program'
    source.write_text(emulate.emulated((UNITS / unit).read_text()))
    compiler = emulate.make_compiler()
    compile_unit = [*compiler.program, f'-I{folder}', *compiler.flags, *checks]
    compile_unit += ['-c', source, '-o', folder / 'unit.o']
    subprocess.run(compile_unit, check=True)
    # without -fsanitize=thread: `objects` have what it calls
    link = [*compiler.program, folder / 'unit.o', *objects, '-o', program]
    link += ['-pthread', emulate.CHECKS, '-static-libubsan']
    subprocess.run(link, check=True)
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    'unit', ['look_back.cu', 'masked_scatter.cu', 'staged_rows.cu']
)
def test_part_is_right_and_has_no_race(objects, tmp_path, unit):
    assert run(unit, objects, tmp_path) == (0, '')


PUBLISHED = """  *reinterpret_cast<volatile uint64_t*>(word) =
      static_cast<uint64_t>(count) << 2 | flag;"""
FLAG_FIRST = """  *reinterpret_cast<volatile uint64_t*>(word) = flag;"""
GIVEN_VALUES = """args.values[scan.before + k];
    }
    __syncthreads();"""
TAKEN_VALUES = """  if constexpr (kGrad) {
    __syncthreads();"""
COUNT_BEFORE = """  }
  __syncthreads();
  result.before = tile_before;"""
STAGED = """                staged);
    __syncthreads();"""
PARTS = """        reducer.ReducePart(lanes_of(row), level, part);
      });
      __syncthreads();"""
SLOTS = """        rows, count, [&](int row, int i) { reducer(lanes_of(row), i); });
    __syncthreads();"""
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
    'values that nobody waits for': (
        'masked_scatter.cu',
        (GIVEN_VALUES, GIVEN_VALUES.replace('__syncthreads();', '')),
        'a race',
    ),
    'values of a gradient that nobody waits for': (
        'masked_scatter.cu',
        (TAKEN_VALUES, TAKEN_VALUES.replace('__syncthreads();', '')),
        'a race',
    ),
    'a count that nobody waits for': (
        'masked_scatter.cu',
        (COUNT_BEFORE, COUNT_BEFORE.replace('__syncthreads();', '')),
        'a race',
    ),
    'staged updates that nobody waits for': (
        'staged_rows.cu',
        (STAGED, STAGED.replace('__syncthreads();', '')),
        'a race',
    ),
    'sums of parts that nobody waits for': (
        'staged_rows.cu',
        (PARTS, PARTS.replace('__syncthreads();', '')),
        'a race',
    ),
    'a tile of rows that comes too early': (
        'staged_rows.cu',
        (SLOTS, SLOTS.replace('__syncthreads();', '')),
        'a race',
    ),
    'a part that misses its last entry': (
        'staged_rows.cu',
        ('below + kPartSize, &result', 'below + kPartSize - 1, &result'),
        'a sum is wrong',
    ),
}


@pytest.mark.parametrize('name', FAULTS)
def test_fault_in_a_part_is_found(objects, tmp_path, name):
    unit, (old, new), said = FAULTS[name]
    write_fault(old, new, tmp_path)
    status, text = run(unit, objects, tmp_path)
    assert status != 0
    assert said in text
