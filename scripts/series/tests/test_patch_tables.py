"""The tables of patches in docs/ say what is in patches/, and no patch is too big."""

import pytest

from scripts.series import patch_tables
from scripts.series.manifest import Patch
from scripts.series.patch_tables import Size, size_faults


def test_tables_are_those_of_the_present_patches(capsys):
    status = patch_tables.main([])
    assert status == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ('size', 'note', 'said'),
    [
        (Size(1, 998), '', []),
        (Size(1, 999), 'why', []),
        (Size(1, 999), '', ['adds 1000 lines: from 1000 on']),
        (Size(1, 998), 'why', ['adds 999 lines: from 1000 on']),
        (Size(1000, 1), 'why', ['adds 1000 lines of code: split it']),
    ],
)
def test_a_big_patch_says_why_and_a_small_one_does_not(size, note, said):
    faults = list(size_faults(Patch(1, 'a', size_note=note), size))
    assert len(faults) == len(said)
    assert all(text in fault for text, fault in zip(said, faults))
