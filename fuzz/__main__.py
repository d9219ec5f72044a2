"""Calls the APIs at random until the time is up; exit code 1 after a failure.

    python -m fuzz --seconds 60 --seed 1 [--only masked_scatter]
    python -m fuzz --replay '{"api": ...}'

Every failing case is one line, which ends in the command that repeats it.
"""

import argparse
import collections
import shlex
import time

import numpy as np

from fuzz.cases import APIS, from_line, to_line
from fuzz.draw import draw
from fuzz.shrink import kind, shrink
from fuzz.worker import Worker

# Later failures of the same kind are printed as they were drawn.
_SHRUNK_OF_A_KIND = 2


def parse(arguments=None):
    parser = argparse.ArgumentParser(
        prog='python -m fuzz', description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add('--seconds', type=float, default=60)
    add('--seed', type=int, default=0)
    add('--only', choices=APIS, action='append', help='can be repeated')
    add('--replay', metavar='LINE', help='a case, or a line that reported one')
    return parser.parse_args(arguments)


def report(case, problem):
    """The line of a failing case."""
    command = 'python -m fuzz --replay ' + shlex.quote(to_line(case))
    return f"FAIL {case.api} {case.way}: {problem} | {command}"


def replay(line):
    """Runs one case, with what Paddle writes; the number of failures."""
    case = from_line(line)
    with Worker(quiet=False) as worker:
        problems = worker.run(case)
    if problems is None:
        print('this fault does not fit these arguments')
        return 0
    for problem in problems:
        print(report(case, problem))
    if not problems:
        print('passes')
    return len(problems)


def cases(seed, apis):
    """Endless cases, each of which depends on the seed and its number only."""
    number = 0
    while True:
        rng = np.random.default_rng([seed, number])
        yield draw(rng, apis[number % len(apis)])
        number += 1


class Fuzz:
    """Runs cases and counts."""

    def __init__(self, worker):
        self.worker = worker
        self.ran = collections.Counter()
        self.failed = collections.Counter()
        self.skipped = 0

    def try_case(self, case):
        problems = self.worker.run(case)
        if problems is None:
            self.skipped += 1
            return
        self.ran[case.api, case.way] += 1
        if problems:
            self._report(case, problems[0])

    def _report(self, case, problem):
        of_kind = case.api, case.way, kind(problem)
        self.failed[of_kind] += 1
        if self.failed[of_kind] <= _SHRUNK_OF_A_KIND:
            case, problem = shrink(case, problem, self.worker.run)
        print(report(case, problem), flush=True)

    def summary(self, seconds):
        apis = collections.Counter()
        for (api, _), count in self.ran.items():
            apis[api] += count
        counts = ', '.join(f'{api} {apis[api]}' for api in sorted(apis))
        return (
            f"{sum(self.ran.values())} cases in {seconds:.0f} s ({counts}), "
            f"{sum(self.failed.values())} failed"
        )


def search(seconds, seed, apis):
    """Runs random cases; the number of failures."""
    start = time.monotonic()
    with Worker() as worker:
        fuzz = Fuzz(worker)
        for case in cases(seed, apis):
            if time.monotonic() - start > seconds:
                break
            fuzz.try_case(case)
    print(fuzz.summary(time.monotonic() - start))
    return sum(fuzz.failed.values())


def main(arguments=None):
    options = parse(arguments)
    if options.replay:
        failed = replay(options.replay)
    else:
        failed = search(options.seconds, options.seed, options.only or APIS)
    return 1 if failed else 0


if __name__ == '__main__':
    raise SystemExit(main())
