"""Measure which mutants of the operators the tests kill.

universalmutator (PyPI) makes the mutants, in a clone of the last commit that is
built in the folder --scratch. A mutant is first run against the tests that go
upstream (unittests/), then against the project's own, until one fails. Mutants that
do not compile, and those that change comments, docstrings or annotations alone, are
skipped. Each result is appended to python.jsonl or cpp.jsonl there; a second run goes on
where the first one was stopped. Survivors are to be read: each is equivalent, or
lacks a test.
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
BUILDS = {
    'python': f'build/venv/bin/python scripts/series/export_patches.py && {INSTALL}',
    'cpp': f'build/venv/bin/ninja -C build && {INSTALL}',
}
# Compiled without optimization, a mutant takes a third of the time.
CONFIGURE = ('cmake', '-S', '.', '-B', 'build', '-DCMAKE_BUILD_TYPE=Debug')
# The project's own tests of what the operators compute.
OWN_TESTS = (
    'fuzz|table|kernel_contracts|aliased_kernels|sized_gradients|half_conversions|'
    'native_autograd|symbolic_shapes|saved_programs|differences'
)


def code_of(source):
    """A Python source without what changes no behaviour, and without imports, which
    the patches have elsewhere."""
    compile(source, 'source', 'exec')  # finds more faults than the parser
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
    """Whether a mutant is a program that may behave otherwise."""
    if language == 'python':
        try:
            return code_of(mutant) != code_of(source)
        except SyntaxError:
            return False
    old, new = (
        check_output(
            'g++', '-fpreprocessed', '-dD', '-E', '-P', '-xc++', '-', input=t
        )
        for t in (source, mutant)
    )
    return old.split() != new.split()


def mutants_of(scratch, language, path):
    """All mutants of a file, as texts in a fixed order."""
    folder = scratch / 'mutants' / path
    if not folder.exists():
        folder.mkdir(parents=True)
        check_output(
            *(scratch / 'tool/bin/mutate', path, language),
            *('--noCheck', '--mutantDir', folder),
            cwd=scratch / language,
        )
    return [p.read_text('utf-8') for p in sorted(folder.iterdir())]


def judge(clone, path, mutant, language, upstream):
    """What becomes of a mutant, and the test that kills it."""
    file = clone / path
    source = file.read_text('utf-8')
    file.write_text(mutant, 'utf-8')
    try:
        if run('sh', '-c', BUILDS[language], cwd=clone).returncode:
            return 'does not compile', ''
        for verdict, *tests in (
            (
                'killed upstream',
                '-R',
                f'^test_{Path(path).stem}_(op|api|kernel)$',
            ),
            ('killed upstream', '-R', f'^({upstream})$'),
            ('killed', '-L', 'unit', '-E', f'^({upstream})$'),
            ('killed', '-R', f'^tools_test_({OWN_TESTS})$'),
        ):
            done = run(
                *('ctest', '--test-dir', 'build', '-j2', '--stop-on-failure'),
                *('--timeout', 600, *tests),
                cwd=clone,
            )
            if done.returncode:
                lines = done.stdout.splitlines()
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
        for i, mutant in enumerate(mutants_of(scratch, language, path))
    ]
    random.Random(args.seed).shuffle(all_mutants)
    lines = results.read_text().splitlines() if results.exists() else []
    rows = [json.loads(line) for line in lines]
    seen = {(row['path'], row['mutant']) for row in rows}
    for path, i, mutant in all_mutants:
        verdicts = Counter(row['verdict'] for row in rows)
        judged = len(rows) - verdicts['does not compile']
        if judged >= args.count:
            break
        source = (clone / path).read_text('utf-8')
        if (path, i) in seen or not differs(language, source, mutant):
            continue
        verdict, test = judge(clone, path, mutant, language, names)
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
