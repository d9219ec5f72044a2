"""Calls the APIs at random until the time is up; exit code 1 after a failure.

    python -m fuzz --seconds 60 --seed 1 [--only masked_scatter]
    python -m fuzz --seconds 600 --large     # axes of 2^31 and 2^32; up to 14 GiB

Every failing case is one line, which ends in the command that repeats it.
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
        help='those of large axes',
    )
    add('--case', type=int, metavar='NUMBER', help='this one of --only, alone')
    return parser.parse_args(arguments)


def command(seed, number, api):
    """What repeats a case."""
    return f'python -m fuzz --seed {seed} --only {api} --case {number}'


def cases(seed, apis):
    """Endless (seed, number, API)."""
    return zip(itertools.repeat(seed), itertools.count(), itertools.cycle(apis))


def report(case, problems):
    for problem in problems:
        print(f"FAIL {case[-1]}: {problem} | {command(*case)}", flush=True)


def repeat(case):
    """Runs one case in this process; whether it fails."""
    problems = run(*case)
    if problems is None:
        print('not run: too little memory is available')
        return False
    report(case, problems)
    if not problems:
        print('passes')
    return bool(problems)


def search(seconds, seed, apis):
    """Runs random cases; the number of those that fail."""
    large = not set(apis) <= set(APIS)
    start, worker = time.monotonic(), Worker(timeout=900 if large else 60)
    ran, failed, left_out = collections.Counter(), 0, 0
    for case in cases(seed, apis):
        if time.monotonic() - start > seconds:
            break
        problems = worker.run(*case)
        if problems is None:
            left_out += 1
            continue
        report(case, problems)
        ran[case[-1]] += 1
        failed += bool(problems)
    counts = ', '.join(f'{api} {ran[api]}' for api in apis)
    print(f"{ran.total()} cases in {seconds:.0f} s ({counts}), {failed} failed")
    if left_out:
        print(f"{left_out} cases left out: too little memory was available")
    return failed


def main(arguments=None):
    options = parse(arguments)
    apis = options.only or APIS
    if options.case is None:
        failed = search(options.seconds, options.seed, apis)
    else:
        failed = repeat((options.seed, options.case, apis[0]))
    return 1 if failed else 0


if __name__ == '__main__':
    raise SystemExit(main())
