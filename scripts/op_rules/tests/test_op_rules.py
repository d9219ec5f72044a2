"""check_ops_yaml on entries with planted faults, and on names that are taken."""

from pathlib import Path

import pytest

from scripts.common.wheel_headers import default_include
from scripts.op_rules import check_ops_yaml

ROOT = Path(__file__).parents[3]
GOOD = (ROOT / 'ops_yaml/index_scatter.yaml').read_text('utf-8')
# (text in GOOD, what stands there instead, what is said behind the file's name)
FAULTS = [
    ('    data_type', '    type', "unexpected keyword argument 'type'"),
    ('    func : IndexS', '    param : IndexS', "missing 1 required positional argument: 'func'"),
    ('int axis', 'double axis', 'index_scatter: args: expected a text like'),
    ('int axis = 0', 'int axis = 0 + 1', 'index_scatter: args: expected a text'),
    ('Tensor x, Tensor index, Tensor updates, int axis = 0', 'Tensor x, int axis = 0, '
     'Tensor index, Tensor updates', 'index_scatter: args: expected a text'),
    ('(out)', 'out', 'index_scatter: output: expected a text like'),
    # names
    ('[x, updates]', '[x, update]', 'index_scatter_grad: infer_meta.param: expected a '
     'name out of x, index, updates, out_grad, x_grad, updates_grad, axis, reduce, '),
    ('data_type : x', 'data_type : axis', 'kernel.data_type: expected a name out of x, '),
    ('backward : index_scatter_grad', 'backward : index_scatter_double_grad',
     'expected a name out of index_scatter_grad, got `index_scatter_double_grad`'),
    ('forward : index_scatter (', 'forward : index_gather (', 'index_scatter: backward: '),
    ('forward : index_scatter_grad', 'traits : x', 'forward: expected a name out of'),
    ('forward : index_scatter (Tensor x, ', 'forward : index_scatter (',
     'index_scatter_grad: forward: expected `index_scatter (Tensor x, Tensor index, '),
    ('Tensor(grad_x)', 'Tensor(x_grad)', 'index_scatter_double_grad: forward: expected'),
    ('updates_grad, int axis', 'updates_grad, int dim', 'args: expected a name out of x, index'),
    ('Tensor(grad_out_grad)', 'Tensor(grad)', 'index_scatter_double_grad: output: expected'),
    # of the whole file
    ('- op : index_scatter', '- op : tuck', 'expected one op, named index_scatter as'),
    ('op : index_scatter_double_', 'op : index_scatter_', 'name: expected a new one'),
    (GOOD, '- op : [', 'while parsing'),
    (GOOD, 'op : tuck', 'must be a mapping, not str'),
]  # fmt: skip


@pytest.mark.parametrize(('old', 'new', 'sentence'), FAULTS)
def test_planted_fault_is_reported(tmp_path, old, new, sentence):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    (tmp_path / 'index_scatter.yaml').write_text(text, encoding='utf-8')
    faults = check_ops_yaml.check_folder(tmp_path)
    assert any(sentence in fault for fault in faults), faults
    assert all(fault.startswith('index_scatter.yaml: ') for fault in faults)


def test_names_of_paddle_are_refused():
    names = check_ops_yaml.base_names(default_include(ROOT) / 'paddle')
    assert {'masked_fill', 'scatter', 'add', 'index_add_grad'} <= names
    assert len(names) > 1000
    assert not any(name.endswith('_') for name in names)
    (said,) = check_ops_yaml.check_folder(ROOT / 'ops_yaml', {'index_reduce'})
    assert said.endswith('expected a new one, got `index_reduce`')


def test_folders_without_what_is_looked_for_are_a_fault(tmp_path, capsys):
    assert 'expected .yaml files' in check_ops_yaml.check_folder(tmp_path)[0]
    assert check_ops_yaml.main(['--paddle-include', str(tmp_path)]) == 1
    assert 'has none of phi/api' in capsys.readouterr().err
