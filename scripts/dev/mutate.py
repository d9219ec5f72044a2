"""Measure which mutants of the operators the tests kill.

universalmutator (PyPI) generates the mutants in a clone of the last commit,
which is built in --scratch. The tests in unittests/ run first, then the
project's own, until one fails. Each survivor is equivalent or lacks a test.
"""

import argparse
import dis
import inspect
import random
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import check_output, run

ROOT = Path(__file__).resolve().parents[2]
TOOL = 'universalmutator==1.14.1'
SOURCES = {
    'python': ('python_api/*.py',),
    'cpp': (
        'kernels/funcs/scatter_ops/cpu/*.h',
        'kernels/funcs/scatter_ops/shared/*.h',
        'kernels/funcs/scatter_ops/index_reduce/*/*.h',
        'kernels/infermeta/*.cc',
        'kernels/cpu/*.cc',
        'kernels/impl/*.h',
    ),
}
CHECK = 'build/venv/bin/python -m py_compile python_api/*.py'
INSTALL = 'build/venv/bin/python scripts/wheel/install.py'
EXPORT = 'build/venv/bin/python scripts/series/export_patches.py'
BUILDS = {
    'python': f'{CHECK} && {EXPORT} && {INSTALL}',
    'cpp': f'build/venv/bin/ninja -C build && {INSTALL}',
}
# Unoptimized and without debug information, a mutant compiles six times as fast.
# The build type is set last, since changing the compiler resets CMake's cache.
CONFIGURE = [
    ('cmake', '-S', '.', '-B', 'build', option, '-DCMAKE_CXX_FLAGS_DEBUG=')
    for option in ('-DCMAKE_CXX_COMPILER=clang++', '-DCMAKE_BUILD_TYPE=Debug')
]
TIME_LIMIT = 180  # seconds per test, since some mutants deadlock
# The project's own tests of the operators' results.
OWN_TESTS = (
    'fuzz|kernel_contracts|aliased_kernels|sized_gradients|differences|'
    'native_autograd|symbolic_shapes|saved_programs|registered_kernels'
)


def list_code_lines(path):
    """Return the numbers of lines of code; in Python, those of functions."""
    text = path.read_text('utf-8')
    if path.suffix != '.py':
        lines = enumerate(map(str.lstrip, text.splitlines()), 1)
        return [n for n, line in lines if not line.startswith(('//', '#'))]
    codes = [compile(text, path, 'exec')]
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
    return sorted(
        {line for code in codes[1:] for _, line in dis.findlinestarts(code)}
        - {None}
    )


def generate_mutants(scratch, clone, path):
    """Return [(path, text)] of all mutants of a file in a fixed order."""
    folder = scratch / 'mutants' / path
    if not folder.exists():
        folder.mkdir(parents=True)
        numbers = list_code_lines(clone / path)
        (scratch / 'lines').write_text('\n'.join(map(str, numbers)))
        # To universalmutator, {- begins a comment.
        source = (clone / path).read_text('utf-8').replace('{-', '{ -')
        (scratch / path.name).write_text(source, 'utf-8')
        check_output(
            *(scratch / 'tool/bin/mutate', path.name, clone.name),
            *('--noCheck', '--mutantDir', folder, '--lines', 'lines'),
            cwd=scratch,
        )
    texts = [p.read_text('utf-8') for p in sorted(folder.iterdir())]
    return [(path, text.replace('{ -', '{-')) for text in texts]


def find_verdict(clone, path):
    """Return the verdict on the mutant in a file of the clone."""
    names = '|'.join(p.stem for p in (clone / 'unittests').glob('test_*.py'))
    op_tests = f'test_{Path(path).stem}_(op|api|kernel)'
    ctest = 'ctest --test-dir build -j2 --stop-on-failure'
    commands = [
        ('does not compile', BUILDS[clone.name]),
        ('killed upstream', f"{ctest} -R '^{op_tests}$'"),
        ('killed upstream', f"{ctest} -R '^({names})$'"),
        ('killed', f"{ctest} -L unit -E '^({names})$'"),
        ('killed', f"{ctest} -R '^tools_test_({OWN_TESTS})$'"),
    ]
    for verdict, command in commands:
        if run('sh', '-c', command, cwd=clone).returncode:
            return verdict
    return 'survived'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('language', choices=SOURCES)
    parser.add_argument('--scratch', type=Path, required=True)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    scratch = args.scratch.resolve()
    clone = scratch / args.language
    if not clone.exists():
        check_output('git', 'clone', '-q', ROOT, clone)
        lists = clone / 'CMakeLists.txt'
        limit = f'TIMEOUT {TIME_LIMIT}'
        lists.write_text(re.sub(r'TIMEOUT \d+', limit, lists.read_text()))
        check_output(sys.executable, '-m', 'venv', scratch / 'tool')
        check_output(scratch / 'tool/bin/pip', 'install', '-q', TOOL)
        check_output('scripts/apply_and_build.sh', cwd=clone)
        for command in CONFIGURE if args.language == 'cpp' else ():
            check_output(*command, cwd=clone)
    paths = [p for x in SOURCES[args.language] for p in sorted(clone.glob(x))]
    mutants = [
        mutant
        for path in paths
        for mutant in generate_mutants(scratch, clone, path.relative_to(clone))
    ]
    random.Random(args.seed).shuffle(mutants)
    verdicts = Counter()
    while mutants and sum(verdicts.values()) < args.count:
        path, mutant = mutants.pop()
        check_output('git', '-C', clone, 'checkout', 'kernels', 'python_api')
        (clone / path).write_text(mutant, 'utf-8')
        verdict = find_verdict(clone, path)
        if verdict != 'does not compile':
            verdicts[verdict] += 1
            diff = check_output('git', 'diff', '-U0', path, cwd=clone)
            print(verdict, diff, sep='\n', flush=True)
    print(dict(verdicts))


if __name__ == '__main__':
    main()
