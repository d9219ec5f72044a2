"""Runs programs, and reports the faults that a check finds."""

import subprocess
import sys


def run(*command, **options):
    """Run a program; its result has the output as text."""
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        encoding='utf-8',
        errors='replace',
        **options,
    )


def check_output(*command, **options):
    """Run a program that must succeed; return its output."""
    done = run(*command, **options)
    if done.returncode:
        words = ' '.join(map(str, command))
        sys.exit(f'{words} failed:\n{done.stdout}{done.stderr}')
    return done.stdout


def verdict(check, faults, good):
    """Prints the faults and the last line of a check; its exit status."""
    for fault in faults:
        print(f'{check}: {fault}', file=sys.stderr)
    print(f'{check}: {"FAILED" if faults else good}')
    return 1 if faults else 0
