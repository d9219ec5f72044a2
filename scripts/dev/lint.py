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
# What must not stand in kernels/, and what to do instead.
REFUSED = {
    r'\berrors::\w+\(\s*(?!["\s])': 'a literal string has to follow errors::',
    r'\bconst_cast<': 'take what is const as const',
    r'PADDLE_ENFORCE_\w+\([^;]*?,\s*(true|false),\s*common::': 'PADDLE_THROW in '
    'an if: a user can make nothing of "Expected fits == true"',
}


def cpp_files(*folders):
    """Their C++ and CUDA sources."""
    paths = (p for x in folders for p in sorted((ROOT / x).rglob('*')))
    return [str(p.relative_to(ROOT)) for p in paths if p.suffix in CPP_SUFFIXES]


def succeeds(name, *words):
    """Whether a program of this interpreter's environment finds no fault."""
    path = Path(sysconfig.get_paths()['scripts']) / name
    if not path.is_file():
        sys.exit(f'lint: {path} is missing: pip install -r requirements.txt')
    return subprocess.run([path, *words], cwd=ROOT).returncode == 0


def check_python(fix):
    check, layout = (['--fix'], []) if fix else ([], ['--check'])
    found = succeeds('ruff', 'check', '--no-cache', *check, '.')
    return succeeds('ruff', 'format', '--no-cache', *layout, '.') and found


def refused(text):
    """(line, what to do) of each place that Paddle's CI or users dislike."""
    for pattern, instead in REFUSED.items():
        for match in re.finditer(pattern, text):
            yield text.count('\n', 0, match.start()) + 1, instead


def check_cpp(fix):
    mode = ['-i'] if fix else ['--dry-run', '-Werror']
    good = succeeds('clang-format', *mode, *cpp_files(*CPP_FOLDERS))
    for path in cpp_files('kernels'):
        for line, instead in refused((ROOT / path).read_text('utf-8')):
            good = False
            print(f'{path}:{line}: {instead}')
    return good


def main():
    checks = {'python': check_python, 'cpp': check_cpp}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add('language', nargs='?', choices=checks, help='both if none is named')
    add('--fix', action='store_true')
    args = parser.parse_args()
    asked = [args.language] if args.language else checks
    results = [checks[language](args.fix) for language in asked]
    if not all(results):
        sys.exit('lint: failed; python scripts/dev/lint.py --fix repairs most')


if __name__ == '__main__':
    main()
