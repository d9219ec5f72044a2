"""Measures the GPU kernels against PyTorch and against a plain copy.

Times are those of the device, by CUDA events: medians over turns in which the
sides alternate. `GB/s` counts the bytes that an operator has to read and write
at least; `of a copy` is the time of a device-to-device copy that moves as many.

Exit status: 0 all agree, 1 a result differs, 77 there is no GPU.
"""

import argparse
import fnmatch
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.run import machine

from gpu_tests import device
from gpu_tests.build import ROOT


def parse(arguments=None):
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--filter', default='*', help='cases whose name matches the pattern')
    add('--sizes', nargs='+', type=int, help='only these powers of 2')
    add('--turns', type=int, default=5)
    add('--list', action='store_true', help='print the names of the cases')
    add('--out', type=Path, default=ROOT / 'bench' / 'results')
    add('--emulate', action='store_true', help='to try the benchmark itself')
    return parser.parse_args(arguments)


def chosen(options):
    """The cases that are asked for."""
    from gpu_tests.bench_cases import all_cases

    return [
        case
        for case in all_cases()
        if fnmatch.fnmatch(case.name, f'*{options.filter}*')
        and case.size in (options.sizes or [case.size])
    ]


def run_case(clock, case, turns):
    """The row of one case."""
    from gpu_tests import bench_cases, bench_report, bench_timing

    work = bench_cases.prepare(case)
    agrees = bench_cases.agrees(case, work)
    sides = {
        'ours': work.ours,
        'torch': work.torch,
        'copy': bench_timing.copy_of(work.bytes),
    }
    milliseconds = bench_timing.measure(clock, sides, turns)
    goals = bench_cases.goals(case)
    return bench_report.result_of(case, work.bytes, milliseconds, agrees, goals)


def facts():
    """What the figures were measured on."""
    import torch

    known = machine.facts()
    found = {key: known[key] for key in ('date', 'commit', 'changed_files')}
    found['torch'] = torch.__version__
    if device.emulated():
        return {'device': 'emulation', **found}
    gpu = torch.cuda.get_device_properties('cuda')
    return {
        'device': gpu.name,
        'multiprocessors': gpu.multi_processor_count,
        'memory_gib': gpu.total_memory >> 30,
        'cuda': torch.version.cuda,
        **found,
    }


def run(options):
    """Rows of all chosen cases."""
    import torch

    from gpu_tests import bench_report, bench_timing

    clock = bench_timing.Clock()
    rows = []
    for case in chosen(options):
        try:
            rows.append(run_case(clock, case, options.turns))
            print(case.name, *bench_report.cells(rows[-1])[2:], flush=True)
        except torch.OutOfMemoryError:
            print(case.name, 'needs more memory than there is', flush=True)
        if not device.emulated():
            torch.cuda.empty_cache()
    return rows


def main(arguments=None):
    options = parse(arguments)
    if options.emulate:
        os.environ[device.EMULATE] = '1'
    if options.list:
        print('\n'.join(case.name for case in chosen(options)))
        return 0
    reason = device.missing()
    if reason:
        print(f'skipped: {reason}')
        return 77
    from gpu_tests import bench_report

    rows = run(options)
    paths = bench_report.write(options.out, facts(), rows)
    print('\n'.join([*bench_report.summary(rows), *map(str, paths)]))
    return 1 if any(row['agrees'] is False for row in rows) else 0


if __name__ == '__main__':
    sys.exit(main())
