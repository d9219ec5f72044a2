"""Runs the cores of the CPU kernels under the compiler's sanitizers.

A program of their own (scripts/dev/sanitizers/) calls them with random shapes on
arrays that end where their memory ends. It is made three times: as the CPU chooses,
with the core of the kernels alone, without the headers that the speed patches bring,
and with the portable loops alone. All have to give the same bits; that these are right
is for the tests of the operators. AddressSanitizer and UndefinedBehaviorSanitizer look
on, or ThreadSanitizer with --tsan. Planted faults show that they do.

Exit status: 0 nothing found, 1 a fault or nothing built yet, 77 skipped because the
compiler has no sanitizers.
"""

import argparse
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common import native_compiler, programs
from scripts.series.manifest import read_manifest
from scripts.series.patch_repo import write_tree
from scripts.series.tree_edits import (
    changed_sources,
    source_text,
    upstream_path,
)

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / 'scripts/dev/sanitizers'
SKIPPED = 77
# Left out are checks that cost much and that AddressSanitizer makes as well, and the
# one of virtual functions, which needs type information that Paddle does not ship.
UNUSED = '-fno-sanitize=null,object-size,vptr'
END = '-fno-sanitize-recover=all'
FLAGS = {
    'asan': ('-fsanitize=address,undefined', UNUSED, END),
    'tsan': ('-fsanitize=thread',),
}
# Planted faults, and what is reported of them.
FAULTS = {
    'asan': {
        'over-read': 'READ of size',
        'overflow': 'signed integer overflow',
    },
    'tsan': {'race': 'data race'},
}


def write_core(folder):
    """The headers that ask one of a speed patch first, without the lines that do.
    Whoever puts the folder in front of the sources compiles the core alone."""
    speed = read_manifest(ROOT).pull_request('speed')
    texts = {
        upstream_path(source): source_text(ROOT, source, speed)
        for source in set().union(*map(changed_sources, speed))
    }
    write_tree(folder, texts)


def made(*command):
    """Runs a compiler; the file that it makes comes last."""
    done = programs.run(*command)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return command[-1]


def launch(kind, *command):
    """Runs a program that a sanitizer looks on."""
    # The memory of a thread sanitizer does not fit into every random layout.
    fixed = kind == 'tsan' and shutil.which('setarch')
    return programs.run(*(('setarch', '-R') if fixed else ()), *command)


def build_program(kind, folder, build, *chosen):
    """The program, compiled as the build does, with some more options."""
    folder.mkdir(parents=True, exist_ok=True)
    compiler, *words = native_compiler.command(build)
    # Ours come first on the include path, and last of those that contradict.
    words = [*chosen, *words, *FLAGS[kind], '-O1', '-g1', '-c']

    def compile_source(source):
        target = folder / f'{source.stem}.o'
        return made(compiler, *words, source, '-o', target)

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_source, SOURCES.glob('*.cc')))
    names = ('-lcommon', '-lpthread')
    libs = native_compiler.paddle_libs(*names, build=build)
    return made(compiler, *FLAGS[kind], *objects, *libs, '-o', folder / 'check')


def has_sanitizers(kind, folder, build):
    """Whether a program of no content can be made and run."""
    compiler, program = native_compiler.command(build)[0], folder / 'empty'
    folder.mkdir(parents=True, exist_ok=True)
    words = (*FLAGS[kind], '-x', 'c++', '-', '-o', program)
    done = programs.run(compiler, *words, input='int main() {}')
    return done.returncode == 0 and launch(kind, program).returncode == 0


def check(kind, program, *arguments):
    """Every planted fault has to be reported, and no other; the cases."""
    for name, report in FAULTS[kind].items():
        done = launch(kind, program, name)
        if report not in done.stderr:
            sys.exit(f'the planted fault {name} was not reported')
    done = launch(kind, program, *arguments)
    if done.returncode != 0:
        sys.exit(f'{program} {arguments}:\n{done.stderr[-8000:]}')
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tsan', action='store_true', help='look for races')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--seed', type=int, default=2026)
    parser.add_argument('--rounds', type=int, default=40)
    options = parser.parse_args()
    build = options.build_dir.absolute()
    kind = 'tsan' if options.tsan else 'asan'
    folder = build / 'sanitizers' / kind
    start = time.monotonic()
    if not has_sanitizers(kind, folder, build):
        print(f'skipped: the compiler has no {" ".join(FLAGS[kind])}')
        return SKIPPED
    shutil.rmtree(folder / 'core_tree', ignore_errors=True)
    write_core(folder / 'core_tree')
    found = {}
    for form, chosen in {
        'usual': (),
        'core': (f'-I{folder}/core_tree',),
        'portable': ('-DSCATTER_OPS_PORTABLE',),
    }.items():
        program = build_program(kind, folder / form, build, *chosen)
        found[form] = check(kind, program, options.seed, options.rounds)
    if len(set(found.values())) > 1:
        sys.exit(f'the forms give other bits: {found}')
    seconds = time.monotonic() - start
    print(f'{kind}: {found["usual"]} in {seconds:.0f} s: clean')
    return 0


if __name__ == '__main__':
    sys.exit(main())
