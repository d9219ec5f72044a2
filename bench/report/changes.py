"""What moved between two runs."""

MOVED = 1.1


def result_key(result):
    """What identifies a result in two runs."""
    return result['name'], result['threads']


def changes(old, new):
    """(factor, old result, new result) of what moved; worst first.

    The ratio to torch is compared, not the time: it moves less with the
    machine's load. A factor below 1 is a loss.
    """
    before = {result_key(r): r for r in old['results']}
    found = []
    for result in new['results']:
        earlier = before.get(result_key(result))
        for key in ('ratio_torch', 'ratio_release'):
            if earlier and result.get(key) and earlier.get(key):
                found.append((result[key] / earlier[key], earlier, result))
                break
    moved = [f for f in found if f[0] > MOVED or f[0] < 1 / MOVED]
    return sorted(moved, key=lambda f: f[0])
