"""Compares the bits of two builds on the same random calls.

    python -m fuzz.bits --cases 7200 --write before.txt     # with one build
    python -m fuzz.bits --cases 7200 --against before.txt   # with the other

Results and gradients of dygraph calls, from the seeds that `python -m fuzz` takes;
exit code 1 if a case has other bits, or another error, than in the file.
"""

import argparse
import hashlib
import itertools
import sys
from pathlib import Path

import numpy as np

from fuzz.__main__ import cases, command
from fuzz.draw import APIS, draw
from fuzz.run import results


def digest(case):
    """Of the bytes of all results of a case, or the kind of its error."""
    try:
        arrays = results(draw(*case))
    except Exception as error:
        return type(error).__name__
    sha = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        sha.update(repr((array.shape, str(array.dtype))).encode())
        sha.update(array.tobytes())
    return sha.hexdigest()[:16]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add('--cases', type=int, default=7200)
    add('--seed', type=int, default=0)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument('--write', type=Path, metavar='FILE')
    where.add_argument('--against', type=Path, metavar='FILE')
    options = parser.parse_args(arguments)
    chosen = list(itertools.islice(cases(options.seed, APIS), options.cases))
    digests = [digest(case) for case in chosen]
    if options.write:
        options.write.write_text('\n'.join(digests) + '\n')
        print(f'{len(digests)} cases written')
        return 0
    expected = options.against.read_text().split()
    if len(expected) != len(digests):
        sys.exit(f'fuzz.bits: {options.against} has {len(expected)} cases')
    faults = [
        f'{old} became {new}: {command(*case)}'
        for old, new, case in zip(expected, digests, chosen)
        if old != new
    ]
    print('\n'.join(faults[:20]))
    print(f'{len(digests)} cases, {len(faults)} differ')
    return int(bool(faults))


if __name__ == '__main__':
    raise SystemExit(main())
