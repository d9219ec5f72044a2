"""How long work takes on the device, apart from what the host does."""

import statistics
import time

import torch

from gpu_tests import device

# More than the cache of any GPU; overwritten before each sample, which also
# keeps the device busy while the host queues what is measured.
FLUSH_BYTES = 256 << 20
SAMPLE_SECONDS = 0.05
MOST_SAMPLES = 50


class Clock:
    """Times calls by events on the stream; in the emulation, by the host."""

    def __init__(self):
        real = not device.emulated()
        self.flushed = torch.empty(
            FLUSH_BYTES if real else 1, dtype=torch.uint8, device=device.name()
        )

    def sample(self, call):
        """Milliseconds of one call."""
        self.flushed.zero_()
        if device.emulated():
            start = time.perf_counter()
            call()
            return (time.perf_counter() - start) * 1e3
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        result = call()
        end.record()
        end.synchronize()
        del result
        return start.elapsed_time(end)

    def turn(self, call):
        """Median milliseconds of a few calls, after one to warm up."""
        first = max(self.sample(call), 1e-3)
        count = min(MOST_SAMPLES, max(3, int(SAMPLE_SECONDS * 1e3 / first)))
        return statistics.median(self.sample(call) for _ in range(count))


def measure(clock, sides, turns):
    """{name: median milliseconds} of calls that take turns."""
    taken = {name: [] for name in sides}
    for _ in range(turns):
        for name, call in sides.items():
            taken[name].append(clock.turn(call))
    return {name: statistics.median(times) for name, times in taken.items()}


def copy_of(byte_count):
    """A device-to-device copy that reads and writes so many bytes in all."""
    source, target = (
        torch.zeros(byte_count // 2, dtype=torch.uint8, device=device.name())
        for _ in range(2)
    )
    return lambda: target.copy_(source)
