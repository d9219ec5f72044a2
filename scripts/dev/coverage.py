"""Prints which lines of the operators the tests that go upstream don't execute.

The CPU kernels and InferMeta are compiled without optimization and with gcov's
counters into a copy of the built Paddle, and coverage.py (PyPI) watches the Python
functions. A line of a template counts as executed if one instance of it was.
"""

import ast
import json
import os
import shutil
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import check_output
from scripts.dev.variant import build_variant
from scripts.series.tree_edits import upstream_path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / 'build'
PYTHON = BUILD / 'venv/bin/python'
FOLDER = BUILD / 'coverage'
TOOL = 'coverage==7.17.5'
# All kernels and InferMeta functions include one of these.
HEADERS = [
    f'kernels/funcs/scatter_ops/{x}'
    for x in (
        'shared/checks.h',
        'shared/types.h',
        'index_reduce/shared/checks.h',
    )
]
TREE = 'paddle/phi/kernels/'  # kernels/ in what the compiler says


def run_test(path):
    environment = {
        **os.environ,
        'PYTHONPATH': f'{FOLDER}/module:{FOLDER}/tool:{ROOT}/unittests/harness',
        'LD_LIBRARY_PATH': f'{FOLDER}/module/paddle/libs',
        'COVERAGE_FILE': f'{FOLDER}/data/.coverage.{path.stem}',
    }
    watch = (
        '-m',
        'coverage',
        'run',
        '--include=*/paddle/tensor/manipulation.py',
    )
    check_output(PYTHON, *watch, path, env=environment)


def python_lines():
    """{function: {line: times}} of python_api/ in the installed Paddle."""
    environment = {**os.environ, 'PYTHONPATH': f'{FOLDER}/tool'}
    environment['COVERAGE_FILE'] = f'{FOLDER}/data/.coverage'
    coverage = (PYTHON, '-m', 'coverage')
    check_output(*coverage, 'combine', '-q', FOLDER / 'data', env=environment)
    report = FOLDER / 'python.json'
    check_output(*coverage, 'json', '-q', '-o', report, env=environment)
    ((path, found),) = json.loads(report.read_text())['files'].items()
    sources = [x.read_text('utf-8') for x in (ROOT / 'python_api').glob('*.py')]
    bodies = [node for text in sources for node in ast.parse(text).body]
    ours = {node.name for node in bodies if isinstance(node, ast.FunctionDef)}
    lines = {}
    for node in ast.parse(Path(path).read_text('utf-8')).body:
        if getattr(node, 'name', None) in ours:
            inside = range(node.lineno, node.end_lineno + 1)
            executed = {n: 1 for n in found['executed_lines'] if n in inside}
            missing = {n: 0 for n in found['missing_lines'] if n in inside}
            lines[node.name] = executed | missing
    return lines


def cpp_lines():
    """{source: {line: times}} of kernels/."""
    lines = defaultdict(Counter)
    for data in sorted((FOLDER / 'module/CMakeFiles').rglob('*.gcda')):
        said = check_output(
            'gcov', '--json-format', '--stdout', data, cwd=FOLDER
        )
        for file in json.loads(said)['files']:
            _, found, name = file['file'].rpartition(TREE)
            if found and (ROOT / 'kernels' / name).is_file():
                for line in file['lines']:
                    lines[name][line['line_number']] += line['count']
    return lines


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    check_output(
        PYTHON, '-m', 'pip', 'install', '-q', '--target', FOLDER / 'tool', TOOL
    )
    texts = {upstream_path(x): f'#include "{ROOT / x}"\n' for x in HEADERS}
    build_variant(
        BUILD, FOLDER / 'module', texts, '--coverage -O0', '--coverage'
    )
    (FOLDER / 'data').mkdir()
    with ThreadPoolExecutor(2) as pool:
        [*pool.map(run_test, sorted((ROOT / 'unittests').glob('test_*.py')))]
    for language, lines in ('C++', cpp_lines()), ('Python', python_lines()):
        times = [n for counts in lines.values() for n in counts.values()]
        share = 100 * sum(map(bool, times)) / len(times)
        print(f'{language}: {share:.1f} % of {len(times)} lines; not executed:')
        for name, counts in sorted(lines.items()):
            if missing := sorted(line for line in counts if not counts[line]):
                print(f'  {name}', *missing)


if __name__ == '__main__':
    main()
