"""Call the APIs with random arguments until one fails; the exit code is then 1.

    python -m fuzz --cases 20000 --seed 1 [--only masked_scatter]
    python -m fuzz --cases 7200 --write before.txt     # result bits of one build
    python -m fuzz --cases 7200 --against before.txt   # compare those of another

Before each case, its command is printed: the last one is that of a failure, a crash
or a deadlock.
"""

import argparse
import hashlib
import itertools
from pathlib import Path

from fuzz.draw import APIS, draw
from fuzz.run import check, results


def digest(case):
    """Return a hash of all results of a case, or the type of its error."""
    try:
        arrays = results(case).values()
    except Exception as error:
        return type(error).__name__
    parts = [repr((a.shape, a.dtype)).encode() + a.tobytes() for a in arrays]
    return hashlib.sha256(b''.join(parts)).hexdigest()[:16]


def main(arguments=None):
    parser = argparse.ArgumentParser('python -m fuzz')
    add = parser.add_argument
    add('--cases', type=int, default=3000)
    add('--seed', type=int, default=0)
    add('--only', choices=APIS, action='append', help='can be repeated')
    add('--case', type=int, metavar='NUMBER', help='run one case of --only')
    add('--write', type=Path, metavar='FILE')
    add('--against', type=Path, metavar='FILE')
    options = parser.parse_args(arguments)
    one = options.case is not None
    numbers = [options.case] if one else range(options.cases)
    old = options.against and options.against.read_text().split()
    if options.against and len(old) < len(numbers):
        parser.error(f'{options.against} has only {len(old)} results')
    digests = []
    for number, api in zip(numbers, itertools.cycle(options.only or APIS)):
        command = f'--seed {options.seed} --only {api} --case {number}'
        print(f'python -m fuzz {command}', end='\r', flush=True)
        case, problems = draw(options.seed, number, api), []
        if options.write or old:
            digests.append(digest(case))
            if old and digests[-1] != (before := old[len(digests) - 1]):
                problems = [f'{before} became {digests[-1]}']
        else:
            problems = check(case)
        if problems:
            print(f'\nFAIL {api} {case.dtype}: {"; ".join(problems)}')
            return 1
    if options.write:
        options.write.write_text('\n'.join(digests) + '\n')
    print(f'\n{len(numbers)} cases passed')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
