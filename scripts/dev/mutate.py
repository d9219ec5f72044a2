"""Measure which mutants of the operators the tests kill.

universalmutator (PyPI) generates the mutants in a clone of the last commit,
which is built in --scratch. The tests in unittests/ run first, then the
project's own, until one fails. Verdicts are appended to python.jsonl or
cpp.jsonl in that folder, and a rerun resumes. Each survivor is equivalent or
lacks a test.
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
TIME_LIMIT = 180  # of a test in seconds: some mutants deadlock
# The project's own tests of the operators' results.
OWN_TESTS = (
    'fuzz|kernel_contracts|aliased_kernels|sized_gradients|differences|'
    'native_autograd|symbolic_shapes|saved_programs|registered_kernels'
)


def is_constant(statement):
    """Whether a statement is a docstring or "..."."""
    is_expression = isinstance(statement, ast.Expr)
    return is_expression and isinstance(statement.value, ast.Constant)


def list_code_lines(path):
    """Return the numbers of lines of code; in Python, of functions' statements."""
    text = path.read_text('utf-8')
    lines = enumerate(text.splitlines(), 1)
    numbers = [n for n, line in lines if re.match(r'\s*(?!//|#)\S', line)]
    if path.suffix != '.py':
        return numbers
    executed = {
        number
        for node in ast.walk(ast.parse(text))
        for statement in (
            node.body if isinstance(node, ast.FunctionDef) else ()
        )
        if not is_constant(statement)
        for number in range(statement.lineno, statement.end_lineno + 1)
    }
    return [n for n in numbers if n in executed]


def generate_mutants(scratch, language, path):
    """Yield the texts of all mutants of a file in a fixed order."""
    folder = scratch / 'mutants' / path
    if not folder.exists():
        folder.mkdir(parents=True)
        lines = scratch / 'lines'
        numbers = list_code_lines(scratch / language / path)
        lines.write_text(''.join(f'{number}\n' for number in numbers))
        check_output(
            *(scratch / 'tool/bin/mutate', path, language, '--noCheck'),
            *('--mutantDir', folder, '--lines', lines),
            cwd=scratch / language,
        )
    yield from (p.read_text('utf-8') for p in sorted(folder.iterdir()))


def evaluate_mutant(clone, path, mutant, language):
    """Return the verdict on a mutant."""
    names = '|'.join(p.stem for p in (clone / 'unittests').glob('test_*.py'))
    op_tests = f'test_{Path(path).stem}_(op|api|kernel)'
    ctest = 'ctest --test-dir build -j2 --stop-on-failure'
    commands = [
        ('does not compile', BUILDS[language]),
        ('killed upstream', f"{ctest} -R '^{op_tests}$'"),
        ('killed upstream', f"{ctest} -R '^({names})$'"),
        ('killed', f"{ctest} -L unit -E '^({names})$'"),
        ('killed', f"{ctest} -R '^tools_test_({OWN_TESTS})$'"),
    ]
    source = (clone / path).read_text('utf-8')
    (clone / path).write_text(mutant, 'utf-8')
    try:
        for verdict, command in commands:
            if run('sh', '-c', command, cwd=clone).returncode:
                return verdict
        return 'survived'
    finally:
        (clone / path).write_text(source, 'utf-8')


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
        limits = re.sub(
            r'TIMEOUT \d+', f'TIMEOUT {TIME_LIMIT}', lists.read_text()
        )
        lists.write_text(limits)
        check_output(sys.executable, '-m', 'venv', scratch / 'tool')
        check_output(scratch / 'tool/bin/pip', 'install', '-q', TOOL)
        check_output('scripts/apply_and_build.sh', cwd=clone)
        for command in CONFIGURE if language == 'cpp' else ():
            check_output(*command, cwd=clone)
    paths = [
        str(path.relative_to(clone))
        for pattern in SOURCES[language]
        for path in sorted(clone.glob(pattern))
    ]
    mutants = [
        (path, i, mutant)
        for path in paths
        for i, mutant in enumerate(generate_mutants(scratch, language, path))
    ]
    random.Random(args.seed).shuffle(mutants)
    results.touch()
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    seen = {(row['path'], row['mutant']) for row in rows}
    for path, i, mutant in mutants:
        compiled = [x for x in rows if x['verdict'] != 'does not compile']
        if len(compiled) >= args.count:
            break
        if (path, i) in seen:
            continue
        texts = (clone / path).read_text('utf-8'), mutant
        diff = unified_diff(*map(str.splitlines, texts), n=0, lineterm='')
        verdict = evaluate_mutant(clone, path, mutant, language)
        rows.append({'path': path, 'mutant': i, 'verdict': verdict})
        print(verdict, path, *[*diff][2:], sep='\n  ', flush=True)
        with results.open('a') as file:
            file.write(json.dumps(rows[-1]) + '\n')
    print(dict(Counter(row['verdict'] for row in rows)))


if __name__ == '__main__':
    main()
