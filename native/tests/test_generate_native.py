"""The glue generator: what it writes, and what it refuses."""

from pathlib import Path

import pytest

from native.glue import generate_native
from native.glue.entry import EntryView, GlueError
from native.glue.python_entry import reads_overwritten
from scripts.op_rules import schema
from scripts.op_rules.check_ops_yaml import ATTR_TYPES

ROOT = Path(__file__).resolve().parents[2]

VERSION = '9.9.9'
HELD = {'str': 'std::string'}

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
  no_need_buffer : x

- backward_op : stretch_grad
  forward : stretch (Tensor x, Tensor y, int axis = -1, str how="add", bool keep=true, float by=1.5) -> Tensor(out)
  args : (Tensor x, Tensor y, Tensor out_grad, int axis)
  output : Tensor(x_grad), Tensor(y_grad)
  infer_meta :
    func : GeneralBinaryGradInferMeta
    param : [x, y]
  kernel :
    func : stretch_grad
    data_type : out_grad
  backward : stretch_double_grad
  no_need_buffer : x
"""


@pytest.fixture
def render(tmp_path):
    def write(text=SAMPLE):
        (tmp_path / 'stretch.yaml').write_text(text)
        return generate_native.render(tmp_path, VERSION)

    return write


def entry(text, name, tmp_path):
    path = tmp_path / 'one.yaml'
    path.write_text(text)
    op_file = schema.load_file(path)
    return EntryView(op_file, op_file.entry(name))


def test_no_operator_is_known_by_name():
    names = [
        e.name
        for op_file in schema.load_dir(ROOT / 'ops_yaml')
        for e in op_file.entries
    ]
    # What one operator needs besides its rule, and what the arguments of each
    # Python function mean, have files of their own.
    apart = {'native_dist_masked.py', 'native_calls.py'}
    sources = [
        p
        for p in (ROOT / 'native').glob('**/*.*')
        if 'tests' not in p.parts and p.suffix != '.pyc' and p.name not in apart
    ]
    for source in sources:
        text = source.read_text()
        assert [n for n in names if n in text] == [], source.name


def test_python_module_has_a_row_for_each_operator_and_gradient(render):
    module = {}
    exec(render()['_native_ops.py'], module)
    assert module['OPS'][0] == {
        'name': 'stretch',
        'inputs': ('x', 'y'),
        'outputs': ('out',),
        'attrs': ('axis', 'how', 'keep', 'by'),
        'inplace_input': 0,
        'differentiable': (0, 1),
        'reads_overwritten': False,
        'is_base': False,
    }
    assert {op['name'] for op in module['OPS'] if op['is_base']} == {
        'masked_fill',
        'scatter',
    }
    first, second = module['VJPS']
    assert first == {
        'of': 'stretch',
        'op': 'stretch_vjp',
        'inputs': (('input', 0), ('input', 1), ('gradient', 0)),
        'optional': (),
        'outputs': (0, 1),
        'attrs': ('axis',),
    }
    assert second == {
        'of': 'stretch_vjp',
        'op': 'stretch_double_vjp',
        'inputs': (('input', 0), ('input', 1), ('input', 2), ('gradient', 0)),
        'optional': (3,),
        'outputs': (2,),
        'attrs': ('axis',),
    }


# What the C++ has of the sample. Its compiler sees every type of a kernel, but
# not which of several arguments of a type is which.
COMPILED = """
  using Function = void (*)(const phi::CPUContext&, const phi::DenseTensor&, \
const phi::DenseTensor&, int, const std::string&, bool, float, phi::DenseTensor*);
  phi::StretchInferMeta(in[0], std::get<int>(attrs[0]), out[0]);
  RegisterCustom<StretchSpec>();
  RegisterCustom<StretchGradSpec>();
          {"x", false, false, {From::kInput, 0}},
          {"grad_x_grad", true, true, {From::kGradient, 0}},
          {"axis", AttrType::kInt, 0},
          {"grad_out_grad", 2, -1},
          1,
      StretchDoubleGradSpec,
const char* const kPaddleVersion = "9.9.9";
"""


@pytest.mark.parametrize('line', COMPILED.strip('\n').splitlines())
def test_compiled_table_has(render, line):
    assert f'{line}\n' in render()['native_ops.cc']


def test_gradient_may_read_the_result_of_the_call(tmp_path):
    text = SAMPLE.replace(
        'args : (Tensor x, Tensor y, Tensor out_grad, int axis)',
        'args : (Tensor x, Tensor y, Tensor out, Tensor out_grad, int axis)',
    )
    view = entry(text, 'stretch_grad', tmp_path)
    assert (view.inputs[2]['kind'], view.inputs[2]['at']) == ('kResult', 0)


def test_in_place_knows_when_the_gradient_needs_the_old_values(tmp_path):
    text = SAMPLE.replace('  no_need_buffer : x\n', '')
    assert reads_overwritten(entry(text, 'stretch', tmp_path))


def test_entries_that_the_check_refuses_are_not_generated(render):
    text = SAMPLE.replace('float by=1.5', 'double by=1.5')
    text = text.replace('    data_type : y\n', '    type : y\n')
    with pytest.raises(GlueError) as raised:
        render(text)
    said = str(raised.value)
    assert 'got `double by=1.5`: the wheel target knows no other' in said
    assert 'stretch: kernel.type: expected a key out of' in said


@pytest.mark.parametrize('kind', ATTR_TYPES)
def test_every_type_that_the_check_passes_generates(render, kind):
    text = SAMPLE.replace('int axis', f'{kind} axis').replace(' = -1', '')
    assert f'std::get<{HELD.get(kind, kind)}>' in render(text)['native_ops.cc']
