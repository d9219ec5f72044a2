"""What the command lines of the targets share: numbers of jobs, being stopped."""

import argparse
import os
import re
import signal
import sys
from pathlib import Path


class Refused(Exception):
    """It does not go on; the message says all that a user needs."""


def positive(text):
    """A number of one or more, for argparse."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'{text} is not 1 or more')
    return int(text)


def default_jobs(memory_per_job):
    """As many compilers as cores and free memory allow, at least one."""
    if not hasattr(os, 'sched_getaffinity'):
        return 1  # not Linux, which the check of the platform tells
    cores = len(os.sched_getaffinity(0))
    text = Path('/proc/meminfo').read_text(encoding='ascii')
    free = 1024 * int(re.search(r'(?m)^MemAvailable: *(\d+) kB$', text)[1])
    return max(1, min(cores, free // memory_per_job))


def exit_status(action, *faults):
    """What `action` returns; 1 where it is refused or the system has an error,
    130 when stopped, 141 when nobody reads what is printed."""
    # SIGTERM ends a run like Ctrl-C does: children first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status = action()
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Python would try to print the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (Refused, *faults, OSError) as error:
        print(f'\n{error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        text = '\nStopped. Run the same command again to go on.'
        print(text, file=sys.stderr)
        return 130
