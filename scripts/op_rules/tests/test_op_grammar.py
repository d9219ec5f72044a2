"""Text that Paddle's generators cannot read: each rule with planted faults."""

import pytest

from scripts.op_rules import check_ops_yaml
from scripts.op_rules.tests.yaml_samples import line_of, planted, write

# (text in GOOD, what stands there instead, where the fault is, its sentence)
FAULTS = [
    # keys and their values
    ('  inplace :', '  in_place :', 'tuck.in_place', 'unknown key; expected one of args,'),
    ('    param : [x, mask, a', '    parms : [x, mask, a', 'tuck.infer_meta.parms',
     'unknown key; expected one of func, global_shape,'),
    ('(x -> out)', '[x]', 'tuck.inplace', "expected one line of text, got ['x']"),
    ('kernel :\n    func : tuck\n    param : [x, mask, parts, by, axis]\n    data_type : x',
     'kernel : tuck', 'tuck.kernel', "expected keys below it, got 'tuck'"),
    ('    func : TuckInferMeta\n', '', 'tuck.infer_meta', 'expected a func, got none'),
    ('[x, mask, axis]', 'x', 'tuck.infer_meta.param', "expected a list [a, b], got 'x'"),
    ('[x, mask, axis]', '3', 'tuck.infer_meta.param', 'expected a list [a, b], got 3'),
    ('func : tuck\n', 'func : [tuck]\n', 'tuck.kernel.func', "expected text, got ['tuck']"),
    ('  output : Tensor(x_grad)\n', '', 'tuck_grad', 'output: expected this key, got none'),
    ('  forward : tuck_grad', '  composite : tuck_grad', 'tuck_double_grad',
     'forward: expected this key, got none'),
    ('  inplace : (x -> out)', '  forward : tuck (Tensor x) -> Tensor', 'tuck.forward',
     'expected this key in a backward_op only'),
    ('  inplace : (x -> out)', '  invoke : other(x)', 'tuck.kernel',
     'expected invoke or kernel, got both'),
    ('  infer_meta :\n    func : UnchangedInferMeta\n    param : [x]\n', '', 'tuck_grad',
     'expected infer_meta and kernel (or invoke), got neither'),
    # names
    ('- op : tuck', '- op : Tuck', 'Tuck', 'got `Tuck`'),
    ('backward : tuck_grad\n', 'backward : tuck_grad, other\n', 'tuck.backward',
     'expected one name, got `tuck_grad, other`'),
    ('func : TuckInferMeta', 'func : phi::TuckInferMeta', 'tuck.infer_meta.func',
     'expected one name, got `phi::TuckInferMeta`'),
    # the list of arguments
    ('(Tensor x, Tensor mask, Tensor[]', 'Tensor x, Tensor mask, Tensor[]', 'tuck.args',
     'expected a list in brackets, got `Tensor x,'),
    ('(Tensor x, Tensor mask, Tensor[]', '(Tensor  x, Tensor mask, Tensor[]', 'tuck.args',
     'with one blank after the type, got `Tensor  x`'),
    ('(Tensor x, Tensor mask, Tensor[]', '(x, Tensor mask, Tensor[]', 'tuck.args', 'got `x`'),
    ('int axis=0, bool flag = true)\n', 'int axis=, bool flag = true)\n', 'tuck.args', 'got `int axis=`'),
    ('bool flag = true)\n', 'str flag = "a,b")\n', 'tuck.args', 'got `b"`'),
    ('bool flag = true)\n', 'str flag = "a=b")\n', 'tuck.args', 'got `str flag = "a=b"`'),
    # every generator ends such a list at the first `)`
    ('parts, Scalar by,', 'parts, Scalar(double) by,', 'tuck_grad.forward',
     'expected `Scalar by` without brackets, got `Scalar(double) by`'),
    ('out_grad, Scalar by,', 'out_grad, Scalar(double) by,', 'tuck_grad.args',
     'expected `Scalar by` without brackets, got `Scalar(double) by`'),
    # the forward line
    ('forward : tuck (', 'forward : Tuck (', 'tuck_grad.forward',
     'expected `name (Tensor x, int axis) -> Tensor(out)`, got `Tuck ('),
    ('-> Tensor(out), Tensor(count)', '', 'tuck_grad.forward', 'expected `name (Tensor x, int axis)'),
    ('-> Tensor(out), Tensor(count)', '-> (out), Tensor(count)', 'tuck_grad.forward',
     'expected `Tensor(name)` or `Tensor[](name){size}`, got `(out)`'),
    ('tuck (Tensor x, Tensor mask', 'tuck (x, Tensor mask', 'tuck_grad.forward', 'got `x`'),
    # lists of names and pairs
    ('Tensor (count)', 'Tensors(count)', 'tuck.output', 'got `Tensors(count)`'),
    ('(x -> out)', '(x, out)', 'tuck.inplace', 'expected `(input -> output)`, got `(x`'),
    ('(x -> out)', 'x -> out', 'tuck.inplace', 'expected `(input -> output)`, got `x -> out`'),
    ('  inplace : (x -> out)', '  view : x', 'tuck.view', 'expected `(input -> output)`, got `x`'),
    ('no_need_buffer : x', 'no_need_buffer : x mask', 'tuck_grad.no_need_buffer',
     'expected a name, got `x mask`'),
    ('skip_transform : mask', 'skip_transform : [mask]', 'tuck.data_transform.skip_transform',
     "expected names with commas, got ['mask']"),
    ('data_type : x', 'data_type : x mask', 'tuck.kernel.data_type',
     'expected names with `,` or `>`, got `x mask`'),
    ('func : tuck\n', 'func : tuck (x)\n', 'tuck.kernel.func', 'expected `kernel` or `kernel {dense'),
    ('paddle::dialect::Infer', 'Infer', 'tuck.interfaces', 'expected a C++ class with its namespace'),
    ('  inplace : (x -> out)', '  composite : tuck', 'tuck.composite',
     'expected `function(x, y)`, got `tuck`'),
]  # fmt: skip

GOOD_FORMS = [
    ('bool flag = true)\n', 'bool flag = true, int[] sizes={1, 2})\n'),
    ('data_type : x', 'data_type : complex(x)'),
    ('data_type : x', 'data_type : x > mask'),
    ('func : tuck\n', 'func : tuck {dense, dense -> dense}\n'),
    ('  intermediate', '  traits : pir::SideEffectTrait\n  intermediate'),
]


def faults_of(folder, text):
    return check_ops_yaml.check_folder(write(folder, text))


@pytest.mark.parametrize(('old', 'new', 'place', 'sentence'), FAULTS)
def test_planted_fault_is_reported(tmp_path, old, new, place, sentence):
    text = planted(old, new)
    entry, *keys = place.split('.')
    key = f'{".".join(keys)}: ' if keys else ''
    head = f'tuck.yaml:{line_of(text, place)}: {entry}: {key}'
    faults = faults_of(tmp_path, text)
    found = [f for f in faults if f.startswith(head) and sentence in f]
    assert len(found) == 1, faults


@pytest.mark.parametrize(('old', 'new'), GOOD_FORMS)
def test_form_that_the_generators_read_is_no_fault(tmp_path, old, new):
    unread = [
        f
        for f in faults_of(tmp_path, planted(old, new))
        if 'forward: ' not in f
    ]
    assert unread == []


def test_second_of_two_equal_keys_is_reported(tmp_path):
    text = planted('  intermediate : count', '  inplace : (x -> out)')
    line = line_of(text, 'tuck.inplace') + 1
    assert faults_of(tmp_path, text) == [
        f'tuck.yaml:{line}: tuck: inplace: expected this key once, got it twice'
    ]
