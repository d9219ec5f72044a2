"""load_dir rejects injected faults, and no name is that of another operator."""

import re
from pathlib import Path

import pytest

from scripts.common.files import PADDLE_INCLUDE
from scripts.op_rules.schema import load_dir, load_file

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
    ('    data_type : x\n', '',
     "missing 1 required positional argument: 'data_type'"),
    ('data_type : x', 'data_type : axis', 'data_type should be one of x, '),
    ('backward : index_scatter_grad', 'backward : index_scatter_first_grad',
     'index_scatter: backward should be one of index_scatter_double_grad, '),
    ('  backward : index_scatter_double_grad\n', '', 'not the backward of an'),
    ('forward : index_scatter (Tensor x, ', 'forward : index_scatter (',
     'forward should be index_scatter (Tensor x, Tensor index, '),
    ('Tensor(grad_x)', 'Tensor(x_grad)',
     'index_scatter_double_grad: forward should'),
    ('Tensor grad_grad_grad_x_grad, Tensor grad_grad_grad_updates_grad, int '
     'axis, str reduce, bool include_self) ->',
     'Tensor grad_grad_grad_grad_x, Tensor grad_grad_grad_grad_updates, int '
     'axis, str reduce, bool include_self) ->',
     'index_scatter_quintuple_grad: forward should'),
    ('index, Tensor updates, Tensor out_', 'i, Tensor updates, Tensor out_',
     'index_scatter_grad: args should be one of x, index'),
    ('updates_grad, int axis', 'updates_grad, int dim',
     "attributes should be [Attr(name='axis', type='int'), "),
    ('Tensor(grad_out_grad)', 'Tensor(grad)',
     'index_scatter_double_grad: output should'),
    ('- op : index_scatter', '- op : tuck', 'expected the op index_scatter'),
    ('op : index_scatter_double_', 'op : index_scatter_',
     'two entries have the same name'),
    (GOOD, '- op : [', 'while parsing'),
]  # fmt: skip


@pytest.mark.parametrize(('old', 'new', 'message'), FAULTS)
def test_load_dir_reports_fault(tmp_path, old, new, message):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    (tmp_path / 'index_scatter.yaml').write_text(text, encoding='utf-8')
    with pytest.raises(ValueError, match=r'^index_scatter\.yaml: ') as error:
        load_dir(tmp_path)
    assert message in str(error.value)


# Headers that Paddle generates from its YAML: all operators and gradients.
HEADERS = (
    'phi/api/include/api.h',
    'phi/api/include/fused_api.h',
    'fluid/pir/dialect/operator/ir/pd_op.h',
)
OPERATOR = re.compile(r'(?m)(?:^PADDLE_API [^(]*?|"pd_op\.)(\w+?)_?["(]')


def test_names_are_not_those_of_other_operators():
    include = PADDLE_INCLUDE / 'paddle'
    texts = [(include / name).read_text('utf-8') for name in HEADERS]
    used = set(OPERATOR.findall('\n'.join(texts)))
    assert {'masked_fill', 'scatter', 'add', 'index_add_grad'} <= used
    assert len(used) > 1000
    assert not any(name.endswith('_') for name in used)
    for path in sorted((ROOT / 'ops_yaml').glob('*.yaml')):
        names = {*load_file(path)}
        assert not names & used, path.name
        used |= names
