"""Peak memory of one call, beyond its inputs and outputs.

Linux can forget a process's peak (/proc/self/clear_refs); where that is not
allowed, the peak of a fresh process must do, which cannot show a call whose
peak stays below that of loading its inputs: then the answer is None.
"""

import resource
from pathlib import Path

import psutil

CLEAR = Path('/proc/self/clear_refs')


def forget_peak():
    """True if the peak now equals the present use."""
    try:
        CLEAR.write_text('5')
    except OSError:
        return False
    return True


def _peak():
    """The most bytes that this process held at a time."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def beyond(run, data_bytes):
    """Bytes that `run()` took at its peak besides what it returns."""
    forgotten = forget_peak()
    before, peak_before = psutil.Process().memory_info().rss, _peak()
    outputs = run()
    peak = _peak()
    if not forgotten and peak <= peak_before:
        return None
    kept = sum(data_bytes(tensor) for tensor in outputs)
    return max(0, peak - before - kept)
