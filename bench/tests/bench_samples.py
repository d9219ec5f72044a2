"""Cases, results and runs as the benchmark makes them."""

from dataclasses import asdict

from bench.report import readme_table
from bench.run.cases import all_cases


def find(label):
    """The first case of a label."""
    return next(c for c in all_cases() if c.name.startswith(f'{label}/'))


def result(
    label='masked_scatter', ours=2.0, torch=8.0, release=None, **changes
):
    """A result as the runner makes it, of two threads."""
    case = find(label)
    sides = {'ours': {'ms': ours}, 'torch': {'ms': torch}}
    sides['release'] = {'ms': release} if release else {'na': 'a reason'}
    return {
        'name': case.name,
        **asdict(case),
        'threads': 2,
        'sides': sides,
        'ratio_torch': torch / ours,
        'ratio_release': release and release / ours,
        **changes,
    }


def run_data(results, headers=(), warm_malloc=False):
    """A whole run as the command writes it."""
    meta = {**readme_table.load()['meta'], 'date': '2026-01-02T03:04:05'}
    kind = {'headers': headers, 'warm_malloc': warm_malloc}
    return {'meta': meta, **kind, 'results': results}
