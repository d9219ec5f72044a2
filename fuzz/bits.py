"""Compare the results of two builds bit by bit on the same random calls.

    python -m fuzz.bits --cases 7200 --write before.txt     # with one build
    python -m fuzz.bits --cases 7200 --against before.txt   # with the other

Covers results, gradients and error types of dygraph calls, drawn as by
`python -m fuzz`; the exit code is 1 if a case differs from the file.
"""

import argparse
import hashlib
import itertools
import sys
from pathlib import Path

import numpy as np

from fuzz.__main__ import enumerate_cases, format_command
from fuzz.draw import APIS, draw
from fuzz.run import results


def digest(case):
    """Return a hash of all results of a case, or the type of its error."""
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
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument('--write', type=Path, metavar='FILE')
    mode.add_argument('--against', type=Path, metavar='FILE')
    options = parser.parse_args(arguments)
    cases = enumerate_cases(options.seed, APIS)
    cases = list(itertools.islice(cases, options.cases))
    digests = [digest(case) for case in cases]
    if options.write:
        options.write.write_text('\n'.join(digests) + '\n')
        print(f'{len(digests)} cases written')
        return 0
    expected = options.against.read_text().split()
    if len(expected) != len(digests):
        sys.exit(f'fuzz.bits: {options.against} has {len(expected)} cases')
    differences = [
        f'{old} became {new}: {format_command(*case)}'
        for old, new, case in zip(expected, digests, cases)
        if old != new
    ]
    print('\n'.join(differences[:20]))
    print(f'{len(digests)} cases, {len(differences)} differ')
    return int(bool(differences))


if __name__ == '__main__':
    raise SystemExit(main())
