"""Results and runs as the benchmark makes them."""

from bench.report import floors, summary
from bench.run import cases, runner
from bench.run.workloads import workload_cases


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


def whole_run():
    """A page with each of its parts, and names as long as they get."""
    long = cases.case(
        'scatter', 'tape', include_self=True, reduce='amax', index='permutation'
    )
    ops = ('masked_scatter', 'diagonal_scatter')
    results = [
        result(case=cases.case(op, shape=cases.square(size)))
        for op in ops
        for size in (24, 18, 6)
    ]
    results += [result(case=long, ours=12.5), result('where')]
    results += [result(case=case) for case in workload_cases()]
    results[0]['sides']['torch']['way'] = 'scatter_reduce'
    data = run_data(results)
    data['memory'] = [
        {
            **runner.describe(cases.case('masked_scatter'), 2),
            'x_bytes': 100,
            'sides': {'ours': {'bytes': 1}, 'release': {'bytes': 300}},
        }
    ]
    data['instructions'] = {'masked_scatter': 2.5}
    return data
