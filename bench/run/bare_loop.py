"""The limit of a case: a loop over the bytes that it has to read and write."""

import os
import subprocess
import tempfile
from pathlib import Path

from bench.run import inputs
from bench.run.cases import ITEM_BYTES

SOURCE = Path(__file__).with_suffix('.cc')
# Below, the time is that of the call.
LEAST_BYTES = 1 << 20


def traffic(case):
    """(bytes read, bytes written) of a forward call, its inputs once each."""
    made = inputs.build(case)
    item = ITEM_BYTES[case.dtype]
    read = sum(array.size * item for array in made.data.values())
    others = (*made.masks.values(), *made.index.values())
    read += sum(array.nbytes for array in others)
    return read, case.numel * item


def measure(results, cases):
    """Gives forward results `bare`, in milliseconds, with their threads."""
    by_name = {case.name: case for case in cases}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, 'bare_loop')
        options = ('-O3', '-mavx2', '-fopenmp', '-o')
        subprocess.run(['g++', SOURCE, *options, program], check=True)
        for result in results:
            case = by_name[result['name']]
            sizes = traffic(case) if case.mode == 'fwd' else (0, 0)
            if sum(sizes) < LEAST_BYTES:
                continue
            done = subprocess.run(
                [program, *map(str, sizes)],
                env={**os.environ, 'OMP_NUM_THREADS': str(result['threads'])},
                capture_output=True,
                check=True,
                text=True,
            )
            result['bare'] = float(done.stdout)
