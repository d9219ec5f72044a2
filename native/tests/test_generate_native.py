"""The tables generated for a sample operator."""

from pathlib import Path

import pytest

from native.glue.generate_native import render
from scripts.op_rules import schema

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = """
- op : stretch
  args : (Tensor x, Tensor y, int axis = -1, str how="add", bool keep=true, float by=1.5)
  output : Tensor (out)
  infer_meta :
    func : StretchInferMeta
    param : [x, axis]
  kernel :
    func : stretch
    data_type : y
  inplace : (x -> out)
  backward : stretch_grad

- backward_op : stretch_double_grad
  forward : stretch_grad (Tensor x, Tensor y, Tensor grad_out, int axis) -> Tensor(grad_x), Tensor(grad_y)
  args : (Tensor x, Tensor y, Tensor grad_out, Tensor grad_x_grad, int axis)
  output : Tensor(grad_out_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [grad_out]
  kernel :
    func : stretch_double_grad
    data_type : grad_out
  optional : grad_x_grad
  backward : stretch_triple_grad
  no_need_buffer : x

- backward_op : stretch_grad
  forward : stretch (Tensor x, Tensor y, int axis = -1, str how="add", bool keep=true, float by=1.5) -> Tensor(out)
  args : (Tensor x, Tensor y, Tensor out, Tensor out_grad, int axis)
  output : Tensor(x_grad), Tensor(y_grad)
  infer_meta :
    func : GeneralBinaryGradInferMeta
    param : [x, y]
  kernel :
    func : stretch_grad
    data_type : out_grad
  backward : stretch_double_grad
  no_need_buffer : x

- backward_op : stretch_triple_grad
  forward : stretch_double_grad (Tensor x, Tensor y, Tensor grad_out, Tensor grad_grad_x, int axis) -> Tensor(grad_grad_out)
  args : (Tensor x, Tensor y, Tensor grad_grad_out_grad, int axis)
  output : Tensor(grad_grad_x_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [x]
  kernel :
    func : stretch_grad
    data_type : grad_grad_out_grad
  no_need_buffer : x
"""
GENERATED = (
    'phi::StretchInferMeta(in[0], std::get<int>(attrs[0]), out[0]);',
    'std::get<std::string>(attrs[1]), std::get<bool>(attrs[2]), '
    'std::get<float>(attrs[3]), out[0]);',
    'RegisterCustom<StretchGradSpec>();',
    '{"out", false, true, {Source::kResult, 0}}',
    '{"grad_x_grad", true, true, {Source::kGradient, 0}}',
    '{"grad_out_grad", 2, -1}',
    '{ 1, }',
    '"stretch_double_vjp", "StretchDoubleGradGradNode", '
    '"stretch_double_grad", true, false, StretchTripleGradSpec,',
    '"stretch_triple_grad", "stretch_triple_vjp", '
    '"StretchTripleGradGradNode", "stretch_grad", true, false, nullptr,',
    '{"grad_grad_x_grad", 3, -1}',
)


@pytest.mark.parametrize('part', GENERATED)
def test_generated_table_contains(tmp_path, part):
    (tmp_path / 'stretch.yaml').write_text(SAMPLE)
    assert part in ' '.join(render(tmp_path, '9.9')['native_ops.cc'].split())


def test_runtime_special_cases_no_operator():
    files = schema.load_dir(ROOT / 'ops_yaml')
    names = [entry.name for file in files for entry in file.entries]
    # masked_scatter exchanges counts between processes.
    exempt = {'native_dist_masked.py'}
    for path in (ROOT / 'native').glob('**/*.*'):
        if 'tests' in path.parts or path.suffix == '.pyc':
            continue
        text = '' if path.name in exempt else path.read_text()
        assert [name for name in names if name in text] == [], path.name
