"""Names that Paddle already has: where they are found, and that they are refused."""

import pytest

from scripts.op_rules import base_names, check_ops_yaml
from scripts.op_rules.tests.yaml_samples import GOOD, write

API = '''\
PADDLE_API Tensor fold(const Tensor& x, float by = 1.0f, const Tensor& y = f());

PADDLE_API Tensor& fold_(Tensor& x);

PADDLE_API std::tuple<Tensor, Tensor&> bend_(const Tensor& x, Tensor& y);
// tuck(x) is only named here
'''
DIALECT = '''\
  static const char *name() { return "pd_op.fold_grad"; }
  static const char *name() { return "pd_op.fold_grad_"; }
'''
PATHS = list(base_names.HEADERS)


@pytest.fixture
def headers(tmp_path):
    folder = tmp_path / 'include'
    for path, text in ((PATHS[0], API), (PATHS[2], DIALECT)):
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text, encoding='utf-8')
    return folder


def run(tmp_path, headers, text=GOOD, name='tuck.yaml'):
    (tmp_path / 'yaml').mkdir(exist_ok=True)
    folder = write(tmp_path / 'yaml', text, name)
    return check_ops_yaml.main([str(folder), '--paddle-include', str(headers)])


def test_names_are_read_without_the_underscore(headers):
    assert base_names.base_names(headers) == {
        'fold': PATHS[0],
        'bend': PATHS[0],
        'fold_grad': PATHS[2],
    }


@pytest.mark.parametrize(
    ('taken', 'fault'),
    [
        ('fold', f'fold.yaml:1: fold: expected a name that is new to Paddle, got one that {PATHS[0]} has'),
        ('fold', f'fold_grad: expected a name that is new to Paddle, got one that {PATHS[2]} has'),
        ('bend', f'bend.yaml:1: bend: expected a name that is new to Paddle, got one that {PATHS[0]} has'),
    ],
)  # fmt: skip
def test_name_of_the_base_is_refused(tmp_path, headers, capsys, taken, fault):
    text = GOOD.replace('tuck', taken)
    assert run(tmp_path, headers, text, f'{taken}.yaml') == 1
    assert fault in capsys.readouterr().err


def test_missing_headers_are_said_plainly(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(check_ops_yaml, 'installed_headers', lambda: None)
    assert check_ops_yaml.main([str(write(tmp_path, GOOD))]) == 0
    assert 'no headers of Paddle' in capsys.readouterr().out


def test_folder_without_headers_is_a_fault(tmp_path, capsys):
    assert run(tmp_path, tmp_path / 'nothing') == 1
    assert 'expected one of phi/api/include/api.h' in capsys.readouterr().err


def test_header_without_operators_is_a_fault(tmp_path, headers, capsys):
    (headers / PATHS[0]).write_text('#pragma once\n', encoding='utf-8')
    assert run(tmp_path, headers) == 1
    assert 'expected operators, got none' in capsys.readouterr().err


def test_installed_paddle_has_the_well_known_operators():
    folder = base_names.installed_headers()
    if folder is None:
        pytest.skip('this Python has no Paddle with headers')
    names = base_names.base_names(folder)
    known = {'index_add', 'index_add_grad', 'masked_fill', 'scatter', 'add'}
    assert known <= set(names)
    assert len(names) > 1000
