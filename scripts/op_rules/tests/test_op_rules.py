"""Each rule on entries with planted faults: their text, what they may say, and
what they owe each other; then check_ops_yaml as a command."""

import pytest

from scripts.op_rules import check_ops_yaml
from scripts.op_rules.tests.yaml_samples import (
    DOUBLE,
    FORWARD,
    GOOD,
    GRAD,
    line_of,
    planted,
    write,
)

# (text in GOOD, what stands there instead): lines that are read as something else
FORM_FAULTS = [
    ('- op : tuck', '- op: tuck'),
    ('  inplace :', '  in_place :'),
    ('    param : [x, mask, a', '    parms : [x, mask, a'),
    ('(x -> out)', '[x]'),
    ('(x -> out)', '(x, out)'),
    ('func : tuck\n', 'func :  tuck\n'),
    ('[x, mask, axis]', '[x,mask,axis]'),
    ('  kernel :', '\n  kernel :'),
    ('  backward : tuck_grad\n', '  inplace : (x -> out)\n  backward : tuck_grad\n'),
    ('(Tensor x, Tensor mask, Tensor out_grad, float by,', '(Tensor x, float by, Tensor mask, Tensor out_grad,'),
    (f'{FORWARD}\n', FORWARD),
    # the forward line repeats the entry: its args, types, order, defaults, outputs
    ('-> Tensor(out)', ''),
    ('-> Tensor(out)', '-> (out)'),
    ('-> Tensor(out)', '-> Tensor(out), Tensor(count)'),
    ('forward : tuck (Tensor x, ', 'forward : tuck ('),
    ('tuck (Tensor x, Tensor mask', 'tuck (Tensor mask, Tensor x'),
    ('int axis=0, bool flag=true', 'int64_t axis=0, bool flag=true'),
    ('axis=0, bool flag=true) ->', 'axis=1, bool flag=true) ->'),
    ('Tensor grad_out, float by', 'Tensor out_grad, float by'),
]  # fmt: skip
# (text in GOOD, what stands there instead, where the fault is, its sentence)
TEXT_FAULTS = [
    ('(x -> out)\n  backward : tuck_grad\n', '(x -> out)\n  backward : tuck_grad, other\n', 'tuck.backward',
     'expected a backward_op of this file, got tuck_grad, other'),
    ('kernel :\n    func : tuck\n    param : [x, mask, parts, by, axis]\n    data_type : x',
     'kernel : tuck', 'tuck.kernel', "expected keys below it, got 'tuck'"),
    ('    func : TuckInferMeta\n', '', 'tuck.infer_meta.func', 'expected one name, got ``'),
    ('[x, mask, axis]', 'x', 'tuck.infer_meta.param', "expected a list [a, b], got 'x'"),
    ('func : tuck\n', 'func : [tuck]\n', 'tuck.kernel.func', "expected one name, got `['tuck']`"),
    ('  output : Tensor(x_grad)\n', '', 'tuck_grad', 'output: expected this key, got none'),
    ('  forward : tuck_grad', '  traits : tuck_grad', 'tuck_double_grad',
     'forward: expected this key in every backward_op'),
    ('  inplace : (x -> out)', '  forward : tuck (Tensor x) -> Tensor', 'tuck.forward',
     'expected this key in every backward_op, and only there'),
    ('- op : tuck', '- op : Tuck', 'Tuck', 'got `Tuck`'),
    # the list of arguments
    ('(Tensor x, Tensor mask, Tensor', 'Tensor x, Tensor mask, Tensor', 'tuck.args',
     'expected a list in brackets, got `Tensor x,'),
    ('(Tensor x, Tensor mask, Tensor', '(Tensor  x, Tensor mask, Tensor', 'tuck.args',
     'with one blank after the type, got `Tensor  x`'),
    ('int axis=0, bool flag = true)\n', 'int axis=, bool flag = true)\n', 'tuck.args', 'got `int axis=`'),
    ('bool flag = true)\n', 'str flag = "a,b")\n', 'tuck.args', 'got `b"`'),
    ('bool flag = true)\n', 'str flag = "a=b")\n', 'tuck.args', 'got `str flag = "a=b"`'),
    ('Tensor (out)', 'Tensors(out)', 'tuck.output', 'got `Tensors(out)`'),
    ('no_need_buffer : x', 'no_need_buffer : x mask', 'tuck_grad.no_need_buffer',
     'expected a name out of x, mask, out_grad, got x mask'),
    ('data_type : x', 'data_type : x mask', 'tuck.kernel.data_type',
     'expected one name, got `x mask`'),
]  # fmt: skip
ENTRY_FAULTS = [
    ('Tensor parts, float', 'Tensor? parts, float', 'tuck.args',
     'expected `type name` or `type name = default` with one blank'),
    ('(Tensor x, Tensor mask, Tensor', '(Tensor x, Tensor x, Tensor', 'tuck.args',
     'expected each name once, got x twice'),
    ('bool flag = true)\n', 'bool flag)\n', 'tuck.args',
     'expected a default for flag, as axis before it has one, got none'),
    ('[x, mask, axis]', '[x, msk, axis]', 'tuck.infer_meta.param',
     'expected a name out of x, mask, parts, by, axis, flag, got msk'),
    ('optional : grad_x_grad', 'optional : other', 'tuck_double_grad.optional',
     'expected a name out of mask, grad_out, grad_x_grad, got other'),
    # what the wheel target knows
    ('float by, int axis=0, bool flag = ', 'double by, int axis=0, bool flag = ', 'tuck.args',
     'expected a type out of bool, int, int64_t, float, str for by, got `double`: the wheel target'),
    ('Tensor parts, float by, int axis=0, bool flag = ', 'Tensor[] parts, float by, int axis=0, bool flag = ',
     'tuck.args', 'expected Tensor for parts, got `Tensor[]`: the wheel target knows no other'),
    ('int axis=0, bool flag = true)\n', 'int axis=0 + 1, bool flag = true)\n', 'tuck.args',
     'expected a literal int as the default of axis, got `0 + 1`'),
    ('bool flag = true)\n', 'bool flag = yes)\n', 'tuck.args', 'a literal bool as the default of flag, got `yes`'),
    ('(Tensor x, Tensor mask, Tensor parts, float by,', '(float by,', 'tuck.args',
     'expected a Tensor, got none'),
    ('output : Tensor (out)', 'output : Tensor(out), Tensor(count)', 'tuck.output',
     'expected one result of an op that has a gradient, got 2'),
    ('  inplace : (x -> out)', '  optional : mask', 'tuck.optional',
     'expected none in an op that has a gradient, got mask'),
    # in place
    ('(x -> out)', '(y -> out)', 'tuck.inplace', 'expected a name out of x, mask, parts, got y'),
    ('(x -> out)', '(x -> y)', 'tuck.inplace', 'expected a name out of out, got y'),
    ('(x -> out)', '(x -> out), (mask -> out)', 'tuck.inplace',
     'expected each output once, got out twice'),
    # what chooses the kernel
    ('data_type : x', 'data_type : y', 'tuck.kernel.data_type',
     'expected a name out of x, mask, parts, got y'),
    ('data_type : grad_out', 'data_type : grad_x_grad', 'tuck_double_grad.kernel.data_type',
     'expected no optional Tensor, got grad_x_grad'),
    ('data_type : out_grad', 'data_type : x', 'tuck_grad.kernel.data_type',
     'expected a Tensor outside of no_need_buffer, got x'),
    ('    data_type : out_grad\n', '', 'tuck_grad.kernel.data_type',
     'expected a Tensor outside of no_need_buffer, got none'),
]  # fmt: skip
PAIR_FAULTS = [
    ('  optional : grad_x_grad\n', '  optional : grad_x_grad\n  backward : tuck_grad\n', 'tuck_double_grad.backward',
     'expected none of a second-order entry, got tuck_grad'),
    ('  backward : tuck_grad\n', '  backward : tuck_gradient\n', 'tuck.backward',
     'expected a backward_op of this file, got tuck_gradient'),
    ('  backward : tuck_double_grad\n', '', 'tuck_double_grad',
     'expected an entry with `backward : tuck_double_grad`, got none'),
    ('  backward : tuck_grad\n', '  backward : tuck_double_grad\n', 'tuck.backward',
     'expected a gradient of tuck, got tuck_double_grad, a gradient of tuck_grad'),
    ('forward : tuck (', 'forward : tuck_up (', 'tuck_grad.forward',
     'expected an entry of this file, got tuck_up'),
    # what a gradient takes and gives
    ('Tensor mask, Tensor out_grad, float', 'Tensor mask, Tensor dout, float', 'tuck_grad.args',
     'expected names out of x, mask, parts, out, out_grad, got dout'),
    ('(Tensor x, Tensor mask, Tensor out_grad, float', '(Tensor x, Tensor mask, float',
     'tuck_grad.args', 'expected an output gradient out of out_grad, got none'),
    ('(Tensor x, Tensor mask, Tensor out_grad', '(Tensor mask, Tensor x, Tensor out_grad',
     'tuck_grad.args', 'expected the order x, mask, parts, out, out_grad, got mask, x'),
    ('out_grad, float by, int axis)', 'out_grad, float by, bool axis)', 'tuck_grad.args',
     'expected int axis, as the forward line says, got bool axis'),
    ('output : Tensor(x_grad)', 'output : Tensor(dx)', 'tuck_grad.output',
     'expected names out of x_grad, mask_grad, parts_grad, got dx'),
    ('output : Tensor(x_grad)', 'output : Tensor(mask_grad), Tensor(x_grad)', 'tuck_grad.output',
     'expected the order x_grad, mask_grad, parts_grad, got mask_grad, x_grad'),
]  # fmt: skip


@pytest.mark.parametrize(
    ('old', 'new', 'place', 'sentence'),
    TEXT_FAULTS + ENTRY_FAULTS + PAIR_FAULTS,
)
def test_planted_fault_is_reported(tmp_path, old, new, place, sentence):
    text = planted(old, new)
    entry, *keys = place.split('.')
    key = f'{".".join(keys)}: ' if keys else ''
    head = f'tuck.yaml:{line_of(text, entry)}: {entry}: {key}'
    faults = check_ops_yaml.check_folder(write(tmp_path, text))
    found = [f for f in faults if f.startswith(head) and sentence in f]
    assert len(found) == 1, faults


@pytest.mark.parametrize(('old', 'new'), FORM_FAULTS)
def test_line_that_would_be_written_otherwise_is_reported(tmp_path, old, new):
    text = planted(old, new)
    lines = list(zip(GOOD.split('\n'), text.split('\n')))
    at = next(n for n, (good, bad) in enumerate(lines) if good != bad)
    good, bad = lines[at]
    fault = f'tuck.yaml:{at + 1}: expected `'
    found = check_ops_yaml.check_folder(write(tmp_path, text))
    assert [f for f in found if f.startswith(fault)], found
    assert any(f.endswith(f', got `{bad.strip()}`') for f in found), found


def test_traits_are_no_fault(tmp_path):
    text = planted(
        'ShapeInterface\n', 'ShapeInterface\n  traits : pir::SideEffectTrait\n'
    )
    assert check_ops_yaml.check_folder(write(tmp_path, text)) == []


# -- whole files, the order of entries, the verdict ----------------------------


def test_clean_file_has_no_faults(tmp_path, capsys):
    assert check_ops_yaml.main([str(write(tmp_path, GOOD))]) == 0
    out, err = capsys.readouterr()
    assert out.endswith('check_ops_yaml: clean\n')
    assert err == ''


def test_entries_of_this_project_are_clean(capsys):
    assert check_ops_yaml.main([]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ('text', 'fault'),
    [
        (
            f'{FORWARD}\n{GRAD}\n{DOUBLE}',
            f'{len(FORWARD.splitlines()) + 2}: expected `- backward_op : '
            'tuck_double_grad`, got `- backward_op : tuck_grad`',
        ),
        (f'{DOUBLE}\n{GRAD}', '1: expected one op, named tuck as the file, got none'),
        (
            GOOD.replace('- op : tuck', '- op : tucks'),
            '1: expected one op, named tuck as the file, got tucks',
        ),
        (
            f'{GOOD}\n{GRAD}',
            f'{len(GOOD.splitlines()) + 2}: tuck_grad: expected one entry of this name',
        ),
        (
            GOOD.replace('- op : tuck', '- name : tuck'),
            '1: entry without name: op: expected this key, got none',
        ),
        ('- op : [', "1: expected YAML, got: expected the node content, but found '<stream end>'"),
        ('op : tuck', '1: expected a list of entries, got something else'),
    ],
)  # fmt: skip
def test_fault_of_the_whole_file_is_reported(tmp_path, text, fault):
    faults = check_ops_yaml.check_folder(write(tmp_path, text))
    assert any(f.startswith(f'tuck.yaml:{fault}') for f in faults), faults


def test_name_in_two_files_is_reported(tmp_path):
    write(tmp_path, GOOD)
    write(tmp_path, GOOD.replace('- op : tuck', '- op : tuck_b'), 'tuck_b.yaml')
    assert (
        'tuck_grad: expected one file with it, got tuck.yaml, tuck_b.yaml'
        in (check_ops_yaml.check_folder(tmp_path))
    )


def test_all_faults_are_shown_in_one_run(tmp_path, capsys):
    text = GOOD.replace('  inplace :', '  in_place :', 1)
    text = text.replace('output : Tensor(x_grad)', 'output : Tensor(dx)')
    text = text.replace('optional : grad_x_grad', 'optional : other')
    assert check_ops_yaml.main([str(write(tmp_path, text))]) == 1
    out, err = capsys.readouterr()
    assert 'tuck.yaml:11: expected `backward : tuck_grad`, got `in_place' in err
    assert 'tuck_grad: output: expected names out of x_grad' in err
    assert 'tuck_double_grad: optional: expected a name out of' in err
    assert out.endswith('check_ops_yaml: FAILED\n')


def test_unread_entry_does_not_make_the_others_faulty(tmp_path):
    """An entry that cannot be read is still there for those that name it."""
    text = GOOD.replace('no_need_buffer : x', 'no_need_buffer : far')
    faults = check_ops_yaml.check_folder(write(tmp_path, text))
    assert [f.split(': ')[1] for f in faults] == ['tuck_grad']


def test_folder_without_files_is_a_fault(tmp_path):
    assert check_ops_yaml.check_folder(tmp_path) == [
        f'{tmp_path}: expected .yaml files, got none'
    ]
