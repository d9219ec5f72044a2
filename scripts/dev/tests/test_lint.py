"""What lint.py looks for in the text of kernels by itself."""

import pytest

from scripts.dev import lint

GOOD = """
  if (!fits) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) x must fit.", op));
  }
  PADDLE_ENFORCE_GE(
      rank, 2, common::errors::InvalidArgument("(%s) too few dims.", op));
  Visit(x, true, common::make_ddim({}));
"""


def test_kernels_have_no_fault():
    assert lint.kernel_faults() == []


def test_good_text_is_left_alone():
    assert list(lint.refused(GOOD)) == []


@pytest.mark.parametrize(
    'text, instead',
    [
        ('errors::OutOfRange(\n    SCATTER_OPS_TEXT, wanted);', 'literal'),
        ('errors::OutOfRange(text);', 'literal'),
        ('auto* data = const_cast<T*>(values);', 'const'),
        (
            'PADDLE_ENFORCE_EQ(\n    a < b,\n    true,\n'
            '    common::errors::OutOfRange("a"));',
            'PADDLE_THROW',
        ),
        (
            'PADDLE_ENFORCE_NE(a, false, common::errors::OutOfRange("a"));',
            'PADDLE_THROW',
        ),
    ],
)
def test_planted_fault_is_found(text, instead):
    ((line, said),) = lint.refused(f'{GOOD}{text}')
    assert line == GOOD.count('\n') + 1
    assert instead in said
