"""Run ruff, clang-format, and the checks of kernel sources in Paddle's CI."""

import argparse
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# C++ files, including new ones.
LIST_CPP = "git ls-files -co --exclude-standard '*.h' '*.cc' '*.cu' '*.cuh'"
# Errors whose text is no literal, const_cast, and comparisons with true or false,
# whose errors ("Expected fits == true") do not help users.
FORBIDDEN_PATTERNS = (
    r'\berrors::\w+\(\s*(?!["\s])',
    r'\bconst_cast<',
    r'PADDLE_ENFORCE_\w+\([^;]*?,\s*(true|false),\s*common::',
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--fix', action='store_true', help='fix and format')
    fix = parser.parse_args().fix
    commands = (
        f'ruff check --no-cache {"--fix" if fix else ""} .',
        f'ruff format --no-cache {"" if fix else "--check"} .',
        f'{LIST_CPP} | xargs clang-format {"-i" if fix else "-n -Werror"}',
        # -z matches across lines; status 1 is no match, 2 an error.
        *(f"grep -rPzo '{x}' kernels; [ $? = 1 ]" for x in FORBIDDEN_PATTERNS),
    )
    # requirements-test.txt lists the programs of this Python's environment.
    os.environ['PATH'] = f'{sysconfig.get_path("scripts")}:{os.environ["PATH"]}'
    results = [subprocess.call(x, shell=True, cwd=ROOT) for x in commands]
    if any(results):
        sys.exit('lint: failed; python scripts/dev/lint.py --fix fixes most')


if __name__ == '__main__':
    main()
