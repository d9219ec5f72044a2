"""Measure which mutants of the operators the tests kill.

universalmutator (PyPI) generates the mutants in a clone of the last commit,
which is built in --scratch. The tests in unittests/ run first, then the
project's own, until one fails. Mutants that do not compile, or only change
comments, docstrings or annotations, are skipped. Results are appended to
python.jsonl or cpp.jsonl in that folder, and a rerun resumes. Each survivor is
equivalent or lacks a test.
"""

import argparse
import ast
import json
import random
import re
import sys
from collections import Counter
from difflib import unified_diff
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
INSTALL = 'build/venv/bin/python scripts/wheel/install.py'
EXPORT = 'build/venv/bin/python scripts/series/export_patches.py'
BUILDS = {
    'python': f'{EXPORT} && {INSTALL}',
    'cpp': f'build/venv/bin/ninja -C build && {INSTALL}',
}
# Unoptimized and without debug information, a mutant compiles six times as fast.
# The build type is set last, since changing the compiler resets CMake's cache.
CONFIGURE = [
    ('cmake', '-S', '.', '-B', 'build', option, '-DCMAKE_CXX_FLAGS_DEBUG=')
    for option in ('-DCMAKE_CXX_COMPILER=clang++', '-DCMAKE_BUILD_TYPE=Debug')
]
# Some mutants deadlock: time limits in seconds of a test, of one in unittests/.
TIME_LIMIT, UPSTREAM_TIME_LIMIT = 180, 120
# In the output of ctest.
FAILED_TEST = re.compile(r'Test +#\d+: (\w+) .*\*\*\*(?!Skip)(\w+)')
# The project's own tests of the operators' results.
OWN_TESTS = (
    'fuzz|kernel_contracts|aliased_kernels|sized_gradients|differences|'
    'native_autograd|symbolic_shapes|saved_programs|registered_kernels'
)


def is_executed(statement):
    """Whether a statement of a module is neither an import nor an overload."""
    decorators = getattr(statement, 'decorator_list', [])
    if 'overload' in map(ast.unparse, decorators):
        return False
    return not isinstance(statement, (ast.Import, ast.ImportFrom, ast.If))


def dump_code(source):
    """Dump the AST without docstrings, annotations, imports and overloads."""
    compile(source, 'source', 'exec')  # detects more faults than the parser
    tree = ast.parse(source)
    tree.body = [x for x in tree.body if is_executed(x)]
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)):
            if ast.get_docstring(node) is not None:
                del node.body[0]
        for name in ('annotation', 'returns'):
            if hasattr(node, name):
                setattr(node, name, None)
    return ast.dump(tree)


def differs(language, source, mutant):
    """Whether a mutant is valid and may behave differently."""
    if language == 'python':
        try:
            return dump_code(mutant) != dump_code(source)
        except (SyntaxError, ValueError):  # as for a null byte
            return False
    command = 'g++', '-fpreprocessed', '-dD', '-E', '-P', '-xc++', '-'
    old, new = (run(*command, input=t).stdout for t in (source, mutant))
    return old.split() != new.split()


def generate_mutants(scratch, language, path):
    """Return the texts of all mutants of a file in a fixed order."""
    folder = scratch / 'mutants' / path
    if not folder.exists():
        folder.mkdir(parents=True)
        check_output(
            *(scratch / 'tool/bin/mutate', path, language),
            *('--noCheck', '--mutantDir', folder),
            cwd=scratch / language,
        )
    return [p.read_text('utf-8') for p in sorted(folder.iterdir())]


def list_commands(language, path, upstream):
    """Return [(verdict if it fails, shell command)] of a mutant of a file."""
    op_tests = f'test_{Path(path).stem}_(op|api|kernel)'
    ctest = 'ctest --test-dir build -j2 --stop-on-failure'
    return [
        ('does not compile', BUILDS[language]),
        ('killed upstream', f"{ctest} -R '^{op_tests}$'"),
        ('killed upstream', f"{ctest} -R '^({upstream})$'"),
        ('killed', f"{ctest} -L unit -E '^({upstream})$'"),
        ('killed', f"{ctest} -R '^tools_test_({OWN_TESTS})$'"),
    ]


def evaluate_mutant(file, mutant, commands, cwd):
    """Return the verdict on a mutant, and which test fails, and how."""
    source = file.read_text('utf-8')
    file.write_text(mutant, 'utf-8')
    try:
        for verdict, command in commands:
            process = run('sh', '-c', command, cwd=cwd)
            if process.returncode:
                failed = FAILED_TEST.search(process.stdout)
                return verdict, ' '.join(failed.groups()) if failed else ''
        return 'survived', ''
    finally:
        file.write_text(source, 'utf-8')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('language', choices=SOURCES)
    parser.add_argument('--scratch', type=Path, required=True)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    scratch, language = args.scratch.resolve(), args.language
    clone, results = scratch / language, scratch / f'{language}.jsonl'
    if not clone.exists():
        check_output('git', 'clone', '-q', ROOT, clone)
        lists = clone / 'CMakeLists.txt'
        text = lists.read_text('utf-8')
        text = text.replace('TIMEOUT 900', f'TIMEOUT {TIME_LIMIT}')
        # The first failure ends a test.
        text = text.replace('set(runner "${file}")', 'set(runner "${file}" -f)')
        limit = f'PROPERTIES TIMEOUT {UPSTREAM_TIME_LIMIT}'
        lists.write_text(text.replace('{stem} PROPERTIES', f'{{stem}} {limit}'))
        check_output(sys.executable, '-m', 'venv', scratch / 'tool')
        check_output(scratch / 'tool/bin/pip', 'install', '-q', TOOL)
        check_output('scripts/apply_and_build.sh', cwd=clone)
        if language == 'cpp':
            for command in CONFIGURE:
                check_output(*command, cwd=clone)
    names = '|'.join(p.stem for p in (clone / 'unittests').glob('test_*.py'))
    paths = [
        str(p.relative_to(clone))
        for pattern in SOURCES[language]
        for p in sorted(clone.glob(pattern))
    ]
    all_mutants = [
        (path, i, mutant)
        for path in paths
        for i, mutant in enumerate(generate_mutants(scratch, language, path))
    ]
    random.Random(args.seed).shuffle(all_mutants)
    results.touch()
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    seen = {(row['path'], row['mutant']) for row in rows}
    for path, i, mutant in all_mutants:
        compiled = [x for x in rows if x['verdict'] != 'does not compile']
        if len(compiled) >= args.count:
            break
        source = (clone / path).read_text('utf-8')
        if (path, i) in seen or not differs(language, source, mutant):
            continue
        commands = list_commands(language, path, names)
        verdict, test = evaluate_mutant(clone / path, mutant, commands, clone)
        texts = source.splitlines(), mutant.splitlines()
        diff = [*unified_diff(*texts, n=0, lineterm='')][2:]
        row = {'path': path, 'mutant': i, 'verdict': verdict, 'test': test}
        rows.append(row)
        with results.open('a') as file:
            file.write(json.dumps({**row, 'diff': diff}) + '\n')
        print(verdict, test, path, *diff, sep='\n  ', flush=True)
    print(dict(Counter(row['verdict'] for row in rows)))


if __name__ == '__main__':
    main()
