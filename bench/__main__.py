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
from importlib.metadata import distributions, version
from pathlib import Path

import paddle
from bench.report import readme_table, table
from bench.run import cases, machine, runner, without
from bench.run.processes import PAGE_FAULT_FREE, RELEASE, ROOT, Side


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
    add('--page-fault-free', action='store_true', help='every side keeps the '
        'memory that it frees, so that no output is on fresh pages')  # fmt: skip
    add('--torch', metavar='FOLDER', default='', help='another PyTorch: made by '
        'pip install --target FOLDER torch==VERSION')  # fmt: skip
    add('--memory', action='store_true', help='peak memory in place of time')
    add('--list', action='store_true', help='print the names of the cases')
    add('--json', type=Path, metavar='FILE', help='write everything here')
    add('--report', type=Path, metavar='FILE', help='write a page (Markdown)')
    add('--compare', type=Path, metavar='OLD.json', help='the floors are '
        'half of its figures', default=ROOT / readme_table.RECORD)  # fmt: skip
    args = parser.parse_args(arguments)
    partly = args.filter or args.sizes or args.group
    if args.publish and (partly or args.memory):
        sys.exit(
            'bench: --publish measures all that the README shows: no --filter, '
            '--group, --sizes or --memory with it'
        )
    if args.publish and args.without and args.page_fault_free:
        sys.exit('bench: --publish --without: no --page-fault-free with it')
    if not args.compare.is_file():
        sys.exit(f'bench: --compare: there is no file {args.compare}')
    if args.publish and args.json is None:
        args.json = ROOT / 'build' / 'bench' / 'published.json'
    if args.threads is None:
        most = len(os.sched_getaffinity(0))
        few = (args.quick and not args.publish) or args.floors or args.memory
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


def folders(args, header):
    """{side: the folder to import from first}"""
    if header:
        site = Path(paddle.__file__).parent
        return {'ours': '', 'without': without.build(header, site)}
    # the cost of a small call is that of the Python function and the operator's
    operator = {'operator': ''} if args.group == 'tiny' else {}
    return {'ours': '', **operator, 'torch': args.torch, 'release': RELEASE}


def version_of(side, folder):
    """The version of a side's library."""
    name = 'torch' if side == 'torch' else 'paddlepaddle'
    for found in distributions(name=name, path=[folder] if folder else []):
        return found.version
    return version(name)


def run_cases(args, chosen, sides, say):
    """The results of one thread count, said as they come."""
    effort = runner.QUICK if args.quick else runner.FULL
    if args.publish:  # all cases, in shorter turns if --quick
        effort = {**effort, 'all': math.inf}
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
    if args.page_fault_free:
        os.environ.update(PAGE_FAULT_FREE)  # the sides' processes inherit it
    for header in args.without or ['']:
        places = folders(args, header)
        meta['sides'] = {
            side: {'version': version_of(side, folder)}
            for side, folder in places.items()
        }
        part = [c for c in chosen if header in ('', c.header)]
        say(table.header(places))
        for threads in args.threads:
            sides = {n: Side(n, threads, f) for n, f in places.items()}
            results += run_cases(args, part, sides, say)
            for side in sides.values():
                side.close()
    return {
        'meta': meta,
        'headers': args.without,
        'page_fault_free': args.page_fault_free,
        'results': results,
    }


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
    # figures of the same kind; the published ones hold both
    if args.page_fault_free and earlier.get('page_fault_free') is not True:
        earlier = earlier.get('page_fault_free') or {'results': []}
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
