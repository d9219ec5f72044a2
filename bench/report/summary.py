"""What all results together say."""

from statistics import geometric_mean

from bench.report import words
from bench.run.cases import YARDSTICKS

# A ratio this far below 1 is still noise.
NOISE = 0.95
MOVED = 1.1


def compared(results, key):
    """The results that count for a ratio."""
    return [r for r in results if r.get(key) and r['op'] not in YARDSTICKS]


def _versus(results, key):
    rows = compared(results, key)
    if not rows:
        return None
    slower = sorted((r for r in rows if r[key] < NOISE), key=lambda r: r[key])
    return {
        'cases': len(rows),
        'geometric_mean': geometric_mean(r[key] for r in rows),
        'slower': [
            {
                'name': r['name'],
                'words': words.of(r),
                'threads': r['threads'],
                'ratio': r[key],
            }
            for r in slower
        ],
    }


def failures(results):
    """(name, threads, side, text) of everything that failed."""
    return [
        (r['name'], r['threads'], side, entry['failed'])
        for r in results
        for side, entry in r['sides'].items()
        if 'failed' in entry
    ]


def summarise(results):
    """The summary that goes into the JSON."""
    return {side: _versus(results, f'ratio_{side}') for side in words.OTHERS}


def changes(old, new):
    """(factor, old result, new result) of what moved; worst first.

    The ratio to torch is compared, not the time: it moves less with the
    machine's load. A factor below 1 is a loss.
    """
    before = {(r['name'], r['threads']): r for r in old['results']}
    found = []
    for result in new['results']:
        earlier = before.get((result['name'], result['threads']))
        for key in ('ratio_torch', 'ratio_release'):
            if earlier and result.get(key) and earlier.get(key):
                found.append((result[key] / earlier[key], earlier, result))
                break
    moved = [f for f in found if f[0] > MOVED or f[0] < 1 / MOVED]
    return sorted(moved, key=lambda f: f[0])
