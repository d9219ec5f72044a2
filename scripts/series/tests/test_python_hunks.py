"""How functions get into an upstream Python module."""

import pytest

from scripts.series.patch_series import SeriesError
from scripts.series.python_hunks import merge_functions

UPSTREAM = '''\
from paddle.utils import alpha


def before(x):
    return x


def after(x):
    return x
'''


def merge(ours):
    return merge_functions(UPSTREAM, ours, 'python_api/move.py')


def faults_of(ours):
    with pytest.raises(SeriesError) as caught:
        merge(ours)
    return str(caught.value)


def test_comment_above_a_function_belongs_to_it():
    merged = merge('# License\n\n# Better.\ndef after(x):\n    return x\n')
    assert merged.endswith('\n\n\n# Better.\ndef after(x):\n    return x\n')
    assert '# License' not in merged


def test_new_helper_goes_before_the_function_that_follows_it():
    merged = merge(
        '_LIMIT = 3\n\n\ndef _help():\n    return _LIMIT\n\n\n'
        'def after(x):\n    return _help()\n'
    )
    assert merged.endswith(
        '\n\n\n_LIMIT = 3\n\n\ndef _help():\n    return _LIMIT\n\n\n'
        'def after(x):\n    return _help()\n'
    )


def test_merging_twice_changes_nothing():
    ours = 'def after(x):\n    alpha(x)\n'
    once = merge(ours)
    assert merge_functions(once, ours, 'python_api/move.py') == once


@pytest.mark.parametrize('head', ['', 'from paddle.utils import helper\n\n\n'])
def test_name_that_upstream_lacks_is_refused(head):
    assert 'not defined in the merged module: helper; add an import' in (
        faults_of(f'{head}def after(x):\n    return helper(x)\n')
    )


@pytest.mark.parametrize(
    ('ours', 'message'),
    [
        ('print(1)\n', 'move.py:1: only imports and definitions'),
        ('__all__ = []\n', 'move.py:1: only imports and definitions'),
        ('import math\n', 'defines nothing'),
        (
            'def f():\n    pass\n\n\ndef g():\n    pass\n\n\nf.a = 1\n',
            'the definitions of f are not together',
        ),
    ],
)
def test_what_the_merge_would_lose_is_refused(ours, message):
    assert message in faults_of(ours)


def test_scattered_upstream_definitions_are_refused():
    upstream = (
        'def f():\n    return 1\n\n\ndef g():\n    return f\n\n\nf.mark = 1\n'
    )
    with pytest.raises(SeriesError, match='f: defined at several places'):
        merge_functions(upstream, 'def f():\n    return 2\n', 'f.py')


def test_helpers_alone_go_before_the_named_function_or_to_the_end():
    upstream = 'def f():\n    return 1\n\n\ndef g():\n    return 2\n'
    helper = 'def _h():\n    return 3\n'
    last = merge_functions(upstream, helper, 'h.py')
    assert last == f'{upstream}\n\n{helper}'
    between = merge_functions(upstream, helper, 'h.py', 'g')
    assert between.index('def f') < between.index('def _h')
    assert between.index('def _h') < between.index('def g')
