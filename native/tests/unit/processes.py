"""Python processes that can import the test modules."""

import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.run.runner import RELEASE


def run_python(code, *arguments, **environment):
    """Run code in a new process; return its output, or raise AssertionError."""
    path = os.pathsep.join(filter(None, sys.path))
    process = subprocess.run(
        [sys.executable, '-c', code, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, 'PYTHONPATH': path, **environment},
    )
    if process.returncode != 0:  # a negative one after a crash
        raise AssertionError(
            f"exit status {process.returncode}\n{process.stdout}\n"
            f"{process.stderr[-4000:]}"
        )
    return process.stdout + process.stderr


def run_test_cases(*names, **environment):
    """Run tests, 'module[.Class[.test]]', in a new process."""
    code = f'import unittest; unittest.main(None, argv=["", *{names}])'
    run_python(code, **environment)


def released_answers(file, *arguments):
    """Return the result of answers() in a test module, run by the released wheel."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, 'answers')
        run_python(
            'import importlib, pickle, sys\n'
            'module = importlib.import_module(sys.argv[1])\n'
            'answers = pickle.dumps(module.answers(*sys.argv[3:]))\n'
            'open(sys.argv[2], "wb").write(answers)\n',
            Path(file).stem,
            path,
            *arguments,
            PYTHONPATH=os.pathsep.join([RELEASE, *filter(None, sys.path)]),
        )
        return pickle.loads(path.read_bytes())
