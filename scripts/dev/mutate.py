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
import subprocess
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
INSTALL = 'build/venv/bin/python scripts/wheel/install.py'
EXPORT = 'build/venv/bin/python scripts/series/export_patches.py'
BUILDS = {
    'python': f'{EXPORT} && {INSTALL}',
    'cpp': f'build/venv/bin/ninja -C build && {INSTALL}',
}
# Without optimization, a mutant takes a third of the time.
CONFIGURE = ('cmake', '-S', '.', '-B', 'build', '-DCMAKE_BUILD_TYPE=Debug')
# The project's own tests of the operators' results.
OWN_TESTS = (
    'fuzz|table|kernel_contracts|aliased_kernels|sized_gradients|differences|'
    'half_conversions|native_autograd|symbolic_shapes|saved_programs'
)


def dump_code(source):
    """Dump the AST without docstrings, annotations and imports."""
    compile(source, 'source', 'exec')  # detects more faults than the parser
    tree = ast.parse(source)
    imports = (ast.Import, ast.ImportFrom, ast.If)
    tree.body = [x for x in tree.body if not isinstance(x, imports)]
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(
                first.value, ast.Constant
            ):
                node.body = node.body[1:] or [ast.Pass()]
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
    old, new = (
        check_output(
            'g++', '-fpreprocessed', '-dD', '-E', '-P', '-xc++', '-', input=t
        )
        for t in (source, mutant)
    )
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


def evaluate_mutant(clone, path, mutant, language, upstream):
    """Return the verdict on a mutant, and the test that kills it."""
    file = clone / path
    source = file.read_text('utf-8')
    file.write_text(mutant, 'utf-8')
    try:
        if run('sh', '-c', BUILDS[language], cwd=clone).returncode:
            return 'does not compile', ''
        op_tests = f'^test_{Path(path).stem}_(op|api|kernel)$'
        for verdict, *tests in (
            ('killed upstream', '-R', op_tests),
            ('killed upstream', '-R', f'^({upstream})$'),
            ('killed', '-L', 'unit', '-E', f'^({upstream})$'),
            ('killed', '-R', f'^tools_test_({OWN_TESTS})$'),
        ):
            process = run(
                *('ctest', '--test-dir', 'build', '-j2', '--stop-on-failure'),
                *('--timeout', 600, *tests),
                cwd=clone,
            )
            if process.returncode:
                lines = process.stdout.splitlines()
                failed = [x for x in lines if '***' in x and 'Skip' not in x]
                return verdict, ' '.join(failed[:1]).split('***')[0].strip(' .')
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
        check_output(sys.executable, '-m', 'venv', scratch / 'tool')
        check_output(scratch / 'tool/bin/pip', 'install', '-q', TOOL)
        check_output('scripts/apply_and_build.sh', cwd=clone)
        if language == 'cpp':
            check_output(*CONFIGURE, cwd=clone)
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
    lines = results.read_text().splitlines() if results.exists() else []
    rows = [json.loads(line) for line in lines]
    seen = {(row['path'], row['mutant']) for row in rows}
    for path, i, mutant in all_mutants:
        verdicts = Counter(row['verdict'] for row in rows)
        if len(rows) - verdicts['does not compile'] >= args.count:
            break
        source = (clone / path).read_text('utf-8')
        if (path, i) in seen or not differs(language, source, mutant):
            continue
        verdict, test = evaluate_mutant(clone, path, mutant, language, names)
        diff = subprocess.run(
            ['diff', '-U0', clone / path, '-'],
            input=mutant, capture_output=True, text=True, check=False,
        ).stdout.splitlines()[2:]  # fmt: skip
        row = {'path': path, 'mutant': i, 'verdict': verdict, 'test': test}
        rows.append(row)
        with results.open('a') as file:
            file.write(json.dumps({**row, 'diff': diff}) + '\n')
        print(verdict, test, path, *diff, sep='\n  ', flush=True)
    print(dict(Counter(row['verdict'] for row in rows)))


if __name__ == '__main__':
    main()
