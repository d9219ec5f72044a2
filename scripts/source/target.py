"""The source target: apply_and_build.sh --source DIR.

Looks at the checkout and the machine, applies the series with git am, builds
Paddle with its own cmake, installs the wheel into an environment of its own
and runs the tests of the operators. Needs only the standard library.
"""

import argparse
import shlex
import sys
from pathlib import Path

from scripts.common.command_line import default_jobs, exit_status, positive
from scripts.common.files import sha256
from scripts.common.prerequisites import check_tool
from scripts.common.steps import Runner, StepFailed, build_lock
from scripts.series.patch_series import SeriesError, added_files
from scripts.source.build import PARTS, WORK, build_steps
from scripts.source.checkout import AM, Checkout, TreeError
from scripts.source.checks import (
    MEMORY_PER_JOB,
    Finding,
    look_at_machine,
    look_at_tree,
)

PATCHES = Path(__file__).resolve().parents[2] / 'patches'

EPILOG = """\
examples:
  scripts/apply_and_build.sh --source ~/Paddle --dry-run      look, do nothing
  scripts/apply_and_build.sh --source ~/Paddle --only apply   only the patches
  scripts/apply_and_build.sh --source ~/Paddle                all; takes hours
  scripts/apply_and_build.sh --source ~/Paddle --gpu --cmake=-DCUDA_ARCH_NAME=Hopper
  scripts/apply_and_build.sh --source ~/Paddle --undo
"""


def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog='scripts/apply_and_build.sh',
        description='Source target: apply the patches to a Paddle checkout, '
        'build it, install the wheel into an environment of its own, test.',
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add('--source', type=Path, required=True, metavar='DIR',
        help='the Paddle checkout')  # fmt: skip
    add('--only', choices=PARTS, help='run one part')
    add('--undo', action='store_true',
        help='take the patches out: back to the exact commit')  # fmt: skip
    add('--dry-run', action='store_true',
        help='look, print every command, change nothing')  # fmt: skip
    add('--gpu', action='store_true',
        help="build with CUDA, for this machine's GPU")  # fmt: skip
    add('--jobs', '-j', type=positive, metavar='N',
        help='compile jobs (default: from the cores and the memory)')  # fmt: skip
    add('--build-dir', type=Path, metavar='D',
        help='build folder (default: DIR/build)')  # fmt: skip
    add('--cmake', action='append', default=[], metavar='-DX=Y',
        help='a further option for cmake: --cmake=-DWITH_X=ON')  # fmt: skip
    add('--python', metavar='P', help='Python to build for')
    add('--patches', type=Path, default=PATCHES, metavar='D',
        help='another patch folder')  # fmt: skip
    args = parser.parse_args(argv)
    if args.undo and args.only:
        parser.error('--undo goes alone')
    args.jobs = args.jobs or default_jobs(MEMORY_PER_JOB[args.gpu])
    args.source = args.source.expanduser().absolute()
    args.build_dir = (args.build_dir or args.source / 'build').resolve()
    return args


class SourceSeries:
    """The patches in order, their base, and the files that they add."""

    def __init__(self, folder):
        lines = Path(folder, 'BASE').read_text('utf-8').splitlines()
        base = dict(line.split(': ') for line in lines)
        self.tag, self.commit = base['tag'], base['commit']
        names = Path(folder, 'series').read_text('utf-8').split()
        self.paths = [str(Path(folder, name)) for name in names]
        self.added = added_files(map(Path, self.paths))

    def text(self):
        """All patches as one, since they lean on each other."""
        return ''.join(Path(path).read_text('utf-8') for path in self.paths)

    def digest(self):
        """Changes with every byte of the patches."""
        return sha256(self.text().encode())


def show_findings(findings):
    """Prints everything that was found, faults first."""
    for stops, title in ((True, 'To be put right'), (False, 'To know')):
        chosen = [f for f in findings if f.stops is stops]
        if chosen:
            print(f'{title}:')
        for number, finding in enumerate(chosen, 1):
            print(f'  {number}. {finding.text}')
            if finding.remedy:
                print(f'     -> {finding.remedy}')


def look(args, checkout, series):
    """(findings, whether the series is applied) for the parts that are to run."""
    findings, applied = look_at_tree(checkout, series)
    if args.only != 'apply':
        findings += look_at_machine(args.build_dir, args.gpu)
        if args.only and not applied:
            text = 'The series is not applied yet.'
            findings.append(Finding(text, 'First: --only apply'))
    return findings, applied


def apply(args, checkout, series, applied):
    count = len(series.paths)
    if applied:
        print(f'The {count} patches are already applied.')
    elif args.dry_run:
        words = ('git', '-C', str(checkout.folder), *AM, *series.paths)
        print(f'[apply]\n    {shlex.join(words)}')
    else:
        start = checkout.short(checkout.apply(series.paths, series.digest()))
        print(f'Applied {count} patches on {start}. To take them out: --undo.')


def build(args):
    """The steps of the chosen parts, run or shown."""
    parts = build_steps(args)
    chosen = [args.only] if args.only else PARTS
    steps = [step for part in chosen for step in parts.get(part, [])]
    work = args.build_dir / WORK
    if steps and args.dry_run:
        print(f'    mkdir -p {work} && cd {args.build_dir}')
        Runner(work, steps, args.build_dir).dry_run()
    elif steps:
        print(f'Building in {args.build_dir}; logs: {WORK}/logs')
        with build_lock(work) as lock:
            Runner(work, steps, args.build_dir, lock_fd=lock).run()


def run(args):
    """Exit status of the whole run."""
    checkout = Checkout(args.source)
    if args.undo:
        start = checkout.record().get('start', 'nothing: not applied')
        dry = f'Dry run: --undo would go back to {start}.'
        print(dry if args.dry_run else checkout.undo())
        return 0
    series = SourceSeries(args.patches.absolute())
    findings, applied = look(args, checkout, series)
    show_findings(findings)
    stops = sum(finding.stops for finding in findings)
    if args.dry_run:
        print('Dry run: nothing is changed.')
    if args.dry_run or not stops:
        if args.only in (None, 'apply'):
            apply(args, checkout, series, applied)
        build(args)
    if stops:
        print(f'Stopped: {stops} to be put right; the checkout is unchanged.')
    print('Not done.' if stops else 'Done.')
    return 1 if stops else 0


def main(argv):
    args = parse_args(argv)
    missing = check_tool('git', (2, 20), 'git', 'git')
    if missing:
        print(f'{missing[0].what}: {missing[0].found}', file=sys.stderr)
        return 1
    return exit_status(lambda: run(args), StepFailed, TreeError, SeriesError)
