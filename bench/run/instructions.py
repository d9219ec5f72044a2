"""Instructions per element of the hot loops, counted by callgrind."""

import re
import shutil
import tempfile
from pathlib import Path

from scripts.common import native_compiler, programs

SOURCE = Path(__file__).resolve().parent / 'loops.cc'
ENVIRONMENT = {
    'OMP_NUM_THREADS': '1',
    'PATH': '/usr/bin:/bin',
    # memcpy by vectors: valgrind counts each byte of a `rep movsb`
    'GLIBC_TUNABLES': 'glibc.cpu.x86_rep_movsb_threshold=0x40000000',
}
# A line of callgrind_annotate: the count, a share, and file:function.
LINE = re.compile(r'^\s*([\d,]+) .*[: ]loop_(\w+)', re.MULTILINE)


def missing():
    """What has to be installed first, or None."""
    if shutil.which('valgrind'):
        return None
    return 'instructions are counted by valgrind: apt-get install valgrind'


def parse(text, elements):
    """{loop: instructions per element} from callgrind_annotate's output."""
    return {
        name: int(count.replace(',', '')) / elements
        for count, name in LINE.findall(text)
    }


def _run(*command, **options):
    done = programs.run(*command, **options)
    if done.returncode:
        raise RuntimeError(f'bench: {command[0]}: {done.stderr[-2000:]}')
    return done.stdout


def _compile(program):
    """The loops as the build compiles the kernels, with Paddle's libraries."""
    libraries = ('-Wl,--as-needed', '-lphi_core', '-lphi', '-lcommon')
    words = native_compiler.paddle_libs(*libraries, '-l:libiomp5.so')
    # a tail call would leave the loop's name
    flag = '-fno-optimize-sibling-calls'
    content, said = native_compiler.run([flag, SOURCE, '-o', program, *words])
    if not content:
        raise RuntimeError(f'bench: {SOURCE.name}: {said[-3000:]}')


def count():
    """{loop: instructions per element} of the kernels beside this file."""
    with tempfile.TemporaryDirectory() as folder:
        program, found = Path(folder, 'loops'), Path(folder, 'callgrind.out')
        _compile(program)
        elements = _run(
            'valgrind', '--tool=callgrind', '--collect-atstart=no',
            '--toggle-collect=loop_*', f'--callgrind-out-file={found}',
            program, env=ENVIRONMENT,
        )  # fmt: skip
        shown = ('--inclusive=yes', '--threshold=100', found)
        text = _run('callgrind_annotate', *shown)
    return parse(text, int(elements.split()[-1]))
