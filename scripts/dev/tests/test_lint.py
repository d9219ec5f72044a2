"""What lint.py looks for in the text of kernels by itself."""

import pytest

from scripts.dev import lint

GOOD = """
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) x must fit.", op));
  PADDLE_ENFORCE_GE(
      rank, 2, common::errors::InvalidArgument("(%s) too few dims.", op));
  Visit(x, true, common::make_ddim({}));
"""


@pytest.mark.parametrize(
    'text, instead',
    [
        ('errors::OutOfRange(text);', 'literal'),
        ('auto* data = const_cast<T*>(values);', 'const'),
        ('PADDLE_ENFORCE_NE(a,\n false, common::errors::OutOfRange("a"));',
         'PADDLE_THROW'),
    ],
)  # fmt: skip
def test_planted_fault_is_found(text, instead):
    ((line, said),) = lint.refused(f'{GOOD}{text}')
    assert line == GOOD.count('\n') + 1
    assert instead in said
