"""Runs the cores of the CPU kernels under the compiler's sanitizers.

They are compiled into a program of their own (scripts/dev/sanitizers/), which calls
them with random shapes on arrays that end where their memory ends, and compares the
results with plain loops. AddressSanitizer and UndefinedBehaviorSanitizer look on, or
ThreadSanitizer with --tsan. Before that, faults planted in the program show that
they do.

Exit status: 0 nothing found, 1 a fault, 77 skipped because the compiler has no
sanitizers or nothing is built yet.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common import native_compiler

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / 'scripts/dev/sanitizers'
SKIPPED = 77
# Checks that cost much and that AddressSanitizer makes as well, and the one of
# virtual functions, which needs type information that Paddle does not ship.
UNUSED_CHECKS = 'null,object-size,vptr'


@dataclass
class Kind:
    """A choice of sanitizers, and the planted faults that they report."""

    name: str
    flags: list
    faults: dict
    launcher: list = field(default_factory=list)


ADDRESS = Kind(
    'asan',
    ['-fsanitize=address,undefined', f'-fno-sanitize={UNUSED_CHECKS}'],
    {
        'over-read': 'heap-buffer-overflow',
        'bool': 'not a valid value for type',
        'overflow': 'signed integer overflow',
    },
)
# Its memory layout does not fit into every randomized address space.
THREAD = Kind(
    'tsan',
    ['-fsanitize=thread'],
    {'race': 'data race'},
    ['setarch', '-R'] if shutil.which('setarch') else [],
)


class Fault(Exception):
    """What went wrong, for a person."""


def run(command, **options):
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        encoding='utf-8',
        errors='replace',
        **options,
    )


class Program:
    """The program of the checks, as one kind of sanitizer wants it."""

    def __init__(self, kind, build_dir):
        # without its optimisation
        command = [
            word
            for word in native_compiler.command(build_dir)
            if word not in ('-O3', '-g')
        ]
        self.libs = native_compiler.paddle_libs(
            '-lcommon', '-lpthread', build=build_dir
        )
        self.command = [*command, *kind.flags, '-fno-sanitize-recover=all']
        self.kind = kind
        self.folder = build_dir / 'sanitizers' / kind.name
        self.path = self.folder / 'check'

    def works(self):
        """Whether a program of no content can be made and run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        source, program = self.folder / 'empty.cc', self.folder / 'empty'
        source.write_text('int main() {}\n')
        made = run([*self.command, source, '-o', program])
        return made.returncode == 0 and self.launch(program).returncode == 0

    def build(self, jobs):
        with ThreadPoolExecutor(jobs) as pool:
            objects = list(
                pool.map(self._compile, sorted(SOURCES.glob('*.cc')))
            )
        linked = run([*self.command[:1], *self.kind.flags, *objects, *self.libs,
                      '-o', self.path])  # fmt: skip
        if linked.returncode != 0:
            raise Fault(linked.stderr)

    def _compile(self, source):
        target = self.folder / (source.stem + '.o')
        done = run(
            [*self.command, '-O1', '-g1', '-c', source, '-o', target],
        )
        if done.returncode != 0:
            raise Fault(done.stderr)
        return target

    def launch(self, program, *arguments):
        # The symbols of a release that is not instrumented would count as leaks.
        choices = {'ASAN_OPTIONS': 'detect_leaks=0'}
        return run(
            [*self.kind.launcher, program, *arguments],
            env={**os.environ, **choices},
        )


def check_faults(program):
    """Every planted fault has to be reported."""
    for name, report in program.kind.faults.items():
        done = program.launch(program.path, 'fault', name)
        if done.returncode == 0 or report not in done.stderr:
            raise Fault(f'the planted fault {name} was not reported')


def check_kernels(program, seed, rounds):
    done = program.launch(program.path, str(seed), str(rounds))
    if done.returncode != 0:
        raise Fault(f'seed {seed}, {rounds} rounds:\n{done.stderr[-8000:]}')
    return done.stdout.strip()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tsan', action='store_true', help='look for races')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--seed', type=int, default=2026)
    parser.add_argument('--rounds', type=int, default=15)
    parser.add_argument('--jobs', '-j', type=int, default=2)
    options = parser.parse_args(arguments)
    kind = THREAD if options.tsan else ADDRESS
    start = time.monotonic()
    try:
        program = Program(kind, options.build_dir.absolute())
    except FileNotFoundError as error:
        print(f'skipped: {error}')
        return SKIPPED
    if not program.works():
        print(f'skipped: the compiler has no {" ".join(kind.flags)}')
        return SKIPPED
    try:
        program.build(options.jobs)
        check_faults(program)
        cases = check_kernels(program, options.seed, options.rounds)
    except Fault as fault:
        print(f'check_sanitizers: {fault}', file=sys.stderr)
        return 1
    print(f'{kind.name}: {cases} in {time.monotonic() - start:.0f} s: clean')
    return 0


if __name__ == '__main__':
    sys.exit(main())
