"""Measure the operators as docs/benchmark.md describes."""

import argparse
import csv
import os
import sys
from fnmatch import fnmatchcase
from itertools import product

from bench.run import runner
from bench.run.cases import list_cases
from bench.run.runner import FOLDERS, MEMORY, start_side


def measure(cases, settings):
    """Print and yield a row of the CSV file per case and setting."""
    metadata = runner.describe_run()
    for memory, threads in settings:
        sides = {name: start_side(name, threads, memory) for name in FOLDERS}
        for case in cases:
            print(f'{case}, {threads}, {memory}:', end=' ', flush=True)
            row = runner.run_case(sides, case, threads, memory)
            print({k: v for k, v in row.items() if k.endswith('_ms')})
            yield {**row, **metadata}
        for side in sides.values():
            side.shutdown()


def main():
    parser = argparse.ArgumentParser('python -m bench', description=__doc__)
    add = parser.add_argument
    text = "only cases whose name matches, such as '*/float32/8x8'"
    add('--filter', metavar='PATTERN', default='*', help=text)
    threads = [1, 2][: len(os.sched_getaffinity(0))]
    add('--threads', type=int, nargs='+', default=threads)
    add('--memory', nargs='+', choices=MEMORY, default=[*MEMORY])
    add('--csv', metavar='FILE', help='write the results')
    args = parser.parse_args()
    cases = [c for c in list_cases() if fnmatchcase(str(c), args.filter)]
    if not cases:
        sys.exit('bench: no case matches')
    rows = [*measure(cases, product(args.memory, args.threads))]
    if args.csv:
        with open(args.csv, 'w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, rows[0], lineterminator='\n')
            writer.writeheader()
            writer.writerows(rows)


if __name__ == '__main__':
    main()
