"""Results and runs as the benchmark makes them."""

from bench.report import floors, summary
from bench.run import cases, runner


def result(name='masked_scatter', threads=2, ours=2.0, torch=8.0, **changes):
    """A result as the runner makes it."""
    case = changes.pop('case', cases.case(name))
    sides = {
        'ours': {'ms': ours, 'turns': [ours], 'calls': 3},
        'torch': {'ms': torch, 'turns': [torch], 'calls': 3},
        'release': {'na': 'a reason'},
    }
    return {
        **runner.describe(case, threads),
        'sides': sides,
        'check': {'torch': 'agrees'},
        'ratio_torch': torch / ours,
        'ratio_release': None,
        **changes,
    }


def run_data(results):
    """A whole run as the command writes it."""
    return {
        'meta': {
            'date': '2026-01-02T03:04:05+00:00',
            'commit': 'c0ffee' * 7,
            'changed_files': False,
            'cpu': 'A <fast> processor',
            'cores': 2,
            'memory_gib': 24.0,
            'system': 'Linux',
            'sides': {'ours': {'version': '1'}, 'torch': {'version': '2'}},
        },
        'results': results,
        'summary': summary.summarise(results),
        'floors': floors.judge(results),
    }
