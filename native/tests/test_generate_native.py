"""The glue generator: what it writes, and what it refuses."""

import ast
from pathlib import Path

import pytest

from native.glue import generate_native
from native.glue.entry import EntryView, GlueError
from scripts.op_rules import schema
from scripts.op_rules.check_ops_yaml import ATTR_TYPES

ROOT = Path(__file__).resolve().parents[2]

VERSION = '9.9.9'

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


def test_same_input_gives_the_same_bytes():
    first = generate_native.render(ROOT / 'ops_yaml', VERSION)
    assert first == generate_native.render(ROOT / 'ops_yaml', VERSION)


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


def test_python_module_has_the_operator_with_its_defaults(render):
    tree = ast.parse(render()['_native_ops.py'])
    functions = {
        node.name: ast.unparse(node.args)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    arguments = "x, y, axis=-1, how='add', keep=True, by=1.5"
    assert functions == {'stretch': arguments, 'stretch_': arguments}


def test_kernel_is_called_with_the_types_of_its_signature(render):
    text = render()['native_ops.cc']
    assert (
        'using Function = void (*)(const phi::CPUContext&, '
        'const phi::DenseTensor&, const phi::DenseTensor&, int, '
        'const std::string&, bool, float, phi::DenseTensor*)'
    ) in text
    assert (
        'phi::StretchInferMeta(in[0], std::get<int>(attrs[0]), out[0])' in text
    )
    assert 'Optional(in[3])' in text
    assert f'kPaddleVersion = "{VERSION}"' in text


def test_second_order_gradient_reads_the_names_of_paddle(tmp_path):
    view = entry(SAMPLE, 'stretch_double_grad', tmp_path)
    assert [i['custom_name'] for i in view.inputs] == [
        'x',
        'y',
        'out@GRAD',
        'x@GRAD@GRAD',
    ]
    assert view.outputs[0]['custom_name'] == 'out@GRAD@GRAD'
    # The first-order gradient reads y itself, but of x only the shape.
    assert view.extra_outputs == ['x@GRAD', 'y@GRAD']
    assert view.dtype_input == 2


def test_gradient_knows_what_it_takes_from_the_call(tmp_path):
    view = entry(SAMPLE, 'stretch_grad', tmp_path)
    sources = [(i['kind'], i['at']) for i in view.inputs]
    assert sources == [('kInput', 0), ('kInput', 1), ('kGradient', 0)]
    assert [o['at'] for o in view.outputs] == [0, 1]
    assert [a['at'] for a in view.attrs] == [0]
    view = entry(SAMPLE, 'stretch_double_grad', tmp_path)
    sources = [(i['kind'], i['at']) for i in view.inputs]
    assert sources[2:] == [('kInput', 2), ('kGradient', 0)]
    assert [o['at'] for o in view.outputs] == [2]


def test_gradient_may_read_the_result_of_the_call(tmp_path):
    text = SAMPLE.replace(
        'args : (Tensor x, Tensor y, Tensor out_grad, int axis)',
        'args : (Tensor x, Tensor y, Tensor out, Tensor out_grad, int axis)',
    )
    view = entry(text, 'stretch_grad', tmp_path)
    assert (view.inputs[2]['kind'], view.inputs[2]['at']) == ('kResult', 0)


def test_differentiable_inputs_are_found(tmp_path):
    view = entry(SAMPLE, 'stretch', tmp_path)
    assert view.differentiable == (0, 1)
    assert not view.backward_reads_inplace


def test_in_place_knows_when_the_gradient_needs_the_old_values(tmp_path):
    text = SAMPLE.replace('  no_need_buffer : x\n', '')
    assert entry(text, 'stretch', tmp_path).backward_reads_inplace


def test_tensor_without_gradient_is_not_asked_for_one(tmp_path):
    text = SAMPLE.replace(', Tensor(y_grad)', '')
    view = entry(text, 'stretch', tmp_path)
    assert view.no_grad_test == 'x.stop_gradient'


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
    """With and without a default."""
    default = {'bool': 'true', 'str': '"a"'}.get(kind, '-1')
    text = SAMPLE.replace(
        'Tensor y, int axis = -1, str how="add"',
        f'Tensor y, {kind} first, {kind} axis = {default}, str how="add"',
    ).replace('int axis', f'{kind} axis')
    assert (
        f'first, axis={default.title() if kind == "bool" else default}'
        in (render(text)['_native_ops.py'])
    )


def test_gradient_may_read_some_attributes_of_its_operator(render):
    assert (
        'RegisterCustom<StretchSpec, StretchGradSpec>(1);'
        in (render()['native_ops.cc'])
    )


def test_gradient_is_an_operator_of_its_own(render):
    texts = render()
    compiled = texts['native_ops.cc']
    assert 'RegisterCustom<StretchGradSpec, StretchGradSpec>(0);' in compiled
    assert (
        'RegisterCustom<StretchGradSpec, StretchDoubleGradSpec>(1);' in compiled
    )
    assert "'stretch_vjp'" in texts['_native_ops.py']


def test_gradient_without_one_of_its_own_is_known(tmp_path):
    assert entry(SAMPLE, 'stretch_grad', tmp_path).gradient == (
        'StretchDoubleGradSpec'
    )
    last = entry(SAMPLE, 'stretch_double_grad', tmp_path)
    assert last.gradient == 'nullptr'
