"""Run ruff, clang-format, and the checks of kernel sources in Paddle's CI.

python scripts/dev/lint.py             check
python scripts/dev/lint.py --fix       fix and format
"""

import argparse
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# C++ files, including new ones.
LIST_CPP = "git ls-files -co --exclude-standard '*.h' '*.cc' '*.cu' '*.cuh'"
CHECKS = (
    'ruff check --no-cache .',
    'ruff format --no-cache --check .',
    f'{LIST_CPP} | xargs clang-format --dry-run -Werror',
)
FIXES = (
    'ruff check --no-cache --fix .',
    'ruff format --no-cache .',
    f'{LIST_CPP} | xargs clang-format -i',
)
# {pattern that kernels/ must not contain: advice}
FORBIDDEN_PATTERNS = {
    r'\berrors::\w+\(\s*(?!["\s])': 'pass a string literal to errors::',
    r'\bconst_cast<': 'use const types instead of const_cast',
    r'PADDLE_ENFORCE_\w+\([^;]*?,\s*(true|false),\s*common::': 'use an if with '
    'PADDLE_THROW: "Expected fits == true" does not help users',
}


def find_forbidden(path):
    """Yield a message for each match of FORBIDDEN_PATTERNS."""
    text = path.read_text('utf-8')
    for pattern, advice in FORBIDDEN_PATTERNS.items():
        for match in re.finditer(pattern, text):
            line = text.count('\n', 0, match.start()) + 1
            yield f'{path.relative_to(ROOT)}:{line}: {advice}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--fix', action='store_true')
    commands = FIXES if parser.parse_args().fix else CHECKS
    paths = (ROOT / 'kernels').rglob('*.*')
    faults = [fault for path in paths for fault in find_forbidden(path)]
    for fault in faults:
        print(fault)
    # requirements-test.txt lists the programs of this Python's environment.
    os.environ['PATH'] = f'{sysconfig.get_path("scripts")}:{os.environ["PATH"]}'
    results = [subprocess.call(x, shell=True, cwd=ROOT) for x in commands]
    if faults or any(results):
        sys.exit('lint: failed; python scripts/dev/lint.py --fix fixes most')


if __name__ == '__main__':
    main()
