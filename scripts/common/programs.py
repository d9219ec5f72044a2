"""Run programs, and report the faults that a check finds."""

import subprocess
import sys


def run(*command, **options):
    """Run a program and capture its output as text."""
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        encoding='utf-8',
        errors='replace',
        **options,
    )


def check_output(*command, **options):
    """Run a program, return its output, and exit if it fails."""
    process = run(*command, **options)
    if process.returncode:
        words = ' '.join(map(str, command))
        sys.exit(f'{words} failed:\n{process.stdout}{process.stderr}')
    return process.stdout


def report(check, faults, success):
    """Print the faults and result of a check; return its exit status."""
    for fault in faults:
        print(f'{check}: {fault}', file=sys.stderr)
    print(f'{check}: {"FAILED" if faults else success}')
    return 1 if faults else 0
