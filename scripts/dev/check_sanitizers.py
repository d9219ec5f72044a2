"""Runs the cores of the CPU kernels under the compiler's sanitizers.

They are compiled into a program of their own (scripts/dev/sanitizers/), which calls
them with random shapes on arrays that end where their memory ends, and compares
the results with plain loops. AddressSanitizer and UndefinedBehaviorSanitizer
look on, or ThreadSanitizer with --tsan. Before that, faults planted in the
program show that they do.

Exit status: 0 nothing found, 1 a fault, 77 skipped because the compiler has no
sanitizers or nothing is built yet.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

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


def compiler(build_dir):
    """How the build compiles a kernel, without its optimisation; or None."""
    path = build_dir / 'compile_commands.json'
    if not path.is_file():
        return None
    for entry in json.loads(path.read_text()):
        if 'kernels/cpu/' in entry['file']:
            words = shlex.split(entry['command'])
            kept = words[: words.index('-o')]
            return [word for word in kept if word not in ('-O3', '-g')]
    return None


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

    def __init__(self, command, kind, build_dir):
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
        libs = self._paddle_libs()
        linked = run([self.command[0], *self.kind.flags, *objects, f'-L{libs}',
                      '-lcommon', '-lpthread', f'-Wl,-rpath,{libs}',
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

    def _paddle_libs(self):
        """The folder of libcommon, which has Paddle's shapes."""
        for word in self.command:
            folder = Path(word).parent / 'libs'
            if (folder / 'libcommon.so').is_file():
                return folder
        raise Fault('no libcommon.so beside the headers of the build')

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
    command = compiler(options.build_dir)
    if command is None:
        print(f'skipped: no kernel was compiled in {options.build_dir}')
        return SKIPPED
    program = Program(command, kind, options.build_dir.resolve())
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
