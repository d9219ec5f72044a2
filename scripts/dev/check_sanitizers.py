"""Runs the cores of the CPU kernels under the compiler's sanitizers.

They are compiled into a library of their own (scripts/dev/sanitizers/). cases.py
calls them with random shapes on arrays that end where their memory ends, and compares
the results with numpy's. A second library has the core of the kernels, without the
headers that the speed patches bring, and a third their portable loops alone: both
have to give the same bits. AddressSanitizer and UndefinedBehaviorSanitizer look on, or
ThreadSanitizer with --tsan. Before that, faults planted in the library show that
they do.

Exit status: 0 nothing found, 1 a fault, 77 skipped because the compiler has no
sanitizers or nothing is built yet.
"""

import argparse
import os
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common import native_compiler, programs
from scripts.series import core_tree

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / 'scripts/dev/sanitizers'
SKIPPED = 77
# Checks that cost much and that AddressSanitizer makes as well, and the one of
# virtual functions, which needs type information that Paddle does not ship.
UNUSED_CHECKS = 'null,object-size,vptr'
FLAGS = {
    'asan': ('-fsanitize=address,undefined', f'-fno-sanitize={UNUSED_CHECKS}'),
    'tsan': ('-fsanitize=thread',),
}
# What has to be in Python before the library: the sanitizer, and the runtime of
# C++, whose exceptions it has to know.
LOADED = re.compile(r'lib(?:asan|tsan|stdc\+\+)\S* => (\S+)')
# Planted faults, and what is reported of them.
FAULTS = {
    'asan': {
        'over-read': 'READ of size',
        'bool': 'not a valid value for type',
        'overflow': 'signed integer overflow',
    },
    'tsan': {'race': 'data race'},
}


class Fault(Exception):
    """What went wrong, for a person."""


def made(*command):
    """Runs a compiler; the file that it makes comes last."""
    done = programs.run(*command)
    if done.returncode != 0:
        raise Fault(done.stderr)
    return command[-1]


def launch(kind, *command, **env):
    """Runs a program that a sanitizer looks on."""
    # The memory of a thread sanitizer does not fit into every random layout.
    fixed = kind == 'tsan' and shutil.which('setarch')
    words = ('setarch', '-R', *command) if fixed else command
    # What Python keeps to its end would count as leaks.
    env = {**os.environ, 'ASAN_OPTIONS': 'detect_leaks=0', **env}
    return programs.run(*words, env=env)


def run_cases(library, *arguments):
    """Runs cases.py with a library that has been made."""
    loaded = LOADED.findall(programs.run('ldd', library).stdout)
    command = (sys.executable, SOURCES / 'cases.py', library, *arguments)
    kind = library.parent.parent.name
    return launch(kind, *command, LD_PRELOAD=' '.join(loaded))


def compiler_of(kind, build):
    """The build's own compiler, without its optimisation."""
    words = native_compiler.command(build)
    plain = [word for word in words if word not in ('-O3', '-g')]
    return [*plain, *FLAGS[kind], '-fno-sanitize-recover=all', '-fPIC']


def works(compiler, kind, folder):
    """Whether a program of no content can be made and run."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / 'empty.cc'
    source.write_text('int main() {}\n')
    try:
        program = made(*compiler, source, '-o', folder / 'empty')
    except Fault:
        return False
    return launch(kind, program).returncode == 0


def build_library(compiler, kind, folder, options):
    folder.mkdir(parents=True, exist_ok=True)

    def compile_source(source):
        target = folder / f'{source.stem}.o'
        return made(*compiler, '-O1', '-g1', '-c', source, '-o', target)

    with ThreadPoolExecutor(options.jobs) as pool:
        objects = list(pool.map(compile_source, sorted(SOURCES.glob('*.cc'))))
    names = ('-lcommon', '-lpthread')
    libs = native_compiler.paddle_libs(*names, build=options.build_dir)
    flags = (*compiler[:1], *FLAGS[kind], '-shared')
    return made(*flags, *objects, *libs, '-o', folder / 'check.so')


def check_faults(library, faults):
    """Every planted fault has to be reported."""
    for name, report in faults.items():
        done = run_cases(library, 'fault', name)
        if done.returncode == 0 or report not in done.stderr:
            raise Fault(f'the planted fault {name} was not reported')


def check_kernels(library, seed, rounds):
    done = run_cases(library, seed, rounds)
    if done.returncode != 0:
        raise Fault(f'seed {seed}, {rounds} rounds:\n{done.stderr[-8000:]}')
    return done.stdout.strip()


def forms(folder):
    """Options of the compiler: what the CPU chooses, what the core does without
    the speed patches, and what serves a CPU without AVX2."""
    core = folder / 'core_tree'
    shutil.rmtree(core, ignore_errors=True)
    core_tree.write(ROOT, core)
    return {
        'usual': (),
        'core': (f'-I{core}',),
        'portable': ('-DSCATTER_OPS_PORTABLE',),
    }


def agreed(found):
    """The cases, which every form has to have had with the same bits."""
    if len(set(found.values())) > 1:
        raise Fault(f'the forms give other bits: {found}')
    return found['usual']


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tsan', action='store_true', help='look for races')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--seed', type=int, default=2026)
    parser.add_argument('--rounds', type=int, default=15)
    parser.add_argument('--jobs', '-j', type=int, default=2)
    options = parser.parse_args(arguments)
    options.build_dir = options.build_dir.absolute()
    kind = 'tsan' if options.tsan else 'asan'
    folder = options.build_dir / 'sanitizers' / kind
    start = time.monotonic()
    try:
        compiler = compiler_of(kind, options.build_dir)
    except FileNotFoundError as error:
        print(f'skipped: {error}')
        return SKIPPED
    if not works(compiler, kind, folder):
        print(f'skipped: the compiler has no {" ".join(FLAGS[kind])}')
        return SKIPPED
    try:
        found = {}
        program, *flags = compiler
        for form, chosen in forms(folder).items():
            library = build_library(
                [program, *chosen, *flags], kind, folder / form, options
            )
            check_faults(library, FAULTS[kind])
            found[form] = check_kernels(library, options.seed, options.rounds)
        cases = agreed(found)
    except Fault as fault:
        print(f'check_sanitizers: {fault}', file=sys.stderr)
        return 1
    print(f'{kind}: {cases} in {time.monotonic() - start:.0f} s: clean')
    return 0


if __name__ == '__main__':
    sys.exit(main())
