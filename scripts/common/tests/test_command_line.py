"""Tests of what the command lines of both targets share."""

import argparse
import signal

import pytest

from scripts.common import command_line
from scripts.common.command_line import (
    default_jobs,
    exit_status,
    free_memory,
    positive,
)

GIB = 1 << 30


def test_memory_is_read_from_the_system():
    assert 1 << 20 < free_memory() < 1 << 50


@pytest.mark.parametrize(
    'free, jobs', [(3 * GIB, 3), (1 << 20, 1), (1 << 60, 8)]
)
def test_jobs_follow_the_free_memory(free, jobs, monkeypatch):
    monkeypatch.setattr(
        command_line.os, 'sched_getaffinity', lambda _: range(8)
    )
    monkeypatch.setattr(command_line, 'free_memory', lambda: free)
    assert default_jobs(GIB) == jobs


@pytest.mark.parametrize('bad', ['0', '-1', 'x', ''])
def test_jobs_must_be_positive(bad):
    with pytest.raises(argparse.ArgumentTypeError, match='not 1 or more'):
        positive(bad)


@pytest.fixture
def sigterm():
    """Puts back what SIGTERM does: exit_status changes it."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(
    'fault, status, text',
    [
        (KeyError('a'), 1, "'a'"),
        (ValueError('b'), 1, 'b'),
        (FileNotFoundError('c'), 1, 'c'),
        (KeyboardInterrupt(), 130, 'Run the same command again'),
    ],
)
def test_faults_become_a_status_and_a_sentence(
    fault, status, text, sigterm, capsys
):
    def action():
        raise fault

    assert exit_status(action, KeyError, ValueError) == status
    assert text in capsys.readouterr().err


def test_other_exceptions_keep_their_traceback(sigterm):
    with pytest.raises(ZeroDivisionError):
        exit_status(lambda: 1 // 0, KeyError, ValueError)
