"""What entries may say and owe each other: each rule with planted faults."""

import pytest

from scripts.op_rules import check_ops_yaml
from scripts.op_rules.tests.yaml_samples import line_of, planted, write

# (text in GOOD, what stands there instead, where the fault is, its sentence)
ENTRY_FAULTS = [
    ('Tensor[] parts, Scalar(double)', 'Tensor? parts, Scalar(double)', 'tuck.args',
     'expected `type name` or `type name = default` with one blank'),
    ('Tensor[] parts, Scalar(double)', 'Tensor[2] parts, Scalar(double)', 'tuck.args',
     'expected a type out of Tensor, Tensor[] for parts, got `Tensor[2]`'),
    ('Scalar(double) by', 'Scalar(half) by', 'tuck.args', 'for by, got `Scalar(half)`'),
    ('by, int axis=0, bool flag = ', 'by, integer axis=0, bool flag = ', 'tuck.args',
     'for axis, got `integer`'),
    ('(Tensor x, Tensor mask, Tensor out_grad, Scalar by,', '(Tensor x, Scalar by, Tensor mask, '
     'Tensor out_grad,', 'tuck_grad.args',
     'expected Tensors before attributes, got `Tensor mask` after `Scalar by`'),
    ('(Tensor x, Tensor mask, Tensor[]', '(Tensor x, Tensor x, Tensor[]', 'tuck.args',
     'expected each name once, got x twice'),
    ('bool flag = true)\n', 'bool flag)\n', 'tuck.args',
     'expected a default for flag, as axis before it has one, got none'),
    ('[x, mask, axis]', '[x, msk, axis]', 'tuck.infer_meta.param',
     'expected a name out of x, mask, parts, by, axis, flag, got msk'),
    ('[x, mask, parts, by, axis]', '[x, mask, part, by, axis]', 'tuck.kernel.param',
     'expected a name out of x, mask, parts, by, axis, flag, got part'),
    ('skip_transform : mask', 'skip_transform : axis', 'tuck.data_transform.skip_transform',
     'expected a name out of x, mask, parts, got axis'),
    ('skip_transform : mask', 'support_trans_dtype : x, y',
     'tuck.data_transform.support_trans_dtype', 'expected a name out of x, mask, parts, got y'),
    ('intermediate : count', 'intermediate : sum', 'tuck.intermediate',
     'expected a name out of out, count, got sum'),
    ('optional : grad_x_grad', 'optional : other', 'tuck_double_grad.optional',
     'expected names out of mask, grad_out, grad_x_grad, grad_out_grad, got other'),
    ('no_need_buffer : x', 'no_need_buffer : x_grad', 'tuck_grad.no_need_buffer',
     'expected names out of x, mask, out_grad, got x_grad'),
    # in place
    ('(x -> out)', '(y -> out)', 'tuck.inplace', 'expected a name out of x, mask, parts, got y'),
    ('(x -> out)', '(x -> y)', 'tuck.inplace', 'expected a name out of out, count, got y'),
    ('(x -> out)', '(out -> x)', 'tuck.inplace', 'expected a name out of x, mask, parts, got out'),
    ('(x -> out)', '(parts -> out)', 'tuck.inplace',
     'expected two of one type, got Tensor[] parts and Tensor out'),
    ('(x -> out)', '(x -> out), (x -> count)', 'tuck.inplace', 'expected each input once, got x twice'),
    ('(x -> out)', '(x -> out), (mask -> out)', 'tuck.inplace',
     'expected each output once, got out twice'),
    # what chooses the kernel
    ('data_type : x', 'data_type : y', 'tuck.kernel.data_type',
     'expected a Tensor of args or a DataType, got y'),
    ('data_type : x', 'data_type : axis', 'tuck.kernel.data_type',
     'expected a Tensor of args or a DataType, got int axis'),
    ('data_type : x', 'layout : axis', 'tuck.kernel.layout',
     'expected a Tensor of args or a DataLayout, got int axis'),
    ('data_type : x', 'backend : out', 'tuck.kernel.backend',
     'expected a Tensor of args or a Place, got out'),
    ('data_type : grad_out', 'data_type : grad_x_grad', 'tuck_double_grad.kernel.data_type',
     'expected no optional Tensor, got grad_x_grad'),
    ('data_type : out_grad', 'data_type : x', 'tuck_grad.kernel.data_type',
     'expected a Tensor outside of no_need_buffer, got x'),
    ('data_type : out_grad', 'data_type : out_grad > x', 'tuck_grad.kernel.data_type',
     'expected a Tensor outside of no_need_buffer, got x'),
]  # fmt: skip
PAIR_FAULTS = [
    ('  backward : tuck_grad\n', '  backward : tuck_gradient\n', 'tuck.backward',
     'expected a backward_op of this file, got tuck_gradient'),
    ('  backward : tuck_double_grad\n', '', 'tuck_double_grad',
     'expected an entry with `backward : tuck_double_grad`, got none'),
    ('  backward : tuck_grad\n', '  backward : tuck_double_grad\n', 'tuck.backward',
     'expected a gradient of tuck, got tuck_double_grad, a gradient of tuck_grad'),
    ('forward : tuck (', 'forward : tuck_up (', 'tuck_grad.forward',
     'expected an entry of this file, got tuck_up'),
    ('forward : tuck (Tensor x, ', 'forward : tuck (', 'tuck_grad.forward',
     'expected 6 args (Tensor x, Tensor mask, Tensor[] parts, Scalar by, int axis, bool flag), got 5'),
    ('tuck (Tensor x, Tensor mask', 'tuck (Tensor mask, Tensor x', 'tuck_grad.forward',
     'expected `Tensor x` in args, got `Tensor mask`'),
    ('parts, Scalar by, int axis=0', 'parts, Scalar by, int64_t axis=0', 'tuck_grad.forward',
     'expected `int axis` in args, got `int64_t axis`'),
    ('parts, Scalar by, int', 'parts, double by, int', 'tuck_grad.forward',
     'expected `Scalar by` in args, got `double by`'),
    ('axis=0, bool flag=true) ->', 'axis=1, bool flag=true) ->', 'tuck_grad.forward',
     'expected the default 0 for axis, got 1'),
    ('-> Tensor(out), Tensor(count)', '-> Tensor(out)', 'tuck_grad.forward',
     'expected 2 outputs (Tensor out, Tensor count), got 1'),
    ('-> Tensor(out), ', '-> Tensor(y), ', 'tuck_grad.forward',
     'expected `Tensor out` in outputs, got `Tensor y`'),
    ('Tensor grad_out, Scalar by', 'Tensor out_grad, Scalar by', 'tuck_double_grad.forward',
     'expected `Tensor grad_out` in args, got `Tensor out_grad`'),
    ('-> Tensor(grad_x)', '-> Tensor(x_grad)', 'tuck_double_grad.forward',
     'expected `Tensor grad_x` in outputs, got `Tensor x_grad`'),
    # what a gradient takes and gives
    ('Tensor mask, Tensor out_grad, Scalar', 'Tensor mask, Tensor dout, Scalar', 'tuck_grad.args',
     'expected names out of x, mask, parts, out, count, out_grad, count_grad, got dout'),
    ('(Tensor x, Tensor mask, Tensor out_grad, Scalar', '(Tensor x, Tensor mask, Scalar',
     'tuck_grad.args', 'expected an output gradient out of out_grad, count_grad, got none'),
    ('(Tensor x, Tensor mask, Tensor out_grad', '(Tensor mask, Tensor x, Tensor out_grad',
     'tuck_grad.args', 'expected the order x, mask, parts, out, count, out_grad, count_grad, got mask, x'),
    ('out_grad, Scalar by, int axis)', 'out_grad, Scalar by, bool axis)', 'tuck_grad.args',
     'expected int axis, as the forward line says, got bool axis'),
    ('out_grad, Scalar by, int axis)', 'out_grad, int axis, Scalar by)', 'tuck_grad.args',
     'expected the order by, axis, flag, got axis, by'),
    ('output : Tensor(x_grad)', 'output : Tensor(dx)', 'tuck_grad.output',
     'expected names out of x_grad, mask_grad, parts_grad, got dx'),
    ('output : Tensor(x_grad)', 'output : Tensor(mask_grad), Tensor(x_grad)', 'tuck_grad.output',
     'expected the order x_grad, mask_grad, parts_grad, got mask_grad, x_grad'),
    ('output : Tensor(x_grad)', 'output : Tensor(parts_grad)', 'tuck_grad.output',
     'expected Tensor[] parts_grad, as the forward line says, got Tensor parts_grad'),
]  # fmt: skip


@pytest.mark.parametrize(
    ('old', 'new', 'place', 'sentence'), ENTRY_FAULTS + PAIR_FAULTS
)
def test_planted_fault_is_reported(tmp_path, old, new, place, sentence):
    text = planted(old, new)
    entry, *keys = place.split('.')
    key = f'{".".join(keys)}: ' if keys else ''
    head = f'tuck.yaml:{line_of(text, place)}: {entry}: {key}'
    faults = check_ops_yaml.check_folder(write(tmp_path, text))
    found = [f for f in faults if f.startswith(head) and sentence in f]
    assert len(found) == 1, faults


def test_missing_data_type_is_reported(tmp_path):
    text = planted('    data_type : out_grad\n', '')
    line = line_of(text, 'tuck_grad.kernel')
    assert check_ops_yaml.check_folder(write(tmp_path, text)) == [
        f'tuck.yaml:{line}: tuck_grad: kernel.data_type: expected a Tensor '
        'outside of no_need_buffer, got none'
    ]


def test_optional_output_is_no_fault(tmp_path):
    text = planted('  intermediate : count', '  optional : parts, count')
    assert check_ops_yaml.check_folder(write(tmp_path, text)) == []
