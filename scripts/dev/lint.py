"""Format and lint what is written by hand: ruff and clang-format.

python scripts/dev/lint.py             check everything
python scripts/dev/lint.py --fix       put right what the tools can
python scripts/dev/lint.py cpp         only C++ (or: python)
"""

import argparse
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP_FOLDERS = ('kernels', 'native', 'scripts', 'bench', 'unittests',
               'gpu_tests')  # fmt: skip
CPP_SUFFIXES = {'.h', '.cc', '.cu', '.cuh'}


def tool(name):
    """A program that belongs to this interpreter's environment."""
    path = Path(sysconfig.get_paths()['scripts']) / name
    if not path.is_file():
        sys.exit(f'lint: {path} is missing: pip install -r requirements.txt')
    return str(path)


def cpp_files():
    """Every C++ and CUDA source of ours."""
    paths = (p for x in CPP_FOLDERS for p in sorted((ROOT / x).rglob('*')))
    return [str(p.relative_to(ROOT)) for p in paths if p.suffix in CPP_SUFFIXES]


def commands(language, fix):
    """What to run for one language."""
    if language == 'cpp':
        mode = ['-i'] if fix else ['--dry-run', '-Werror']
        return [[tool('clang-format'), *mode, *cpp_files()]]
    check, layout = (['--fix'], []) if fix else ([], ['--check'])
    return [
        [tool('ruff'), 'check', '--no-cache', *check, '.'],
        [tool('ruff'), 'format', '--no-cache', *layout, '.'],
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add('language', nargs='*', help='python, cpp; both if none is named')
    add('--fix', action='store_true')
    args = parser.parse_args()
    unknown = set(args.language) - {'python', 'cpp'}
    if unknown:
        parser.error(f'not python or cpp: {", ".join(sorted(unknown))}')
    failed = False
    for language in args.language or ['python', 'cpp']:
        for command in commands(language, args.fix):
            failed |= bool(subprocess.run(command, cwd=ROOT).returncode)
    if failed:
        sys.exit('lint: failed; python scripts/dev/lint.py --fix repairs most')


if __name__ == '__main__':
    main()
