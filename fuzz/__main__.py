"""Call the APIs with random arguments; the exit code is 1 after a failure.

    python -m fuzz --seconds 60 --seed 1 [--only masked_scatter]
    python -m fuzz --seconds 600 --large     # axes of 2^31 and 2^32; up to 14 GiB

Every failure is printed as one line that ends in the command to reproduce it.
"""

import argparse
import collections
import itertools
import time

from fuzz.draw import APIS
from fuzz.run import LARGE_APIS, run
from fuzz.worker import Worker


def parse(arguments=None):
    parser = argparse.ArgumentParser(
        prog='python -m fuzz', description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add('--seconds', type=float, default=60)
    add('--seed', type=int, default=0)
    apis = (*APIS, *LARGE_APIS)
    add('--only', choices=apis, action='append', help='can be repeated')
    add(
        '--large',
        dest='only',
        action='store_const',
        const=LARGE_APIS,
        help='only calls along large axes',
    )
    add('--case', type=int, metavar='NUMBER', help='run one case of --only')
    return parser.parse_args(arguments)


def format_command(seed, number, api):
    """Return the command that reproduces a case."""
    return f'python -m fuzz --seed {seed} --only {api} --case {number}'


def enumerate_cases(seed, apis):
    """Yield (seed, number, API) without end."""
    return zip(itertools.repeat(seed), itertools.count(), itertools.cycle(apis))


def report(case, problems):
    for problem in problems:
        text = f'{problem} | {format_command(*case)}'
        print(f'FAIL {case[-1]}: {text}', flush=True)


def reproduce(case):
    """Run one case in this process; return whether it fails."""
    problems = run(*case)
    if problems is None:
        print('not run: not enough memory')
        return False
    report(case, problems)
    if not problems:
        print('passes')
    return bool(problems)


def search(seconds, seed, apis):
    """Run random cases; return the number of failures."""
    large = not set(apis) <= set(APIS)
    start, worker = time.monotonic(), Worker(timeout=900 if large else 60)
    num_cases, failed, skipped = collections.Counter(), 0, 0
    for case in enumerate_cases(seed, apis):
        if time.monotonic() - start > seconds:
            break
        problems = worker.run(*case)
        if problems is None:
            skipped += 1
            continue
        report(case, problems)
        num_cases[case[-1]] += 1
        failed += bool(problems)
    counts = ', '.join(f'{api} {num_cases[api]}' for api in apis)
    total = f'{num_cases.total()} cases in {seconds:.0f} s'
    print(f'{total} ({counts}), {failed} failed')
    if skipped:
        print(f'{skipped} cases skipped: not enough memory')
    return failed


def main(arguments=None):
    options = parse(arguments)
    apis = options.only or APIS
    if options.case is None:
        failed = search(options.seconds, options.seed, apis)
    else:
        failed = reproduce((options.seed, options.case, apis[0]))
    return 1 if failed else 0


if __name__ == '__main__':
    raise SystemExit(main())
