"""What all results together say."""

from statistics import geometric_mean

from bench.report import words
from bench.run.cases import BIG, YARDSTICKS, label

# A ratio this far below 1 is still noise.
NOISE = 0.95
LIMIT = 1.5


def compared(results, key):
    """The results that count for a ratio."""
    return [r for r in results if r.get(key) and r['op'] not in YARDSTICKS]


def _part(rows, key, floor, below, passed):
    mean = geometric_mean(r[key] for r in rows)
    slower = sorted((r for r in rows if r[key] < below), key=lambda r: r[key])
    return {
        'cases': len(rows),
        'geometric_mean': mean,
        'floor': floor,
        'passed': passed(mean) and not slower,
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


def _versus(results, key, floor):
    rows = compared(results, key)
    if not rows:
        return None
    return _part(rows, key, floor, NOISE, lambda mean: mean >= floor)


def _limit(results):
    rows = [r for r in compared(results, 'of_limit') if r['numel'] >= BIG]
    if not rows:
        return None
    return _part(rows, 'of_limit', 1 / LIMIT, 1 / LIMIT, lambda mean: True)


def _ours(result):
    return result['sides'].get('ours', {}).get('ms')


def scaling(results):
    """Nanoseconds per element by size, for each operator's headline."""
    rows = {}
    for result in results:
        followed = label(result['op'], result['variant'])
        if not followed or not _ours(result):
            continue
        if result['numel'] < 1 << 18 or len(result['shape']) != 2:
            continue
        facts = (result[k] for k in ('mode', 'dtype', 'threads'))
        key = (followed, *facts)
        per_element = _ours(result) * 1e6 / result['numel']
        rows.setdefault(key, {})[result['numel']] = per_element
    return [
        {
            'op': key[0],
            'mode': key[1],
            'dtype': key[2],
            'threads': key[3],
            'ns': sizes,
            'worst': max(sizes.values()) / sizes[min(sizes)],
        }
        for key, sizes in rows.items()
        if len(sizes) > 1
    ]


def thread_gain(results):
    """(name, one thread / two threads) of ours for the larger cases."""
    times = {}
    for result in results:
        if _ours(result) and result['numel'] >= 1 << 18:
            times[result['name'], result['threads']] = _ours(result)
    return [
        {'name': name, 'gain': ms / times[name, 2]}
        for (name, threads), ms in times.items()
        if threads == 1 and (name, 2) in times
    ]


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
    return {
        'torch': _versus(results, 'ratio_torch', 4.0),
        'release': _versus(results, 'ratio_release', 5.0),
        'limit': _limit(results),
        'scaling': scaling(results),
        'thread_gain': thread_gain(results),
    }
