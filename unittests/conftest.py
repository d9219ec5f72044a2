"""Paddle runs these files with unittest: a test that only pytest finds is refused."""

import unittest
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == HERE and not (
            item.cls and issubclass(item.cls, unittest.TestCase)
        ):
            raise pytest.UsageError(
                f'{item.nodeid}: not in a unittest.TestCase'
            )
