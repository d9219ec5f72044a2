"""How one turn is timed; nothing here knows a framework."""

import gc
import statistics
import time

# A sample shorter than this says more about the clock than about the call.
SAMPLE_SECONDS = 1e-3
MAX_INNER = 2000
MAX_SAMPLES = 30


def sample(call, inner, fresh=None):
    """Seconds per call over `inner` calls; each result is dropped at once.

    Making the arguments is not counted.
    """
    if fresh:
        arguments = [fresh() for _ in range(inner)]
        start = time.perf_counter()
        for argument in arguments:
            call(argument)
        return (time.perf_counter() - start) / inner
    repeat = range(inner)
    start = time.perf_counter()
    for _ in repeat:
        call()
    return (time.perf_counter() - start) / inner


def turn(call, budget, fresh=None):
    """(median seconds per call, number of calls) within about `budget`."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        first = sample(call, 1, fresh)
        if first > budget:
            return first, 1
        second = sample(call, 1, fresh)
        quick = max(min(first, second), 1e-9)
        inner = max(1, min(MAX_INNER, int(SAMPLE_SECONDS / quick)))
        count = max(1, min(MAX_SAMPLES, int(budget / (quick * inner))))
        taken = [sample(call, inner, fresh) for _ in range(count)]
        return statistics.median(taken), 2 + inner * count
    finally:
        if enabled:
            gc.enable()
