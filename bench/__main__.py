"""Measure the operators against released Paddle, PyTorch and memory.

`python -m bench --quick` takes under three minutes; without it every case is
run for 1 and 2 threads, which takes hours. --publish measures the cases that
the README and the docs show, in twenty minutes, and writes them there, the
picture too. Exit code 1 if ours fails, or PyTorch's output differs from it.
"""

import argparse
import fnmatch
import json
import math
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

import paddle
from bench.report import readme_table, table
from bench.run import cases, machine, runner, without
from bench.run.processes import RELEASE, ROOT, Side


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
    add('--filter', metavar='PATTERN', default='', help='cases whose name '
        'matches; a shell pattern, or a part of the name')  # fmt: skip
    add('--group', choices=cases.groups(), help='only the cases of one group')
    add('--threads', type=numbers, metavar='1,2')
    add('--sizes', type=numbers, metavar='12,24', help='exponents of 2')
    add('--floors', action='store_true', help='the figures to keep, each '
        'with pass or miss')  # fmt: skip
    add('--publish', action='store_true', help='measure what the README and '
        'the docs show, and write it there')  # fmt: skip
    add('--without', choices=cases.headers(), nargs='+', default=[],
        metavar='HEADER', help='against a build without a speed header, its '
        'cases: %(choices)s')  # fmt: skip
    add('--warm-malloc', action='store_true', help='no side gives memory back '
        'to the system, so that fresh pages hide nothing')  # fmt: skip
    add('--memory', action='store_true', help='peak memory in place of time')
    add('--list', action='store_true', help='print the names of the cases')
    add('--json', type=Path, metavar='FILE', help='write everything here')
    add('--report', type=Path, metavar='FILE', help='write a page (Markdown)')
    add('--compare', type=Path, metavar='OLD.json', help='the floors are '
        'half of its figures', default=ROOT / readme_table.RECORD)  # fmt: skip
    args = parser.parse_args(arguments)
    partly = args.filter or args.sizes or args.quick or args.group
    if args.publish and (partly or args.memory):
        sys.exit(
            'bench: --publish measures all that the README shows: no --quick, '
            '--filter, --group, --sizes or --memory with it'
        )
    if args.publish and args.without and args.warm_malloc:
        sys.exit('bench: --publish --without: no --warm-malloc with it')
    if not args.compare.is_file():
        sys.exit(f'bench: --compare: there is no file {args.compare}')
    if args.publish and args.json is None:
        args.json = ROOT / 'build' / 'bench' / 'published.json'
    if args.threads is None:
        most = len(os.sched_getaffinity(0))
        few = args.quick or args.floors or args.memory
        args.threads = [min(2, most)] if few else [1, 2][:most]
    return args


def wanted(args, case):
    """True if the case is one of this run."""
    chosen = True
    if args.without:
        # a step is mostly Paddle's own sum
        chosen = case.header in args.without and case.mode != 'step'
    elif args.floors or args.publish or args.memory:
        chosen = case.shown
    # a filter says what is wanted; --quick then only shortens the turns
    elif args.quick and not (args.filter or args.group):
        chosen = case.shown and (case.dtype, case.mode) == ('float32', 'fwd')
    if args.sizes and math.log2(case.numel) not in args.sizes:
        return False
    named = fnmatch.fnmatchcase(case.name, args.filter)
    return chosen and (named or args.filter in case.name)


def folders(header):
    """{side: the folder to import from first}"""
    if header:
        site = Path(paddle.__file__).parent
        return {'ours': '', 'without': without.build(header, site)}
    return {'ours': '', 'torch': '', 'release': RELEASE}


def run_cases(args, chosen, sides, say):
    """The results of one thread count, said as they come."""
    effort = runner.QUICK if args.quick else runner.FULL
    deadline = time.monotonic() + effort['all']
    for place, case in enumerate(chosen):
        if time.monotonic() > deadline:
            say(f'out of time: {len(chosen) - place} cases not run')
            break
        if args.memory:
            result = runner.run_peak(sides, case)
        else:
            result = runner.run_case(sides, case, effort)
        say(table.line(result, sides))
        yield result


def collect(args, chosen, say):
    """The whole run as one dictionary."""
    meta, results = machine.facts(), []
    say(f'{table.machine(meta)}; {table.commit(meta)}.\n')
    if args.warm_malloc:
        # of glibc: no block has pages of its own, and none are given back
        for name in ('MMAP', 'TRIM'):
            os.environ[f'MALLOC_{name}_THRESHOLD_'] = str(1 << 30)
    for header in args.without or ['']:
        places = folders(header)
        meta['sides'] = {
            n: {'version': version('torch' if n == 'torch' else 'paddlepaddle')}
            for n in places
        }
        part = [c for c in chosen if header in ('', c.header)]
        say(table.header(places))
        for threads in args.threads:
            sides = {n: Side(n, threads, f) for n, f in places.items()}
            results += run_cases(args, part, sides, say)
            for side in sides.values():
                side.close()
    kind = {'headers': args.without, 'warm_malloc': args.warm_malloc}
    return {'meta': meta, **kind, 'results': results}


def main(arguments=None):
    """Run the benchmark; returns the exit code."""
    args = parse(arguments)
    chosen = [
        case for case in cases.all_cases(args.group) if wanted(args, case)
    ]
    if args.list:
        print('\n'.join(case.name for case in chosen))
        return 0
    if not chosen:
        sys.exit('bench: no case matches; see --list')
    said = []

    def say(line):
        print(line, flush=True)
        said.append(line)

    data = collect(args, chosen, say)
    earlier = json.loads(args.compare.read_text())
    # with the same fresh pages
    if args.warm_malloc and not earlier.get('warm_malloc'):
        earlier = earlier.get('warm', {'results': []})
    say('\n'.join(table.after(data, earlier['results'], args.floors)))
    if args.json:
        args.json.write_text(json.dumps(data, indent=1) + '\n')
    if args.report:
        args.report.write_text('\n'.join([*said, '']))
    failed = bool(table.failures(data['results']))
    if args.publish and not failed:
        readme_table.main([str(args.json)])
        print('Written: git diff --stat shows where.')
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
