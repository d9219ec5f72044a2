"""The source target: apply_and_build.sh --source DIR.

Looks at the checkout and the machine, applies the series with git am, builds
Paddle with its own cmake, installs the wheel into an environment of its own
and runs the tests of the operators. Needs only the standard library.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from pathlib import Path

from scripts.common.command_line import default_jobs, exit_status, positive
from scripts.common.prerequisites import check_tool
from scripts.common.steps import StepFailed, build_lock
from scripts.series.patch_series import SeriesError
from scripts.source.apply import apply_series, read_record, undo
from scripts.source.build import PARTS, TESTS, WORK, LongRunner, build_steps
from scripts.source.checks import Finding, look_at_tree
from scripts.source.git import Checkout, TreeError
from scripts.source.machine import MEMORY_PER_JOB, look_at_machine
from scripts.source.series import load

PATCHES = Path(__file__).resolve().parents[2] / 'patches'

EPILOG = """\
examples:
  scripts/apply_and_build.sh --source ~/Paddle --dry-run      look, do nothing
  scripts/apply_and_build.sh --source ~/Paddle --only apply   only the patches
  scripts/apply_and_build.sh --source ~/Paddle                all; takes hours
  scripts/apply_and_build.sh --source ~/Paddle --gpu --arch 90
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
    add('--force-base', action='store_true',
        help='also on another commit than the base; three-way')  # fmt: skip
    add('--dry-run', action='store_true',
        help='look, print every command, change nothing')  # fmt: skip
    add('--gpu', action='store_true', help='build with CUDA')
    add('--arch', metavar='A', type=arch,
        help='with --gpu: compute capabilities (90, or 80,90) or a name of '
        "Paddle's CUDA_ARCH_NAME (default: Auto, this machine's)")  # fmt: skip
    add('--jobs', '-j', type=positive, metavar='N',
        help='compile jobs (default: from the cores and the memory)')  # fmt: skip
    add('--build-dir', type=Path, metavar='D',
        help='build folder (default: DIR/build)')  # fmt: skip
    add('--cmake', action='append', default=[], metavar='-DX=Y',
        help='a further option for cmake: --cmake=-DWITH_X=ON')  # fmt: skip
    add('--tests', metavar='REGEX', default=TESTS,
        help='for ctest -R (default: %(default)s)')  # fmt: skip
    add('--python', metavar='P', help='Python to build for')
    add('--patches', type=Path, default=PATCHES, metavar='D',
        help='another patch folder')  # fmt: skip
    args = parser.parse_args(argv)
    if args.arch and not args.gpu:
        parser.error('--arch needs --gpu')
    if args.undo and args.only:
        parser.error('--undo goes alone')
    args.jobs = args.jobs or default_jobs(MEMORY_PER_JOB[args.gpu])
    return args


def arch(text):
    if not re.match(r'^[A-Za-z0-9.,; ]+$', text):
        raise argparse.ArgumentTypeError(f'{text!r} is no architecture')
    return text


def show_findings(findings, say):
    """Prints everything that was found, faults first."""
    for stops, title in ((True, 'To be put right'), (False, 'To know')):
        chosen = [f for f in findings if f.stops is stops]
        if chosen:
            say(f'{title}:')
        for number, finding in enumerate(chosen, 1):
            say(f'  {number}. {finding.text}')
            if finding.remedy:
                say(f'     -> {finding.remedy}')


def look(args, checkout, series, build):
    """(TreeReport, all findings) for the parts that are to run."""
    building = args.only in (None, 'configure', 'build', 'test')
    report = look_at_tree(checkout, series, args.force_base, building)
    findings = list(report.findings)
    if building:
        findings += look_at_machine(build, args.gpu)
    if args.only not in (None, 'apply') and not report.applied:
        findings.append(
            Finding('The series is not applied yet.', 'First: --only apply')
        )
    return report, findings


def chosen_steps(args, series, build):
    """The steps of one part, or of all parts in order."""
    steps = build_steps(args.source, build, series.folder, args)
    parts = [args.only] if args.only else PARTS
    return [step for part in parts for step in steps.get(part, [])]


def apply(checkout, series, report, say):
    if report.applied:
        say(f'The {len(series.patches)} patches are already applied.')
        return
    start = apply_series(checkout, series, report.three_way)
    say(
        f'Applied {len(series.patches)} patches on {checkout.short(start)}. '
        'To take them out: --undo.'
    )


def show_apply(checkout, series, report, say):
    """What a person would type to apply the series."""
    flags = ['--keep-non-patch', *(['--3way'] if report.three_way else [])]
    command = ['git', '-C', checkout.folder, 'am', *flags, *series.paths]
    shown = ' '.join(shlex.quote(str(part)) for part in command)
    say(
        'The patches are already applied.'
        if report.applied
        else f'[apply]\n    {shown}'
    )


def run_steps(build, steps, jobs, say):
    (build / WORK).mkdir(parents=True, exist_ok=True)
    say(f'Building in {build} with {jobs} jobs; logs: {WORK}/logs')
    with build_lock(build / WORK) as lock:
        LongRunner(build / WORK, steps, build, lock_fd=lock).run()


def show_steps(build, steps, say):
    say(f'    mkdir -p {build / WORK} && cd {build}')
    LongRunner(build / WORK, steps, build).dry_run()


def run(args, say=print):
    """Exit status of the whole run."""
    args.source = args.source.expanduser().absolute()
    checkout, series = Checkout(args.source), load(args.patches.absolute())
    if args.undo:
        say(undo_text(args, checkout))
        return 0
    build = (args.build_dir or args.source / 'build').resolve()
    report, findings = look(args, checkout, series, build)
    show_findings(findings, say)
    stops = sum(finding.stops for finding in findings)
    if args.dry_run:
        say('Dry run: nothing is changed.')
    if args.dry_run or not stops:
        go(args, checkout, series, report, build, say)
    if stops:
        say(f'Stopped: {stops} to be put right; the checkout is unchanged.')
    return 1 if stops else 0


def go(args, checkout, series, report, build, say):
    """Applies, then runs the steps of the chosen parts; or shows them."""
    if args.only in (None, 'apply'):
        chosen = show_apply if args.dry_run else apply
        chosen(checkout, series, report, say)
    steps = chosen_steps(args, series, build)
    if steps and args.dry_run:
        show_steps(build, steps, say)
    elif steps:
        run_steps(build, steps, args.jobs, say)


def undo_text(args, checkout):
    if args.dry_run:
        start = read_record(checkout).get('start', 'nothing: not applied')
        return f'Dry run: --undo would go back to {start}.'
    return undo(checkout)


def run_to_the_end(args):
    status = run(args)
    print('Done.' if status == 0 else 'Not done.')
    return status


def main(argv):
    args = parse_args(argv)
    missing = check_tool('git', (2, 20), 'git', 'git')
    if missing:
        print(f'{missing.what}: {missing.found}', file=sys.stderr)
        return 1
    return exit_status(
        lambda: run_to_the_end(args), StepFailed, TreeError, SeriesError
    )
