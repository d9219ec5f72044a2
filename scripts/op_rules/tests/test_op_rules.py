"""check_ops_yaml on entries with planted faults, and on names that are taken."""

from pathlib import Path

import pytest

from scripts.common.wheel_headers import default_include
from scripts.op_rules import check_ops_yaml

GOOD = '''\
- op : tuck
  args : (Tensor x, Tensor mask, float by, int axis=0, bool flag = true)
  output : Tensor (out)
  infer_meta :
    func : TuckInferMeta
    param : [x, mask, axis]
  kernel :
    func : tuck
    data_type : x
  inplace : (x -> out)
  backward : tuck_grad
  traits : pir::SideEffectTrait

- backward_op : tuck_double_grad
  forward : tuck_grad (Tensor x, Tensor mask, Tensor grad_out, float by) -> Tensor(grad_x)
  args : (Tensor mask, Tensor grad_out, Tensor grad_x_grad)
  output : Tensor(grad_out_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [grad_out]
  kernel :
    func : tuck_double_grad
  optional : grad_x_grad

- backward_op : tuck_grad
  forward : tuck (Tensor x, Tensor mask, float by, int axis = 0, bool flag=true) -> Tensor(out)
  args : (Tensor x, Tensor mask, Tensor out_grad, float by)
  output : Tensor(x_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [x]
  kernel :
    func : tuck_grad
  backward : tuck_double_grad
  no_need_buffer : x
'''
# (text in GOOD, what stands there instead, what is said behind the file's name)
FAULTS = [
    ('  inplace :', '  in_place :', 'tuck: in_place: expected a key out of op, '),
    ('    data_type', '    type', 'tuck: kernel.type: expected a key out of'),
    ('kernel :\n    func : tuck\n    data_type : x', 'kernel : tuck',
     'tuck: kernel.func: expected this key, got none'),
    ('  output : Tensor(x_grad)\n', '', 'tuck_grad: output: expected this key'),
    ('  forward : tuck_grad', '  traits : tuck_grad',
     'tuck_double_grad: forward: expected this key, got none'),
    ('[x, mask, axis]', 'x', 'tuck: infer_meta.param: expected a text like'),
    ('(x -> out)', '[x]', 'tuck: inplace: expected a text like'),
    ('Tensor (out)', 'Tensors(out)', 'got `Tensors(out)`'),
    ('(Tensor x, Tensor mask, float by, int axis=0', '(float by',
     'tuck: args: expected a text like'),
    # what the wheel target knows
    ('float by, int axis=0', 'double by, int axis=0',
     'got `double by`: the wheel target knows no other'),
    ('mask, float by, int axis=0', 'mask, Tensor[] by, int axis=0', 'got `Tensor[] by`'),
    ('int axis=0, bool', 'int axis=0 + 1, bool', 'tuck: args: expected `type name`'),
    ('int axis=0, bool', 'int axis=, bool', 'got `int axis=`'),
    ('flag = true', 'flag = yes', 'got `bool flag = yes`'),
    ('Tensor (out)', 'Tensor(out), Tensor(more)', 'expected one result of an op'),
    ('  traits : pir::SideEffectTrait', '  optional : mask',
     'tuck: optional: expected none in an op that has a gradient, got mask'),
    # names
    ('[x, mask, axis]', '[x, msk, axis]', 'tuck: infer_meta.param: expected a name '
     'out of x, mask, by, axis, flag, got msk'),
    ('data_type : x', 'data_type : by', 'tuck: kernel.data_type: expected a name'),
    ('(x -> out)', '(y -> out)', 'tuck: inplace: expected a name out of x, mask'),
    ('(x -> out)', '(x -> y)', 'tuck: inplace: expected a name out of out, got y'),
    ('optional : grad_x_grad', 'optional : x', 'tuck_double_grad: optional: exp'),
    ('no_need_buffer : x', 'no_need_buffer : y', 'tuck_grad: no_need_buffer: exp'),
    # what entries owe each other
    ('backward : tuck_grad', 'backward : tuck_double_grad',
     'tuck: backward: expected a gradient of tuck in this file'),
    ('forward : tuck (', 'forward : tucks (', 'expected an entry of this file'),
    ('forward : tuck (Tensor x, ', 'forward : tuck (',
     'tuck_grad: forward: expected the arguments and results of tuck, got tuck ('),
    ('axis = 0', 'axis = 1', 'tuck_grad: forward: expected the arguments'),
    ('Tensor(grad_x)', 'Tensor(x_grad)', 'tuck_double_grad: forward: expected'),
    ('mask, Tensor out_grad', 'mask, Tensor dout', 'expected a name out of x, mask, '
     'out, out_grad, got dout'),
    ('out_grad, float by', 'out_grad, int by', 'got int by'),
    ('Tensor(x_grad)', 'Tensor(dx)', 'tuck_grad: output: expected a name out of'),
    # of the whole file
    ('- op : tuck', '- op : tucks', "expected one op, named tuck as the file, got ['tucks']"),
    ('backward_op : tuck_d', 'backward_op : tuck_grad\n  op : tuck_d', 'expected one op'),
    ('backward_op : tuck_double_grad', 'backward_op : tuck_grad',
     'tuck_grad: expected a new name, got one that tuck.yaml has'),
    ('- op : tuck', '- name : tuck', 'entry without name: op: expected this key'),
    (GOOD, '- op : [', 'expected YAML, got: while parsing'),
    (GOOD, 'op : tuck', 'expected a list of entries, got something else'),
]  # fmt: skip
HERE = default_include(Path(__file__).parents[3]) / 'paddle'


def check(folder, text, name='tuck.yaml', taken=None):
    (folder / name).write_text(text, encoding='utf-8')
    return check_ops_yaml.check_folder(folder, taken)


@pytest.mark.parametrize(('old', 'new', 'sentence'), FAULTS)
def test_planted_fault_is_reported(tmp_path, old, new, sentence):
    assert old in GOOD
    faults = check(tmp_path, GOOD.replace(old, new, 1))
    assert any(sentence in fault for fault in faults), faults
    assert all(fault.startswith('tuck.yaml: ') for fault in faults)


def test_name_in_two_files_and_name_of_paddle_are_refused(tmp_path):
    assert check(tmp_path, GOOD) == []
    (fault,) = check(tmp_path, GOOD, taken={'tuck_grad': 'api.h'})
    new = 'tuck_grad: expected a new name, got one that'
    assert fault == f'tuck.yaml: {new} api.h has'
    other = GOOD.replace('op : tuck\n', 'op : fold\n').replace(
        ' tuck (', ' fold ('
    )
    faults = check(tmp_path, other, 'fold.yaml')
    assert f'tuck.yaml: {new} fold.yaml has' in faults


@pytest.mark.skipif(not HERE.is_dir(), reason='this Python has no Paddle')
def test_names_of_paddle_are_read_without_the_underscore():
    names = check_ops_yaml.base_names(HERE)
    known = {'index_add', 'masked_fill', 'scatter', 'add'}
    assert {names[name].rsplit('/')[-1] for name in known} == {'api.h'}
    assert names['index_add_grad'].endswith('pd_op.h')
    assert len(names) > 1000
    assert not any(name.endswith('_') for name in names)


def test_folders_without_what_is_looked_for_are_a_fault(tmp_path, capsys):
    assert check_ops_yaml.main([str(tmp_path)]) == 1
    assert f'{tmp_path}: expected .yaml files' in capsys.readouterr().err
    headers = ['--paddle-include', str(tmp_path)]
    assert check_ops_yaml.main([str(tmp_path), *headers]) == 1
    assert 'expected operators in phi/api' in capsys.readouterr().err
