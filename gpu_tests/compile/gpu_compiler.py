"""Compile CUDA sources: nvcc, what it reports, and when to skip it.

A source is compiled again only if it, a header that it may include, the flags
or nvcc have changed.
"""

import argparse
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scripts.common.files import file_sha256, read_json, sha256, write_json
from scripts.common.programs import run

SKIPPED = 77  # the exit code that ctest shows as "skipped"
ARCHITECTURES = ('80', '90')
FLAGS = (
    '-std=c++17', '-O3', '--expt-relaxed-constexpr', '--expt-extended-lambda',
    '-diag-suppress', '20012', '-Xcompiler', '-fPIC', '-Xptxas', '-v',
    '-DPADDLE_WITH_CUDA',
)  # fmt: skip
SHOWN_LINES = 40
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_ENTRY = re.compile(r"Compiling entry function '(\w+)' for '(\w+)'")
_SPILL = re.compile(r'(\d+) bytes spill stores, (\d+) bytes spill loads')
_REGISTERS = re.compile(r'Used (\d+) registers')


def command_line(doc):
    """What the checks and the build have in common, as an argument parser."""
    parser = argparse.ArgumentParser(description=doc.split('\n')[0])
    parser.add_argument('--build-dir', type=Path, help='default: build')
    parser.add_argument('--jobs', '-j', type=int, default=2)
    return parser


@dataclass(frozen=True)
class Outcome:
    """What became of one source."""

    source: Path
    error: str = ''
    seconds: float = 0.0
    registers: int = 0
    spills: tuple = ()
    fresh: bool = True

    @property
    def failed(self):
        return bool(self.error or self.spills)

    def describe(self):
        """One line, and what went wrong."""
        took = f'{self.seconds:.1f} s' if self.fresh else 'unchanged'
        line = f'{self.source.name:<40} {took:>10}'
        if self.error:
            return f'{line}  FAILED\n{self.error}'
        if self.registers:
            verdict = 'SPILLS' if self.spills else 'no spills'
            line += f'{self.registers:>5} registers  {verdict}'
        return '\n    '.join([line, *self.spills])


def find_nvcc(name='nvcc'):
    """The path of the compiler, or None."""
    return shutil.which(name)


def parse_report(text):
    """(most registers, functions that spill) of what ptxas said."""
    name, machine, spills = '', '', []
    for line in text.splitlines():
        entry = _ENTRY.search(line)
        if entry:
            name, machine = entry.groups()
        spill = _SPILL.search(line)
        if spill and (int(spill[1]) or int(spill[2])):
            spills.append(f'{demangled(name)} for {machine}: {spill[0]}')
    registers = [int(found) for found in _REGISTERS.findall(text)]
    return max(registers, default=0), tuple(spills)


def demangled(name):
    """A C++ name as a person would write it, where binutils are there."""
    if shutil.which('c++filt') is None:
        return name
    return run('c++filt', name).stdout.strip() or name


def without_report(text):
    """What a compiler said but for ptxas' figures."""
    noise = re.compile(r'^ptxas info|^\s+\d+ bytes stack frame')
    return [x for x in text.splitlines() if not noise.match(x)]


def included(source, roots):
    """A source and every file below `roots` that it may include, sorted."""
    found, new = set(), [Path(source)]
    while new:
        path = new.pop()
        if path in found:
            continue
        found.add(path)
        text = path.read_text(encoding='utf-8', errors='replace')
        for name in _INCLUDE.findall(text):
            places = [root / name for root in (path.parent, *map(Path, roots))]
            new += [place for place in places if place.is_file()][:1]
    return sorted(found)


def nvcc_flags(architectures=ARCHITECTURES):
    """FLAGS for some machines."""
    flags = list(FLAGS)
    for arch in architectures:
        flags += ['-gencode', f'arch=compute_{arch},code=sm_{arch}']
    return flags


class Compiler:
    """A compiler with all its flags, and the folder of its results.

    `roots` are include folders of ours, whose files count for whether a
    source has changed; `system` are those of others, for which `extra` stands.
    """

    def __init__(self, program, flags, folder, roots, system=(), extra=''):
        self.program = list(program)
        self.folder = Path(folder)
        self.roots = [Path(root) for root in roots]
        self.flags = [*flags, *(f'-I{root}' for root in self.roots)]
        for path in system:
            self.flags += ['-isystem', str(path)]
        said = run(*self.program, '--version').stdout
        # Whatever else a result depends on.
        self.key = '\n'.join([*self.flags, said, extra])

    def object_of(self, source):
        return self.folder / f'{Path(source).stem}.o'

    def digest(self, source):
        """Everything that a result depends on, as one number."""
        files = included(source, self.roots)
        hashes = [f'{path}\0{file_sha256(path)}' for path in files]
        return sha256('\n'.join([self.key, *hashes]).encode())

    def compile(self, source, keep=True):
        """The Outcome of one source. Without `keep` its object is dropped."""
        source = Path(source)
        stamp = self.folder / f'{source.stem}.json'
        target = self.object_of(source)
        digest = self.digest(source)
        known = read_json(stamp).get(digest)
        if known and (target.is_file() or not keep):
            return Outcome(source, **known, fresh=False)
        stamp.unlink(missing_ok=True)
        outcome = self._run(source, target)
        if not keep:
            target.unlink(missing_ok=True)
        if not outcome.error:
            names = ('seconds', 'registers', 'spills')
            facts = {name: getattr(outcome, name) for name in names}
            write_json(stamp, {digest: facts})
        return outcome

    def compile_all(self, sources, jobs, keep=True):
        """Yields the Outcome of each source, in order."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(lambda x: self.compile(x, keep), sources)

    def check_all(self, check, sources, machines, options):
        """Prints what becomes of each source, and the last line of `check`; its
        exit status."""
        sources = [path for path in sources if options.only in path.name]
        start, failed = time.monotonic(), []
        for outcome in self.compile_all(sources, options.jobs, keep=False):
            print(outcome.describe(), flush=True)
            if outcome.failed:
                failed.append(outcome.source.name)
        seconds = time.monotonic() - start
        verdict = f'FAILED: {", ".join(failed)}' if failed else 'clean'
        print(
            f'{check}: {len(sources)} files for {", ".join(machines)} in '
            f'{seconds:.0f} s: {verdict}'
        )
        return 1 if failed else 0

    def _run(self, source, target):
        start = time.monotonic()
        done = run(*self.program, *self.flags, '-c', source, '-o', target)
        seconds = time.monotonic() - start
        said = done.stdout + done.stderr
        if done.returncode:
            lines = without_report(said)[:SHOWN_LINES]
            error = '\n'.join(f'    {line}' for line in lines)
            return Outcome(source, error or '    no message', seconds)
        return Outcome(source, '', seconds, *parse_report(said))
