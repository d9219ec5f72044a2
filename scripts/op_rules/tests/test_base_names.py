"""Names that Paddle already has: where they are found, and that they are refused."""

from pathlib import Path

import pytest

from scripts.common.wheel_headers import default_include
from scripts.op_rules import base_names, check_ops_yaml
from scripts.op_rules.tests.yaml_samples import GOOD, write

API, _, DIALECT = base_names.HEADERS
HERE = default_include(Path(__file__).parents[3]) / 'paddle'
needs_headers = pytest.mark.skipif(
    not HERE.is_dir(), reason='this Python has no Paddle with headers'
)


@needs_headers
def test_names_are_read_without_the_underscore():
    names = base_names.base_names(HERE)
    known = {'index_add', 'masked_fill', 'scatter', 'add'}
    assert {names[name] for name in known} == {API}
    assert names['index_add_grad'] == DIALECT
    assert len(names) > 1000
    assert not any(name.endswith('_') for name in names)


@needs_headers
def test_name_of_the_base_is_refused(tmp_path, capsys):
    write(tmp_path, GOOD.replace('tuck', 'scatter'), 'scatter.yaml')
    assert check_ops_yaml.main([str(tmp_path)]) == 1
    told = capsys.readouterr().err
    new = 'expected a name that is new to Paddle, got one that'
    assert f'scatter.yaml:1: scatter: {new} {API} has' in told
    assert f'scatter_grad: {new} {DIALECT} has' in told


def test_missing_headers_are_said_plainly(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(check_ops_yaml, 'default_include', lambda _: tmp_path)
    assert check_ops_yaml.main([str(write(tmp_path, GOOD))]) == 0
    assert 'no headers of Paddle' in capsys.readouterr().out


def test_headers_without_operators_are_a_fault(tmp_path, capsys):
    arguments = [str(write(tmp_path, GOOD)), '--paddle-include', str(tmp_path)]
    assert check_ops_yaml.main(arguments) == 1
    assert f'expected one of {API}' in capsys.readouterr().err
    (tmp_path / API).parent.mkdir(parents=True)
    (tmp_path / API).write_text('#pragma once\n', encoding='utf-8')
    assert check_ops_yaml.main(arguments) == 1
    assert 'expected operators, got none' in capsys.readouterr().err
