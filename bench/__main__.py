"""Measure the operators against released Paddle, PyTorch and memory.

`python -m bench --quick` takes under three minutes; without it every case is
run for 1 and 2 threads, which takes hours. --publish measures the cases that
the README and the docs show, in twenty minutes, and writes them there, the
picture too. Exit code 1 if a side's output differs from ours or ours fails.
"""

import argparse
import fnmatch
import json
import os
import sys
import time
from pathlib import Path

from bench import release_env
from bench.report import floors, published, summary, table
from bench.run import (
    bare_loop,
    cases,
    instructions,
    machine,
    peak,
    runner,
)
from bench.run.processes import Crew

# The rest of the three minutes is for starting, and for importing paddle.
QUICK_SECONDS = 135
# Of glibc: no block has pages of its own, and none are given back.
WARM_MALLOC = {
    'MALLOC_MMAP_THRESHOLD_': str(1 << 30),
    'MALLOC_TRIM_THRESHOLD_': str(1 << 30),
}


def numbers(text):
    """'1,2' as integers; sizes may be written 2^18."""
    return [int(part.replace('2^', '')) for part in text.split(',')]


def parse(arguments=None):
    """The command line."""
    parser = argparse.ArgumentParser(
        prog='python -m bench', description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add('--quick', action='store_true', help='under 3 minutes')
    add('--filter', metavar='PATTERN', help='cases whose name matches; a '
        'shell pattern, or a part of the name')  # fmt: skip
    add('--group', choices=cases.GROUPS, help='only the cases of one group')
    add('--threads', type=numbers, metavar='1,2')
    add('--sizes', type=numbers, metavar='12,24', help='exponents of 2')
    add('--floors', action='store_true', help='the figures to keep, each '
        'with pass or miss')  # fmt: skip
    add('--publish', action='store_true', help='measure what the README and '
        'the docs show, and write it there')  # fmt: skip
    add('--warm-malloc', action='store_true', help='no side gives memory back '
        'to the system, so that fresh pages hide nothing')  # fmt: skip
    add('--memory', action='store_true', help='peak memory only')
    add('--instructions', action='store_true', help='instructions of the hot '
        'loops only, counted by valgrind')  # fmt: skip
    add('--list', action='store_true', help='print the names of the cases')
    add('--json', type=Path, metavar='FILE', help='write everything here')
    add('--report', type=Path, metavar='FILE', help='write a page (HTML)')
    add('--compare', type=Path, metavar='OLD.json', help='what moved')
    return parser.parse_args(arguments)


def selected(args):
    """The cases of this run."""
    if args.publish:
        chosen = published.chosen()
    elif args.floors:
        chosen = floors.floor_cases()
    else:
        chosen = cases.unique([*cases.all_cases(), *floors.floor_cases()])
    # a filter says what is wanted; --quick then only shortens the turns
    if args.group:
        chosen = list(filter(cases.GROUPS[args.group], chosen))
    if args.quick and not args.floors and not (args.filter or args.group):
        chosen = [c for c in chosen if c.quick]
    if args.quick:
        chosen.sort(key=cases.urgency)
    if args.sizes:
        chosen = [c for c in chosen if c.numel in {1 << e for e in args.sizes}]
    pattern = args.filter or ''
    return [
        c
        for c in chosen
        if pattern in c.name or fnmatch.fnmatchcase(c.name, pattern)
    ]


def thread_counts(args):
    """The thread counts of this run."""
    most = len(os.sched_getaffinity(0))
    if args.threads:
        return args.threads
    few = args.quick or args.floors
    return [min(2, most)] if few else [1, 2][:most]


def pythons():
    """{side: interpreter}; makes the release's venv if it is not there."""
    found = dict.fromkeys(table.COLUMNS, sys.executable)
    return {**found, 'release': release_env.make()}


def run_cases(args, chosen, crew, deadline):
    """Results of one thread count, printed as they come."""
    results = []
    effort = runner.QUICK if args.quick else runner.FULL
    for case in chosen:
        if deadline is not None and time.monotonic() > deadline:
            left = len(chosen) - len(results)
            print(f'out of time: {left} cases not run')
            break
        result = runner.run_case(crew, table.COLUMNS, case, effort)
        results.append(result)
        print(table.line(result), flush=True)
    return results


def measure(args, chosen, found):
    """(results, facts of the sides, [name, threads] of what was left out)"""
    deadline = time.monotonic() + QUICK_SECONDS if args.quick else None
    results, facts, left = [], {}, []
    print(table.header())
    for threads in thread_counts(args):
        env = WARM_MALLOC if args.warm_malloc else {}
        with Crew(found, threads, env) as crew:
            facts.update({name: crew.side(name).facts for name in found})
            done = run_cases(args, chosen, crew, deadline)
        results += done
        left += [[case.name, threads] for case in chosen[len(done) :]]
    return results, facts, left


def collect(args, chosen):
    """The whole run as one dictionary."""
    start = time.monotonic()
    meta = machine.facts()
    found = pythons()
    whole = not (args.filter or args.sizes or args.group or args.publish)
    only_counts = args.memory or args.instructions
    results, facts, left = [], {}, []
    if not only_counts:
        results, facts, left = measure(args, chosen, found)
    if args.publish:
        bare_loop.measure(results, chosen)
    data = {
        'meta': {**meta, 'sides': facts},
        'results': results,
        'not_run': left,
        'summary': summary.summarise(results),
        'floors': floors.judge(results) if args.floors or whole else [],
    }
    everything = whole and not args.quick and not only_counts
    if args.memory or everything:
        data['memory'] = peak.measure(found, args.filter, args.quick)
    if args.instructions or (everything and not instructions.missing()):
        data['instructions'] = instructions.count()
    data['meta']['seconds'] = round(time.monotonic() - start, 1)
    return data


def show(args, data):
    """Print what comes after the table of cases."""
    moved = None
    if args.compare:
        moved = summary.changes(json.loads(args.compare.read_text()), data)
    print(table.after(data, args.floors, moved), end='')


def main(arguments=None):
    """Run the benchmark; returns the exit code."""
    args = parse(arguments)
    if args.publish and (
        args.filter or args.sizes or args.quick or args.warm_malloc
    ):
        sys.exit(
            'bench: --publish measures all that the README shows: no --quick, '
            '--filter, --sizes or --warm-malloc with it'
        )
    if args.compare and not args.compare.is_file():
        sys.exit(f'bench: --compare: there is no file {args.compare}')
    if args.publish and args.json is None:
        args.json = release_env.ROOT / 'build' / 'bench' / 'published.json'
    chosen = selected(args)
    if args.list:
        print('\n'.join(case.name for case in chosen))
        return 0
    if not chosen:
        sys.exit('bench: no case matches; see --list')
    if args.instructions and instructions.missing():
        sys.exit(f'bench: {instructions.missing()}')
    data = collect(args, chosen)
    show(args, data)
    if args.json:
        args.json.write_text(json.dumps(data, indent=1) + '\n')
    if args.report:
        from bench.report import page  # which draws: slow to import

        page.write(args.report, data)
    failed = bool(summary.failures(data['results']))
    if args.publish and not data['not_run'] and not failed:
        from bench.report import readme_table  # which draws: slow to import

        readme_table.main([str(args.json)])
        print('Written: git diff --stat shows where.')
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
