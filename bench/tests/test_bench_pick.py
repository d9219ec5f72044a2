"""Tests of the choice among several ways to the same result."""

import pytest
from bench.run import pick


def same(one, other):
    return '' if one == other else f'{one} against {other}'


def choose(results, seconds=None):
    """The pick among fake ways; a result that is an error is raised."""

    def outputs(name):
        found = results[name]
        if isinstance(found, Exception):
            raise found
        return found

    return pick.fastest(
        results, outputs, same, lambda name: (seconds or {}).get(name, 1.0)
    )


def test_way_that_is_wrong_is_an_error_that_names_it():
    with pytest.raises(
        pick.WaysDiffer, match='wrong is not as usual: 7 against 8'
    ):
        choose({'usual': 7, 'wrong': 8, 'other': 7}, {'wrong': 0.1})


def test_way_that_does_not_exist_is_left_out():
    assert choose({'none': RuntimeError('no such dtype'), 'usual': 7}) == (
        'usual',
        {'usual': 1000.0, 'none': 'RuntimeError'},
    )


def test_error_of_the_first_is_that_of_all():
    with pytest.raises(RuntimeError, match='first'):
        choose({'a': RuntimeError('first'), 'b': TypeError('second')})
