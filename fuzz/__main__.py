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
from fuzz.worker import LARGE_APIS, Worker, run


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


def main(arguments=None):
    options = parse(arguments)
    apis = options.only or APIS
    if options.case is None:
        cases = enumerate_cases(options.seed, apis)
        call = Worker(timeout=60 if set(apis) <= set(APIS) else 900).run
    else:
        cases, call = [(options.seed, options.case, apis[0])], run
    start, num_cases, failed = time.monotonic(), collections.Counter(), 0
    for case in cases:
        if time.monotonic() - start > options.seconds:
            break
        problems = call(*case)
        num_cases['skipped' if problems is None else case[-1]] += 1
        report(case, problems or ())
        failed += bool(problems)
    skipped = num_cases.pop('skipped', 0)
    counts = ', '.join(f'{api} {num_cases[api]}' for api in apis)
    print(f'{num_cases.total()} cases ({counts}), {failed} failed')
    if skipped:
        print(f'{skipped} cases skipped: not enough memory')
    return int(failed > 0)


if __name__ == '__main__':
    raise SystemExit(main())
