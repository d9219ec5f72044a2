"""Peak memory of one call, beyond its inputs and outputs.

Linux can forget a process's peak (/proc/self/clear_refs); where that is not
allowed, the peak of a fresh process must do, which cannot show a call whose
peak stays below that of loading its inputs: then the answer is None.
"""

from pathlib import Path

import psutil

CLEAR = Path('/proc/self/clear_refs')
STATUS = Path('/proc/self/status')


def forget_peak():
    """True if the peak now equals the present use."""
    try:
        CLEAR.write_text('5')
    except OSError:
        return False
    return True


def _peak():
    """The most bytes that this process held at a time.

    getrusage would count what its parent held when it started this one.
    """
    for line in STATUS.read_text().splitlines():
        if line.startswith('VmHWM:'):
            return int(line.split()[1]) * 1024
    raise OSError(f'{STATUS} has no VmHWM')


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
