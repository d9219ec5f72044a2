"""Format and lint what is written by hand: ruff, clang-format, and what Paddle's
CI looks for in the text of kernels.

python scripts/dev/lint.py             check everything
python scripts/dev/lint.py --fix       put right what the tools can
python scripts/dev/lint.py cpp         only C++ (or: python)
"""

import argparse
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP_FOLDERS = ('kernels', 'native', 'scripts', 'bench', 'unittests',
               'gpu_tests')  # fmt: skip
CPP_SUFFIXES = {'.h', '.cc', '.cu', '.cuh'}
# Patterns that are not allowed in kernels/, and what to write instead.
REFUSED = {
    r'\berrors::\w+\(\s*(?!["\s])': 'a literal string has to follow errors::',
    r'\bconst_cast<': 'take what is const as const',
    r'PADDLE_ENFORCE_\w+\([^;]*?,\s*(true|false),\s*common::': 'PADDLE_THROW in '
    'an if: a user can make nothing of "Expected fits == true"',
}


def succeeds(name, *words):
    """Whether a program of this interpreter's environment finds no fault."""
    path = Path(sysconfig.get_paths()['scripts']) / name
    if not path.is_file():
        sys.exit(
            f'lint: {path} is missing: pip install -r requirements-test.txt'
        )
    return subprocess.run([path, *words], cwd=ROOT).returncode == 0


def check_python(fix):
    check, layout = (['--fix'], []) if fix else ([], ['--check'])
    is_clean = succeeds('ruff', 'check', '--no-cache', *check, '.')
    return succeeds('ruff', 'format', '--no-cache', *layout, '.') and is_clean


def check_cpp(fix):
    mode = ['-i'] if fix else ['--dry-run', '-Werror']
    paths = [
        path.relative_to(ROOT)
        for folder in CPP_FOLDERS
        for path in sorted((ROOT / folder).rglob('*'))
        if path.suffix in CPP_SUFFIXES
    ]
    good = succeeds('clang-format', *mode, *paths)
    for path in (path for path in paths if path.parts[0] == 'kernels'):
        text = (ROOT / path).read_text('utf-8')
        for pattern, instead in REFUSED.items():
            for match in re.finditer(pattern, text):
                good = False
                line = text.count('\n', 0, match.start()) + 1
                print(f'{path}:{line}: {instead}')
    return good


def main():
    checks = {'python': check_python, 'cpp': check_cpp}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        'language', nargs='?', choices=checks, help='both if none is named'
    )
    parser.add_argument('--fix', action='store_true')
    args = parser.parse_args()
    languages = [args.language] if args.language else checks
    results = [checks[language](args.fix) for language in languages]
    if not all(results):
        sys.exit('lint: failed; python scripts/dev/lint.py --fix repairs most')


if __name__ == '__main__':
    main()
