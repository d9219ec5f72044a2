"""Plant the faults of faults.yaml, and say which test finds each.

In a scratch copy of the last commit. Faults of kernels and rules are compiled
together, each behind a number that the environment variable SCATTER_FAULT has.
Of the others, one at a time is in the copy: a function of python_api is put into
its Paddle, an entry of ops_yaml is built, a symbolic shape is compiled by its test.

Without --scratch it says whether the texts that faults replace still occur. The
exit code is 1 if a fault is not found or can't be planted, or if a test fails
without a fault.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from scripts.common.files import sha256, write_if_changed
from scripts.common.programs import run
from scripts.series.manifest import load_series

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# Of a fault that a test turns into a loop without an end, in seconds.
TIMEOUT = 900
HEADER = 'kernels/funcs/scatter_ops/shared/scatter_fault.h'
INCLUDE = f'#include "paddle/phi/{HEADER}"\n'
PYTHON = 'build/venv/bin/python'
BUILD = ['scripts/apply_and_build.sh']
INSTALL = [PYTHON, 'scripts/wheel/install.py', '--build-dir', 'build']
# What brings a copy up to date, in the order that faults are looked for.
WAYS = {'compiled': BUILD, 'text': ['true'], 'python': INSTALL, 'built': BUILD}


class PlantError(Exception):
    """A text that does not occur once, or a copy that can't be built."""


@dataclass
class Fault:
    """`right` in `file` becomes `faulty`; `tests` names a list of the table.

    Of a kernel, `right` is an expression, or statements: these end in ;.
    Where `faulty` has the word FAULT, it stands for all of the replacement and the
    word for the question whether the fault is on. `first`: a part of the names of
    the test files that run first. `why` no test that goes into a patch could find
    it; none is given where one could.
    """

    name: str
    file: str
    right: str
    faulty: str
    tests: str
    first: str = 'values'
    why: str = ''
    alone: bool = False
    number: int = 0

    @property
    def way(self):
        """How it gets into the copy."""
        if self.alone or self.file.startswith('ops_yaml/'):
            return 'built'
        if self.file.startswith('python_api/'):
            return 'python'
        symbolic = self.file.startswith('kernels/infer_symbolic_shape/')
        return 'text' if symbolic else 'compiled'

    @property
    def digest(self):
        return sha256(f'{self.file}\0{self.right}\0{self.faulty}'.encode())

    def replacement(self):
        if self.way != 'compiled':
            return self.faulty
        asked = f'scatter_fault({self.number})'
        if 'FAULT' in self.faulty:
            return self.faulty.replace('FAULT', asked)
        if self.right.endswith(';'):
            return f'if ({asked}) {{ {self.faulty} }} else {{ {self.right} }}'
        return f'({asked} ? ({self.faulty}) : ({self.right}))'


def read_table():
    """The faults, and {name: globs} of lists of tests."""
    table = yaml.safe_load((HERE / 'faults.yaml').read_text(encoding='utf-8'))
    entries = enumerate(table['faults'], 1)
    faults = [Fault(number=number, **entry) for number, entry in entries]
    if len({fault.name for fault in faults}) < len(faults):
        raise PlantError('two faults have the same name')
    return faults, table['tests']


def misplaced(fault, text):
    """Whether the text does not occur once; says so."""
    count = text.count(fault.right)
    if count != 1:
        print(f'{fault.name}: {fault.file} has its text {count} times')
    return count != 1


def planted(text, faults):
    """The text with its faults, by their places in the text as it was."""
    spans = [(text.index(fault.right), fault) for fault in faults]
    spans.sort(key=lambda span: span[0])
    for (at, fault), (later, other) in zip(spans, spans[1:]):
        if at + len(fault.right) > later:
            raise PlantError(f'{fault.name} and {other.name} overlap')
    for at, fault in reversed(spans):
        text = text[:at] + fault.replacement() + text[at + len(fault.right) :]
    return text


class Scratch:
    """A copy of the project, its build, and the faults in it."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.tree = self.folder / 'tree'

    def git(self, *words):
        return run('git', '-C', self.tree, *words, check=True).stdout

    def refresh(self):
        """Brings the copy to the last commit of the project, but for the times of
        files that plant() writes, or nothing would stay compiled."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.tree.is_dir():
            run('git', 'clone', '--quiet', ROOT, self.tree, check=True)
        self.git('fetch', '--quiet', str(ROOT), 'HEAD')
        self.git('reset', '--quiet', 'FETCH_HEAD')
        self.git('clean', '--quiet', '-d', '--force', '--exclude', HEADER)

    def original(self, file):
        return self.git('show', f'HEAD:{file}')

    def put(self, file, text):
        write_if_changed(self.tree / file, text.encode())

    def plant(self, faults):
        """These in the copy, and no others; what stays as it is, is not
        compiled again."""
        wanted = {}
        for fault in faults:
            wanted.setdefault(fault.file, []).append(fault)
        for file in set(self.git('diff', '--name-only').split()) - set(wanted):
            self.put(file, self.original(file))
        for file, here in wanted.items():
            text = planted(self.original(file), here)
            if any(fault.way == 'compiled' for fault in here):
                text = text.replace('#include', f'{INCLUDE}#include', 1)
            self.put(file, text)
        header = (HERE / 'scatter_fault.h').read_text(encoding='utf-8')
        self.put(HEADER, header)

    def make(self, way):
        """Whether the copy could be brought up to date."""
        with open(self.folder / 'build.log', 'w', encoding='utf-8') as log:
            at = {'cwd': self.tree, 'stdout': log, 'stderr': log}
            return subprocess.run(WAYS[way], **at).returncode == 0

    def test(self, file, number=0):
        """The first test of a file that fails, or None."""
        last = self.folder / 'last_test'
        last.write_text(file, encoding='utf-8')  # fails before its tests
        places = ['unittests/harness', 'unittests', '.', str(HERE)]
        command = [PYTHON, '-m', 'pytest', '-q', '-x', file]
        command += ['-p', 'no:cacheprovider', '-p', 'last_test']
        env = {
            **os.environ,
            'LAST_TEST': str(last),
            'PYTHONDONTWRITEBYTECODE': '1',
            'PYTHONPATH': ':'.join(places),
            'SCATTER_FAULT': str(number),
        }
        with open(self.folder / 'test.log', 'w', encoding='utf-8') as log:
            at = {'cwd': self.tree, 'stdout': log, 'stderr': log, 'env': env}
            try:
                if not subprocess.run(
                    command, timeout=TIMEOUT, **at
                ).returncode:
                    return None
            except subprocess.TimeoutExpired:
                pass  # the test that was started last is the one
        return last.read_text(encoding='utf-8')


class Results:
    """Lines of a file: which test of a file failed with a fault, or none."""

    def __init__(self, path, resume):
        self.path, self.known = path, {}
        if not (resume and path.is_file()):
            path.write_text('', encoding='utf-8')
        for line in path.read_text(encoding='utf-8').splitlines():
            key, _, test, _ = json.loads(line)
            self.known[key] = test

    def of(self, digest, name, file, ask):
        """The test, by ask() if it is not known yet."""
        key = f'{digest} {file}'
        if key not in self.known:
            start = time.monotonic()
            test = self.known[key] = ask()
            seconds = round(time.monotonic() - start)
            with open(self.path, 'a', encoding='utf-8') as lines:
                lines.write(json.dumps([key, name, test, seconds]) + '\n')
            outcome = test or f'{file} passes'
            print(f'{seconds:5} s  {name}: {outcome}', flush=True)
        return self.known[key]


@dataclass
class Tests:
    """The test files of a copy; those that go into patches come first."""

    tree: Path
    globs: dict
    upstream: set
    only: str

    def files(self, name):
        paths = {x for glob in self.globs[name] for x in self.tree.glob(glob)}
        files = {path.relative_to(self.tree).as_posix() for path in paths}
        return {file for file in files if fnmatch(file, self.only)}

    def of(self, fault):
        own = self.files(fault.tests)

        def place(file):
            likely = file in own, fault.first in file
            late = file not in self.upstream and not fault.why
            return late, *(not x for x in likely), file

        return sorted(own | self.files('all'), key=place)


class Hunt:
    """Runs the test files of each fault until one fails."""

    def __init__(self, scratch, results, files, compiled):
        self.scratch, self.results = scratch, results
        self.files, self.compiled = files, compiled
        self.inside = None  # the fault in the copy besides the compiled ones
        self.found, self.bad = {}, set()

    def run(self, faults):
        self.scratch.plant(self.compiled)
        if not self.scratch.make('compiled'):
            raise PlantError(f'no build: see {self.scratch.folder}/build.log')
        for file in sorted(set().union(*self.files.values())):
            test = partial(self.scratch.test, file)
            if self.results.of('', 'no fault', file, test):
                self.bad.add(file)
        # The likely file of each first: it finds most of them.
        for depth in range(max(map(len, self.files.values()))):
            for fault in faults:
                if fault.way == 'compiled':
                    self.ask(fault, self.files[fault.name][depth : depth + 1])
        for fault in sorted(faults, key=lambda f: list(WAYS).index(f.way)):
            self.ask(fault, self.files[fault.name])

    def ask(self, fault, files):
        for file in files:
            if file not in self.bad and not self.found.get(fault.name):
                ask = partial(self.test, fault, file)
                test = self.results.of(fault.digest, fault.name, file, ask)
                self.found[fault.name] = test

    def test(self, fault, file):
        """The test of a file that finds a fault, or None."""
        if fault.way == 'compiled':
            return self.scratch.test(file, fault.number)
        if self.inside is not fault:
            self.inside = fault
            self.scratch.plant([*self.compiled, fault])
            if not self.scratch.make(fault.way):
                return 'the build'
        return self.scratch.test(file)


def report(faults, found, upstream):
    """The table; returns the names of the faults that nothing finds."""
    print('\n| fault | found by | the test goes to |\n|---|---|---|')
    missed = [fault.name for fault in faults if not found.get(fault.name)]
    for fault in faults:
        test = found.get(fault.name) or 'NOT FOUND'
        where = '' if fault.name in missed else 'the wheel alone'
        if test.partition('::')[0] in upstream:
            where = 'upstream'
        elif not fault.why:
            where += ' (a test upstream could)'
        print(f'| {fault.name} | {test} | {where.strip()} |')
    print(f'\n{len(faults) - len(missed)} of {len(faults)} faults found')
    return missed


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add('--scratch', metavar='DIR', help='folder for the copy and the results')
    add('--only', nargs='+', metavar='NAME', help='these faults (wildcards)')
    add('--tests', default='*', metavar='GLOB', help='these test files')
    add('--resume', action='store_true', help='go on with the results in DIR')
    return parser.parse_args()


def main():
    args = parse_args()
    table, globs = read_table()
    scratch = Scratch(args.scratch) if args.scratch else None
    if scratch:
        scratch.refresh()
    read = scratch.original if scratch else lambda f: (ROOT / f).read_text()
    wrong = [f for f in table if misplaced(f, read(f.file))]
    if wrong or not scratch:
        print(f'{len(table) - len(wrong)} of {len(table)} can be planted')
        return bool(wrong)
    named = args.only or ['*']
    faults = [f for f in table if any(fnmatch(f.name, n) for n in named)]
    patches = load_series(ROOT).patches
    upstream = {source for patch in patches for source in patch.sources}
    tests = Tests(scratch.tree, globs, upstream, args.tests)
    files = {fault.name: tests.of(fault) for fault in faults}
    results = Results(scratch.folder / 'results.jsonl', args.resume)
    compiled = [f for f in table if f.way == 'compiled']
    hunt = Hunt(scratch, results, files, compiled)
    hunt.run(faults)
    missed = report(faults, hunt.found, upstream)
    for file in sorted(hunt.bad):
        print(f'{file} fails without a fault')
    return bool(missed or hunt.bad)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except PlantError as error:
        sys.exit(f'plant: {error}')
