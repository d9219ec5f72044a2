"""Run ruff, clang-format, and the checks of kernel sources in Paddle's CI.

python scripts/dev/lint.py             check
python scripts/dev/lint.py --fix       fix and format
"""

import argparse
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# C++ files, including new ones.
LIST_CPP = 'git ls-files -co --exclude-standard *.h *.cc *.cu *.cuh'
# {pattern that kernels/ must not contain: advice}
FORBIDDEN_PATTERNS = {
    r'\berrors::\w+\(\s*(?!["\s])': 'pass a string literal to errors::',
    r'\bconst_cast<': 'use const types instead of const_cast',
    r'PADDLE_ENFORCE_\w+\([^;]*?,\s*(true|false),\s*common::': 'use an if with '
    'PADDLE_THROW: "Expected fits == true" does not help users',
}


def succeeds(name, *words):
    """Whether a program of this Python's environment exits with 0."""
    path = Path(sysconfig.get_paths()['scripts']) / name
    if not path.is_file():
        sys.exit(
            f'lint: {path} is missing: pip install -r requirements-test.txt'
        )
    return subprocess.run([path, *words], cwd=ROOT).returncode == 0


def find_forbidden(paths):
    """Yield a message for each match of FORBIDDEN_PATTERNS."""
    for path in paths:
        text = (ROOT / path).read_text('utf-8')
        for pattern, advice in FORBIDDEN_PATTERNS.items():
            for match in re.finditer(pattern, text):
                line = text.count('\n', 0, match.start()) + 1
                yield f'{path}:{line}: {advice}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--fix', action='store_true')
    fix = parser.parse_args().fix
    files = subprocess.check_output(LIST_CPP.split(), cwd=ROOT, text=True)
    paths = files.split()
    layout = ['-i'] if fix else ['--dry-run', '-Werror']
    faults = [*find_forbidden(p for p in paths if p.startswith('kernels/'))]
    print(*faults, sep='\n', end='\n' * bool(faults))
    checks = [
        succeeds('ruff', 'check', '--no-cache', *['--fix'] * fix, '.'),
        succeeds('ruff', 'format', '--no-cache', *['--check'] * (not fix), '.'),
        succeeds('clang-format', *layout, *paths),
        not faults,
    ]
    if not all(checks):
        sys.exit('lint: failed; python scripts/dev/lint.py --fix fixes most')


if __name__ == '__main__':
    main()
