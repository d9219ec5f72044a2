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
    re.compile(r'\berrors::\w+\(\s*(?!["\s])'): (
        'a literal string has to follow errors::'
    ),
    re.compile(r'\bconst_cast<'): 'take what is const as const',
    re.compile(r'PADDLE_ENFORCE_\w+\([^;]*?,\s*(true|false),\s*common::'): (
        'PADDLE_THROW in an if: a user can make nothing of "Expected fits == '
        'true"'
    ),
}


def tool(name):
    """A program that belongs to this interpreter's environment."""
    path = Path(sysconfig.get_paths()['scripts']) / name
    if not path.is_file():
        sys.exit(f'lint: {path} is missing: pip install -r requirements.txt')
    return str(path)


def cpp_files(*folders):
    """Their C++ and CUDA sources."""
    paths = (p for x in folders for p in sorted((ROOT / x).rglob('*')))
    return [str(p.relative_to(ROOT)) for p in paths if p.suffix in CPP_SUFFIXES]


def commands(language, fix):
    """What to run for one language."""
    if language == 'cpp':
        mode = ['-i'] if fix else ['--dry-run', '-Werror']
        return [[tool('clang-format'), *mode, *cpp_files(*CPP_FOLDERS)]]
    check, layout = (['--fix'], []) if fix else ([], ['--check'])
    return [
        [tool('ruff'), 'check', '--no-cache', *check, '.'],
        [tool('ruff'), 'format', '--no-cache', *layout, '.'],
    ]


def refused(text):
    """(line, what to do) of each place that Paddle's CI or users dislike."""
    for pattern, instead in REFUSED.items():
        for match in pattern.finditer(text):
            yield text.count('\n', 0, match.start()) + 1, instead


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    languages = ('python', 'cpp')
    add('language', nargs='?', choices=languages, help='both if none is named')
    add('--fix', action='store_true')
    args = parser.parse_args()
    failed = False
    for language in [args.language] if args.language else languages:
        for command in commands(language, args.fix):
            failed |= bool(subprocess.run(command, cwd=ROOT).returncode)
    kernels = () if args.language == 'python' else cpp_files('kernels')
    for path in kernels:
        for line, instead in refused((ROOT / path).read_text('utf-8')):
            failed = True
            print(f'{path}:{line}: {instead}')
    if failed:
        sys.exit('lint: failed; python scripts/dev/lint.py --fix repairs most')


if __name__ == '__main__':
    main()
