"""Results and runs as the benchmark makes them."""

from dataclasses import asdict

from bench.run.cases import all_cases


def find(name):
    """A case by its name, of which the usual parts may be left out."""
    usual = ('', 'fwd', 'float32', '4096x4096')
    parts = name.split('/')
    whole = '/'.join([*parts, *usual[len(parts) :]])
    return next(case for case in all_cases() if case.name == whole)


def result(
    name='masked_scatter',
    threads=2,
    ours=2.0,
    torch=8.0,
    release=None,
    **changes,
):
    """A result as the runner makes it."""
    case = find(name)
    return {
        'name': case.name,
        **asdict(case),
        'threads': threads,
        'sides': {
            'ours': {'ms': ours},
            'torch': {'ms': torch},
            'release': {'ms': release} if release else {'na': 'a reason'},
        },
        'ratio_torch': torch / ours,
        'ratio_release': release and release / ours,
        'others': 0.0,
        **changes,
    }


def run_data(results, headers=(), warm_malloc=False):
    """A whole run as the command writes it."""
    return {
        'meta': {
            'date': '2026-01-02T03:04:05+00:00',
            'commit': 'c0ffee' * 7,
            'changed_files': False,
            'cpu': 'A processor',
            'cores': 2,
            'system': 'Linux',
            'sides': {'ours': {'version': '1'}, 'torch': {'version': '2'}},
        },
        'headers': list(headers),
        'warm_malloc': warm_malloc,
        'results': results,
    }
