"""Call the APIs with random arguments until one fails.

    python -m fuzz --cases 20000 --seed 1 [--only masked_scatter]
    python -m fuzz --cases 7200 --write before.txt     # result bits of one build
    python -m fuzz --cases 7200 --against before.txt   # compare those of another

Before each case, its command is printed: the last one is that of a failure, a crash
or a deadlock.
"""

import argparse
import hashlib
from pathlib import Path

from fuzz.draw import APIS, draw
from fuzz.run import check, results


def digest(case):
    """Return a hash of all results of a case."""
    arrays = results(case).values()
    parts = [repr((a.shape, a.dtype)).encode() + a.tobytes() for a in arrays]
    return hashlib.sha256(b''.join(parts)).hexdigest()[:16]


def main(arguments=None):
    parser = argparse.ArgumentParser('python -m fuzz')
    add = parser.add_argument
    add('--cases', type=int, default=3000)
    add('--first', type=int, default=0, metavar='NUMBER')
    add('--seed', type=int, default=0)
    add('--only', choices=APIS)
    add('--write', type=Path, metavar='FILE')
    add('--against', type=Path, metavar='FILE')
    options = parser.parse_args(arguments)
    old = options.against.read_text().split() if options.against else []
    digests = []
    for number in range(options.first, options.first + options.cases):
        case = draw(options.seed, number, options.only)
        command = f'--seed {options.seed} --only {case.api} --first {number}'
        print(f'\rpython -m fuzz {command} --cases 1   ', end='', flush=True)
        if options.write:
            digests.append(digest(case))
        elif options.against:
            assert digest(case) == old.pop(0), 'the results differ'
        else:
            check(case)
    if options.write:
        options.write.write_text('\n'.join(digests) + '\n')
    print(f'\n{options.cases} cases passed')


if __name__ == '__main__':
    main()
