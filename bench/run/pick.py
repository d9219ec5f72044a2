"""Which of several ways to the same result is the fastest here.

A rival is only as good as the way that it is called: each way is run once, to
warm up and to see that the ways agree, and then timed once.
"""

SECONDS = 0.02


class WaysDiffer(Exception):
    """Two ways do not give the same."""


def fastest(ways, outputs, same, seconds):
    """(the fastest name in `ways`, {name: milliseconds, or why there are none})

    `outputs(name)` runs a way, `same(one, other)` says in words how two
    outputs differ, `seconds(name)` times a way. A way that raises, as torch's
    do for some dtypes, is none; if all do, the first's error is that of all.
    """
    first, errors, tried = None, {}, {}
    for name in ways:
        try:
            found = outputs(name)
        except (RuntimeError, TypeError) as error:
            errors[name] = error
            continue
        if first is None:
            first = name, found
        different = same(first[1], found)
        if different:
            raise WaysDiffer(f'{name} is not as {first[0]}: {different}')
        tried[name] = seconds(name) * 1e3
    if not tried:
        raise next(iter(errors.values()))
    reasons = {name: type(error).__name__ for name, error in errors.items()}
    return min(tried, key=tried.get), {**tried, **reasons}
