"""Each rule of check_ops_yaml with a planted fault, and a clean file."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import check_ops_yaml

FORWARD = '''\
- op : fold
  args : (Tensor x, Tensor mask, Tensor[] parts, int axis=0, bool flag=true)
  output : Tensor(out), Tensor(count)
  infer_meta :
    func : FoldInferMeta
    param : [x, mask, axis]
  kernel :
    func : fold
    param : [x, mask, parts, axis]
    data_type : x
  inplace : (x -> out)
  intermediate : count
  data_transform :
    skip_transform : mask
  backward : fold_grad
'''
DOUBLE = '''\
- backward_op : fold_double_grad
  forward : fold_grad (Tensor x, Tensor mask, Tensor grad_out, int axis) -> Tensor(grad_x)
  args : (Tensor mask, Tensor grad_out, Tensor grad_x_grad, int axis)
  output : Tensor(grad_out_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [grad_x_grad]
  kernel :
    func : fold_double_grad
    data_type : grad_x_grad
  optional : grad_x_grad
'''
GRAD = '''\
- backward_op : fold_grad
  forward : fold (Tensor x, Tensor mask, Tensor[] parts, int axis=0, bool flag=true) -> Tensor(out), Tensor(count)
  args : (Tensor x, Tensor mask, Tensor out_grad, int axis)
  output : Tensor(x_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [x]
  kernel :
    func : fold_grad
    data_type : out_grad
  no_need_buffer : x
  backward : fold_double_grad
'''
GOOD = f'{FORWARD}\n{DOUBLE}\n{GRAD}'

# (text in GOOD, what stands there instead, the entry at fault, its message)
FAULTS = [
    # keys and their values
    ('  inplace :', '  in_place :', 'fold', "unknown key 'in_place'"),
    ('    param : [x, mask, a', '    parms : [x, mask, a', 'fold',
     "infer_meta: unknown key 'parms'"),
    ('(x -> out)', '[x]', 'fold', 'inplace: expected one line of text'),
    ('kernel :\n    func : fold\n    param : [x, mask, parts, axis]\n'
     '    data_type : x', 'kernel : fold', 'fold',
     'kernel: expected keys below it'),
    ('    func : FoldInferMeta\n', '', 'fold',
     'infer_meta: func must name a function'),
    ('[x, mask, axis]', 'x', 'fold', 'infer_meta: param must be a list'),
    ('  output : Tensor(x_grad)\n', '', 'fold_grad', "'output' is missing"),
    ('  forward : fold_grad', '  composite : fold_grad', 'fold_double_grad',
     "'forward' is missing"),
    ('  inplace : (x -> out)', '  forward : f (Tensor x) -> Tensor', 'fold',
     "'forward' belongs to a backward_op only"),
    ('  inplace : (x -> out)', '  invoke : other(x)', 'fold',
     'invoke and kernel exclude each other'),
    ('  infer_meta :\n    func : UnchangedInferMeta\n    param : [x]\n', '',
     'fold_grad', 'expected infer_meta and kernel'),
    # arguments
    ('Tensor[] parts, int axis=0, bool flag=true)\n  output',
     'Tensor? parts, int axis=0, bool flag=true)\n  output', 'fold',
     "parts has the unknown type 'Tensor?'"),
    ('parts, int axis=0, bool flag=true)\n  output',
     'parts, integer axis=0, bool flag=true)\n  output', 'fold',
     "axis has the unknown type 'integer'"),
    ('(Tensor x, Tensor mask, Tensor out_grad, int axis)',
     '(Tensor x, int axis, Tensor mask, Tensor out_grad)', 'fold_grad',
     'must come before attributes'),
    ('int axis=0, bool flag=true)\n  output', 'int axis=0, bool flag)\n  output',
     'fold', 'flag has no default, but axis before it has one'),
    ('[x, mask, axis]', '[x, msk, axis]', 'fold',
     'infer_meta: param names msk, which is not in args'),
    ('[x, mask, parts, axis]', '[x, mask, part, axis]', 'fold',
     'kernel: param names part, which is not in args'),
    ('data_type : x', 'data_type : y', 'fold', 'data_type names y'),
    ('(x -> out)', '(y -> out)', 'fold', 'y is not a Tensor of args'),
    ('(x -> out)', '(x -> y)', 'fold', 'inplace: y is not an output'),
    ('(x -> out)', '(parts -> out)', 'fold',
     'inplace: parts is Tensor[], but out is Tensor'),
    ('intermediate : count', 'intermediate : sum', 'fold',
     'intermediate: sum is not an output'),
    ('skip_transform : mask', 'skip_transform : axis', 'fold',
     'data_transform: axis is not a Tensor of args'),
    ('optional : grad_x_grad', 'optional : other', 'fold_double_grad', 'other'),
    ('    data_type : out_grad\n', '', 'fold_grad',
     'no_need_buffer: kernel needs data_type'),
    ('data_type : out_grad', 'data_type : x', 'fold_grad',
     'no_need_buffer: data_type comes from x'),
    # forward and backward
    ('  backward : fold_grad\n', '  backward : fold_gradient\n', 'fold',
     'there is no backward_op fold_gradient'),
    ('  backward : fold_double_grad\n', '', 'fold_double_grad',
     'no entry says `backward : fold_double_grad`'),
    ('  backward : fold_grad\n', '  backward : fold_double_grad\n', 'fold',
     'fold_double_grad is the gradient of fold_grad'),
    ('forward : fold (', 'forward : fold_up (', 'fold_grad',
     'there is no entry fold_up'),
    ('forward : fold (Tensor x, ', 'forward : fold (', 'fold_grad',
     'forward: 4 args, but fold has 5'),
    ('forward : fold (Tensor x, Tensor mask', 'forward : fold (Tensor mask, '
     'Tensor x', 'fold_grad', 'args name mask where fold needs x'),
    ('parts, int axis=0, bool flag=true) ->', 'parts, int64_t axis=0, '
     'bool flag=true) ->', 'fold_grad', 'axis is int64_t, but fold has int'),
    ('axis=0, bool flag=true) ->', 'axis=1, bool flag=true) ->', 'fold_grad',
     'axis has the default 1, but fold has 0'),
    ('-> Tensor(out), Tensor(count)', '-> Tensor(out)', 'fold_grad',
     'forward: 1 outputs, but fold has 2'),
    ('-> Tensor(out), ', '-> Tensor(y), ', 'fold_grad',
     'outputs name y where fold needs out'),
    ('grad_out, int axis) -> Tensor(grad_x)', 'out_grad, int axis) -> '
     'Tensor(grad_x)', 'fold_double_grad',
     'args name out_grad where fold_grad needs grad_out'),
    ('-> Tensor(grad_x)', '-> Tensor(x_grad)', 'fold_double_grad',
     'outputs name x_grad where fold_grad needs grad_x'),
    ('Tensor mask, Tensor out_grad, int axis)\n', 'Tensor mask, Tensor dout, '
     'int axis)\n', 'fold_grad', 'args: dout is none of'),
    ('(Tensor x, Tensor mask, Tensor out_grad, int', '(Tensor x, Tensor mask, '
     'int', 'fold_grad', 'none of the output gradients'),
    ('(Tensor x, Tensor mask, Tensor out_grad', '(Tensor mask, Tensor x, '
     'Tensor out_grad', 'fold_grad', 'args: expected the order'),
    ('out_grad, int axis)', 'out_grad, bool axis)', 'fold_grad',
     'args: axis is bool, but the forward says int'),
    ('output : Tensor(x_grad)', 'output : Tensor(dx)', 'fold_grad',
     'output: dx is none of'),
    ('output : Tensor(x_grad)', 'output : Tensor(mask_grad), Tensor(x_grad)',
     'fold_grad', 'output: expected the order'),
    ('output : Tensor(x_grad)', 'output : Tensor(parts_grad)', 'fold_grad',
     'parts_grad is Tensor, but the forward says Tensor[]'),
]  # fmt: skip


def write(folder, text, name='fold.yaml'):
    (folder / name).write_text(text, encoding='utf-8')
    return folder


def test_clean_file_has_no_faults(tmp_path, capsys):
    assert check_ops_yaml.main([str(write(tmp_path, GOOD))]) == 0
    assert capsys.readouterr().out == 'check_ops_yaml: clean\n'


def test_entries_of_this_project_are_clean():
    assert check_ops_yaml.check_folder(check_ops_yaml.ROOT / 'ops_yaml') == []


@pytest.mark.parametrize(('old', 'new', 'entry', 'message'), FAULTS)
def test_planted_fault_is_reported(tmp_path, old, new, entry, message):
    assert GOOD.count(old) >= 1, 'the sample no longer holds the text'
    faults = check_ops_yaml.check_folder(
        write(tmp_path, GOOD.replace(old, new, 1))
    )
    found = [f for f in faults if f.startswith(f'fold.yaml: {entry}: ')]
    assert any(message in fault for fault in found), faults


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (f'{FORWARD}\n{GRAD}\n{DOUBLE}', 'in alphabetical order'),
        (f'{DOUBLE}\n{GRAD}', 'expected one op entry, named fold'),
        (GOOD.replace('- op : fold', '- op : folds'), 'named fold as the file'),
        (f'{GOOD}\n{GRAD}', 'fold_grad: there are 2 entries of this name'),
        (GOOD.replace('- op :', '- op:'), 'must begin with `- op : name`'),
        ('- op : [', 'not valid YAML'),
        ('op : fold', 'expected a list of entries'),
    ],
)
def test_fault_of_the_whole_file_is_reported(tmp_path, text, message):
    faults = check_ops_yaml.check_folder(write(tmp_path, text))
    assert any(message in fault for fault in faults), faults


def test_name_in_two_files_is_reported(tmp_path):
    write(tmp_path, GOOD)
    write(tmp_path, GOOD.replace('- op : fold', '- op : fold_b'), 'fold_b.yaml')
    faults = check_ops_yaml.check_folder(tmp_path)
    assert "fold_grad: in more than one file: ['fold.yaml', 'fold_b.yaml']" in (
        faults
    )


def test_all_faults_are_shown_in_one_run(tmp_path, capsys):
    text = GOOD.replace('  inplace :', '  in_place :')
    text = text.replace('output : Tensor(x_grad)', 'output : Tensor(dx)')
    text = text.replace('optional : grad_x_grad', 'optional : other')
    assert check_ops_yaml.main([str(write(tmp_path, text))]) == 1
    out, err = capsys.readouterr()
    assert "fold.yaml: fold: unknown key 'in_place'" in err
    assert 'fold.yaml: fold_grad: output: dx is none of' in err
    assert 'fold.yaml: fold_double_grad: optional names other' in err
    assert out == 'check_ops_yaml: FAILED\n'


def test_folder_without_files_is_a_fault(tmp_path):
    assert check_ops_yaml.check_folder(tmp_path) == [
        f'{tmp_path}: no .yaml file found'
    ]
