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
CPP_FOLDERS = ('kernels', 'native', 'scripts', 'bench', 'unittests',
               'gpu_tests')  # fmt: skip
CPP_SUFFIXES = {'.h', '.cc', '.cu', '.cuh'}
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
    is_clean = succeeds('clang-format', *mode, *paths)
    for path in (path for path in paths if path.parts[0] == 'kernels'):
        text = (ROOT / path).read_text('utf-8')
        for pattern, advice in FORBIDDEN_PATTERNS.items():
            for match in re.finditer(pattern, text):
                is_clean = False
                line = text.count('\n', 0, match.start()) + 1
                print(f'{path}:{line}: {advice}')
    return is_clean


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--fix', action='store_true')
    fix = parser.parse_args().fix
    if not all([check_python(fix), check_cpp(fix)]):
        sys.exit('lint: failed; python scripts/dev/lint.py --fix fixes most')


if __name__ == '__main__':
    main()
