"""The series compiles in its in-tree form, and injected faults are reported."""

import pytest

from scripts.series.check_intree_compile import (
    DECLARED,
    OPENMP,
    compile_unit,
    main,
    write_unit,
)


def test_series_compiles_in_tree(capsys):
    assert main() == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ('text', 'flags', 'message'),
    [
        ('static int f() { int b = 1; return 2; }', OPENMP, 'unused variable'),
        ('#pragma omp parallel', (), 'omp parallel'),
        ('void f() {}', DECLARED, 'no previous declaration'),
    ],
)  # fmt: skip
def test_compile_unit_reports_injected_fault(tmp_path, text, flags, message):
    unit = write_unit(tmp_path / 'unit.cc', ['static int g() { return 1; }'])
    assert compile_unit(unit, flags, tmp_path) == ''
    write_unit(unit, [text])
    fault = compile_unit(unit, flags, tmp_path)
    assert fault.startswith('unit.cc:') and message in fault
