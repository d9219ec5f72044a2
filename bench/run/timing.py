"""How one turn is timed; nothing here knows a framework."""

import statistics
import time
from timeit import timeit

# A sample shorter than this says more about the clock than about the call.
SAMPLE_SECONDS = 1e-3
MAX_INNER = 2000
MIN_SAMPLES = 5
MAX_SAMPLES = 30
# What renewing big arguments may add to a turn, as a multiple of its budget.
RENEWING = 8


def sample(call, inner, arguments=None):
    """Seconds per call over `inner` calls; each result is dropped at once.

    `arguments(count)` gives so many as if no call had been made. That is not
    counted, nor is the first call after it, which finds the threads asleep and
    the code out of the caches; calls without arguments follow each other at
    once.
    """
    if not arguments:
        return timeit(call, number=inner) / inner
    first, *others = arguments(inner + 1)
    call(first)
    names = {'call': call, 'others': others}
    spent = timeit('for one in others: call(one)', globals=names, number=1)
    return spent / inner


def turn(call, budget, arguments=None):
    """Median seconds per call, measured within about `budget`."""
    first = sample(call, 1, arguments)  # warms up
    if first > budget:
        return first
    quick = max(min(first, sample(call, 1, arguments)), 1e-9)
    inner = max(1, min(MAX_INNER, int(SAMPLE_SECONDS / quick)))
    count = max(1, min(MAX_SAMPLES, int(budget / (quick * inner))))
    taken, deadline = [], time.perf_counter() + RENEWING * budget
    while len(taken) < count:
        taken.append(sample(call, inner, arguments))
        if len(taken) >= MIN_SAMPLES and time.perf_counter() > deadline:
            break
    return statistics.median(taken)
