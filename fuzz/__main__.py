"""Call the APIs with random arguments until one fails.

    python -m fuzz --cases 20000 --seed 1 [--only masked_scatter]

Before each case, its command is printed: the last one is that of a failure, a crash
or a deadlock.
"""

import argparse

import paddle
from fuzz.draw import APIS, draw
from fuzz.run import check


def main(arguments=None):
    parser = argparse.ArgumentParser('python -m fuzz')
    add = parser.add_argument
    add('--cases', type=int, default=3000)
    add('--first', type=int, default=0, metavar='NUMBER')
    add('--seed', type=int, default=0)
    add('--only', choices=APIS)
    options = parser.parse_args(arguments)
    for number in range(options.first, options.first + options.cases):
        case = draw(options.seed, number, options.only)
        command = f'--seed {options.seed} --only {case.api} --first {number}'
        print(f'\rpython -m fuzz {command} --cases 1   ', end='', flush=True)
        check(case)
    print(f'\n{options.cases} cases passed with {paddle.__path__[0]}')


if __name__ == '__main__':
    main()
