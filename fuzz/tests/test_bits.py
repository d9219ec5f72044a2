"""The comparison of two builds sees one other bit, and nothing else."""

import numpy as np
from fuzz import bits

FEW = ['--cases', '12', '--seed', '3']


def test_the_same_build_has_the_same_bits(tmp_path, capsys):
    known = tmp_path / 'known'
    assert bits.main([*FEW, '--write', str(known)]) == 0
    assert bits.main([*FEW, '--against', str(known)]) == 0
    assert '12 cases, 0 differ' in capsys.readouterr().out


def test_one_other_bit_is_found(tmp_path, capsys, monkeypatch):
    known = tmp_path / 'known'
    bits.main([*FEW, '--write', str(known)])
    real = bits.results

    def with_another_bit(case):
        first, *others = real(case)
        flat = np.array(first).reshape(-1).view('uint8')
        flat[:1] ^= 1
        return (
            [flat, *others] if case.api == 'masked_fill' else [first, *others]
        )

    monkeypatch.setattr(bits, 'results', with_another_bit)
    assert bits.main([*FEW, '--against', str(known)]) == 1
    assert '"api": "masked_fill"' in capsys.readouterr().out
