"""Peak memory of one call, beyond its inputs and outputs.

Linux can forget a process's peak (/proc/self/clear_refs); where that is not
allowed, the peak of a fresh process must do, which cannot show a call whose
peak stays below that of loading its inputs: then the answer is None.
"""

import resource
from pathlib import Path

CLEAR = Path('/proc/self/clear_refs')
STATUS = Path('/proc/self/status')


def status_bytes(field):
    """A line of /proc/self/status, such as VmHWM, in bytes."""
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ':'):
            return int(line.split()[1]) * 1024
    raise OSError(f'{STATUS} has no {field}')


def forget_peak():
    """True if the peak now equals the present use."""
    try:
        CLEAR.write_text('5')
    except OSError:
        return False
    return True


def beyond(run, data_bytes):
    """Bytes that `run()` took at its peak besides what it returns."""
    forgotten = forget_peak()
    before = status_bytes('VmRSS')
    peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    outputs = run()
    if forgotten:
        peak = status_bytes('VmHWM')
    else:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if peak <= peak_before:
            return None
    kept = sum(data_bytes(tensor) for tensor in outputs)
    return max(0, peak - before - kept)
