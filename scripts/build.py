"""Build the operators into a Paddle: the program behind apply_and_build.sh.

Two targets. The wheel target, here, builds into the released Paddle wheel, in a
virtual environment of its own. The source target (--source DIR) builds a Paddle
checkout: see source_target.py.

Runs before the virtual environment exists, so it needs nothing but the
standard library.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

import source_target
import wheel_versions
from build_steps import Runner, Step, StepFailed, build_lock
from clean_build import check_build_dir, clean
from prerequisites import describe, find_missing

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / 'scripts'
MEMORY_PER_JOB = 1 << 30

EPILOG = """\
examples:
  scripts/apply_and_build.sh                   build into build/venv, show a demo
  scripts/apply_and_build.sh --dry-run         print every command, run none
  scripts/apply_and_build.sh --source ~/Paddle apply the patches to a checkout
"""


def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog='scripts/apply_and_build.sh',
        description='Build the operators into a Paddle. A second run does '
        'only what has changed; an interrupted one is continued.',
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    args = parser.parse_args(argv)
    refused = wheel_versions.refusal(args.paddle)
    if refused:
        parser.error(refused)
    if args.build_dir is None:
        base = args.paddle == wheel_versions.BASE
        args.build_dir = ROOT / ('build' if base else f'build-{args.paddle}')
    return args


def add_options(parser):
    parser.add_argument(
        '--jobs',
        '-j',
        type=positive,
        default=default_jobs(),
        metavar='N',
        help='compile jobs at a time (default here: %(default)s, '
        'from the cores and the free memory)',
    )
    parser.add_argument(
        '--build-dir',
        type=Path,
        metavar='D',
        help='folder for everything that is made (default: build)',
    )
    parser.add_argument(
        '--python',
        metavar='P',
        help='Python 3.9 to 3.13 to build for (default: the first on PATH)',
    )
    parser.add_argument(
        '--clean',
        action='store_true',
        help='delete what earlier runs made, the venv too, and start over',
    )
    parser.add_argument(
        '--dry-run',
        action='store_true',
        help='print the steps and their commands; change nothing',
    )
    parser.add_argument(
        '--paddle',
        metavar='V',
        default=wheel_versions.BASE,
        help='release to build into (default: %(default)s; also '
        f'{", ".join(wheel_versions.OTHERS)}, by default in build-V)',
    )
    parser.add_argument(
        '--source',
        type=Path,
        metavar='DIR',
        help='source target: build this Paddle checkout instead; '
        '--source DIR --help lists its own options',
    )


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f'{text} is not 1 or more')
    return number


def default_jobs():
    """As many compilers as there are cores and free GiB, at least one."""
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, free_memory() // MEMORY_PER_JOB))


def free_memory(meminfo='/proc/meminfo'):
    """Bytes that new programs can use; plenty when the system won't say."""
    try:
        with open(meminfo, encoding='ascii') as file:
            for line in file:
                if line.startswith('MemAvailable:'):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 1 << 60


def wheel_steps(
    build, jobs, interpreter=sys.executable, paddle=wheel_versions.BASE
):
    """The steps of the wheel target, in order."""
    venv = build / 'venv'
    python = venv / 'bin' / 'python'
    in_build = ['--build-dir', build]
    make_venv = [interpreter, SCRIPTS / 'make_venv.py', '--venv', venv]
    patch = [python, SCRIPTS / 'apply_python_patches.py', *in_build]
    export = []
    patches = ROOT / 'patches'
    if paddle != wheel_versions.BASE:
        make_venv += ['--paddle', paddle]
        patches = build / 'patches'
        patch += ['--patches', patches]
        export = [export_command(build, python, paddle)]
    return [
        Step(
            'prerequisites',
            'check the prerequisites',
            [[interpreter, SCRIPTS / 'prerequisites.py']],
            'install what is missing, then run this again.',
        ),
        Step(
            'venv',
            'set up the Python environment',
            [make_venv],
            'check the network and the disk space (df -h), then run this '
            'again: it goes on where it stopped. A damaged environment is '
            'replaced with --clean.',
        ),
        Step(
            'check-yaml',
            'check ops_yaml',
            [[python, SCRIPTS / 'check_ops_yaml.py']],
            'correct the entry that the log names.',
        ),
        Step(
            'patch',
            'apply the Python patches',
            [*export, patch],
            'after a change in python_api, export the patches again: '
            f'{shown(python)} scripts/export_patches.py',
        ),
        *compile_steps(build, python, jobs),
        *installed_steps(build, python, patches),
    ]


def export_command(build, python, paddle):
    """Make the series for another release than its base."""
    minor = f'python{sys.version_info[0]}.{sys.version_info[1]}'
    site = build / 'venv' / 'lib' / minor / 'site-packages'
    command = [python, SCRIPTS / 'export_patches.py', '--base-wheel', paddle]
    return [*command, '--paddle', site, '--output', build / 'patches']


def compile_steps(build, python, jobs):
    """Generate, configure, compile."""
    glue = build / 'glue'
    ninja = python.parent / 'ninja'
    configure = ['cmake', '-S', ROOT, '-B', build, '-G', 'Ninja']
    configure += [f'-DCMAKE_MAKE_PROGRAM={ninja}', f'-DPYTHON={python}']
    configure += ['-DCMAKE_BUILD_TYPE=Release']
    generate = [python, SCRIPTS / 'generate_native.py']
    generate += ['--yaml-dir', ROOT / 'ops_yaml', '--out', glue]
    return [
        Step(
            'glue',
            'generate the glue code',
            [generate],
            'the log names the ops_yaml entry or the generator line.',
            inputs=[
                ROOT / 'ops_yaml',
                SCRIPTS / 'native',
                *sorted(SCRIPTS.glob('*.py')),
            ],
            outputs=[glue],
        ),
        Step(
            'configure',
            'configure',
            [configure],
            'is there a working C++ compiler (g++ --version)? A build '
            'folder that was moved needs --clean.',
            inputs=[ROOT / 'CMakeLists.txt'],
            outputs=[build / 'build.ninja'],
        ),
        Step(
            'compile',
            'compile the operators',
            [['cmake', '--build', build, '-j', str(jobs)]],
            'the first "error:" in the log is the one that counts; if the '
            'compiler was killed, memory ran out: use --jobs 1.',
        ),
    ]


def installed_steps(build, python, patches):
    """Install, smoke test, demonstration."""
    installed = [
        build / '_native_lib.so',
        build / 'glue',
        build / 'originals' / 'state.json',
        ROOT / 'requirements.txt',
    ]
    smoke, demo = SCRIPTS / 'smoke_test.py', SCRIPTS / 'demo.py'
    return [
        Step(
            'install',
            'install into the Python environment',
            [[python, SCRIPTS / 'install_native.py', '--build-dir', build]],
            'start over with --clean.',
        ),
        Step(
            'smoke-test',
            'smoke test in a fresh process',
            [[python, smoke, '--patches', patches]],
            'the last line says what is wrong; by hand: '
            f'{shown(python)} scripts/smoke_test.py',
            inputs=[smoke, *installed],
        ),
        Step(
            'demo',
            'demonstration',
            [[python, demo, '--build-dir', build]],
            f'repeat it by hand: {shown(python)} scripts/demo.py',
            inputs=[demo, *installed],
            show_output=True,
        ),
    ]


def shown(path):
    """A path as a person in the project folder would type it."""
    text, prefix = str(path), f'{ROOT}{os.sep}'
    return text[len(prefix) :] if text.startswith(prefix) else text


def next_words(build):
    """What the user can do with the result."""
    python = shown(build / 'venv' / 'bin' / 'python')
    tests = f'ctest --test-dir {shown(build)} --output-on-failure'
    return (
        f'\nNext:\n'
        f'  {tests:<52} all tests\n'
        f'  {tests.split(" --output")[0] + " -R masked_scatter":<52} of one API\n'
        f'  {python:<52} a Python with this Paddle\n'
        f'  {python + " scripts/demo.py":<52} the demonstration again\n'
    )


def build_target(args, build, steps):
    """Run the steps of a target, holding the build folder."""
    with build_lock(build) as lock_fd:
        if args.clean:
            clean(build)
        Runner(build, steps, ROOT, lock_fd=lock_fd).run()


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    if any(word.split('=')[0] == '--source' for word in argv):
        return source_target.main(argv)
    args = parse_args(argv)
    build = args.build_dir.resolve()
    start = time.monotonic()
    signal.signal(signal.SIGTERM, stop)
    try:
        check_build_dir(build, ROOT)
        steps = wheel_steps(build, args.jobs, paddle=args.paddle)
        if args.dry_run:
            print(f'Dry run: {len(steps)} steps, nothing is changed.')
            if args.clean:
                print(f'First, --clean empties {shown(build)}.')
            Runner(build, steps, ROOT).dry_run()
            return 0
        missing = find_missing()
        if missing:
            raise StepFailed(describe(missing))
        build_target(args, build, steps)
    except StepFailed as error:
        print(f'\n{error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            '\nStopped. Run the same command again to go on.', file=sys.stderr
        )
        return 130
    print(f'Done in {time.monotonic() - start:.1f} s.')
    print(next_words(build), end='')
    return 0


def stop(*_):
    """SIGTERM ends a build like Ctrl-C does: children first."""
    raise KeyboardInterrupt


if __name__ == '__main__':
    sys.exit(main())
