"""check_ops_yaml rejects injected faults and names of Paddle's operators."""

from pathlib import Path

import pytest

from scripts.common.wheel_headers import find_include
from scripts.op_rules import check_ops_yaml

ROOT = Path(__file__).parents[3]
GOOD = (ROOT / 'ops_yaml/index_scatter.yaml').read_text('utf-8')
# (text in GOOD, its replacement, part of the fault)
FAULTS = [
    ('    data_type', '    type', "unexpected keyword argument 'type'"),
    ('    func : IndexS', '    param : IndexS',
     "missing 1 required positional argument: 'func'"),
    ('int axis', 'double axis', 'index_scatter: args should be like'),
    ('(out)', 'out', 'index_scatter: output should be like'),
    ('[x, updates]', '[x, update]',
     'index_scatter_grad: infer_meta.param should be one of x, index, updates, '
     'out_grad, x_grad, updates_grad, axis, reduce, '),
    ('data_type : x', 'data_type : axis', 'data_type should be one of x, '),
    ('backward : index_scatter_grad', 'backward : index_scatter_double_grad',
     'one of index_scatter_grad, but received index_scatter_double_grad'),
    ('forward : index_scatter (', 'forward : index_gather (',
     'index_scatter: backward should'),
    ('forward : index_scatter_grad', 'traits : x', 'forward should be one of'),
    ('forward : index_scatter (Tensor x, ', 'forward : index_scatter (',
     'forward should be index_scatter (Tensor x, Tensor index, '),
    ('Tensor(grad_x)', 'Tensor(x_grad)',
     'index_scatter_double_grad: forward should'),
    ('updates_grad, int axis', 'updates_grad, int dim',
     'args should be one of x, index'),
    ('Tensor(grad_out_grad)', 'Tensor(grad)',
     'index_scatter_double_grad: output should'),
    ('- op : index_scatter', '- op : tuck', 'expected the op index_scatter'),
    ('op : index_scatter_double_', 'op : index_scatter_',
     'two entries have the same name'),
    (GOOD, '- op : [', 'while parsing'),
]  # fmt: skip


@pytest.mark.parametrize(('old', 'new', 'message'), FAULTS)
def test_check_folder_reports_fault(tmp_path, old, new, message):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    (tmp_path / 'index_scatter.yaml').write_text(text, encoding='utf-8')
    (fault,) = check_ops_yaml.check_folder(tmp_path)
    assert fault.startswith('index_scatter.yaml: ') and message in fault


def test_check_rejects_names_of_paddle_operators(tmp_path, capsys):
    names = check_ops_yaml.read_base_names(find_include(ROOT) / 'paddle')
    assert {'masked_fill', 'scatter', 'add', 'index_add_grad'} <= names
    assert len(names) > 1000
    assert not any(name.endswith('_') for name in names)
    (fault,) = check_ops_yaml.check_folder(ROOT / 'ops_yaml', {'index_reduce'})
    assert fault.endswith('index_reduce: name already in use')
    assert 'no .yaml files' in check_ops_yaml.check_folder(tmp_path)[0]
    assert check_ops_yaml.main(['--paddle-include', str(tmp_path)]) == 1
    assert 'lacks phi/api' in capsys.readouterr().err
