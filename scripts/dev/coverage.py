"""Print the lines of the operators that the tests in unittests/ don't execute.

The module is compiled without optimization and with gcov's counters into a copy of
the built Paddle; coverage.py (PyPI) traces the Python functions. A line of a
template is executed if any instance executes it.
"""

import json
import os
import shutil
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import check_output
from scripts.dev.export_api_docs import parse_functions
from scripts.dev.variant import build_variant

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / 'build'
PYTHON = BUILD / 'venv/bin/python'
FOLDER = BUILD / 'coverage'
TOOL = 'coverage==7.17.5'
TREE = 'paddle/phi/kernels/'  # kernels/ in the compiler's output


def run_coverage(data, *arguments):
    """Run coverage.py on the built Paddle with a data file."""
    environment = {
        **os.environ,
        'PYTHONPATH': f'{FOLDER}/module:{FOLDER}/tool:{ROOT}/unittests/harness',
        'LD_LIBRARY_PATH': f'{FOLDER}/module/paddle/libs',
        'COVERAGE_FILE': f'{FOLDER}/data/{data}',
    }
    check_output(PYTHON, '-m', 'coverage', *arguments, env=environment)


def run_test(path):
    include = '--include=*/paddle/tensor/manipulation.py'
    run_coverage(f'.coverage.{path.stem}', 'run', include, path)


def count_python_lines():
    """Return {function: {line: whether executed}} of python_api/."""
    run_coverage('.coverage', 'combine', '-q', FOLDER / 'data')
    report = FOLDER / 'python.json'
    run_coverage('.coverage', 'json', '-q', '-o', report)
    (file,) = json.loads(report.read_text())['files'].values()
    names = map(parse_functions, (ROOT / 'python_api').glob('*.py'))
    ours = set().union(*names)
    return {
        name: dict.fromkeys(lines['missing_lines'], 0)
        | dict.fromkeys(lines['executed_lines'], 1)
        for name, lines in file['functions'].items()
        if name.partition('.')[0] in ours  # or nested in one of ours
    }


def count_cpp_lines():
    """Return {source: {line: count}} of kernels/."""
    lines = defaultdict(Counter)
    for data in (FOLDER / 'module/CMakeFiles').rglob('*.gcda'):
        command = 'gcov', '--json-format', '--stdout', data
        for file in json.loads(check_output(*command, cwd=FOLDER))['files']:
            _, prefix, name = file['file'].rpartition(TREE)
            if prefix and (ROOT / 'kernels' / name).is_file():
                for line in file['lines']:
                    lines[name][line['line_number']] += line['count']
    return lines


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    check_output(
        PYTHON, '-m', 'pip', 'install', '-q', '--target', FOLDER / 'tool', TOOL
    )
    build_variant(BUILD, FOLDER / 'module', {}, '--coverage -O0')
    (FOLDER / 'data').mkdir()
    with ThreadPoolExecutor(2) as pool:
        [*pool.map(run_test, sorted((ROOT / 'unittests').glob('test_*.py')))]
    languages = {'C++': count_cpp_lines(), 'Python': count_python_lines()}
    for language, lines in languages.items():
        times = [n for counts in lines.values() for n in counts.values()]
        share = 100 * sum(map(bool, times)) / len(times)
        print(f'{language}: {share:.1f} % of {len(times)} lines; not executed:')
        for name, counts in sorted(lines.items()):
            if missing := sorted(line for line in counts if not counts[line]):
                print(f'  {name}', *missing)


if __name__ == '__main__':
    main()
