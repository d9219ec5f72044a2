"""The glue generator: what it writes, and what it refuses."""

from pathlib import Path

import pytest

from native.glue import entry, generate_native
from scripts.op_rules import schema

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


def test_no_operator_is_known_by_name():
    names = [
        e.name
        for op_file in schema.load_dir(ROOT / 'ops_yaml')
        for e in op_file.entries
    ]
    # What one operator needs besides its rule has a file of its own.
    apart = {'native_dist_masked.py'}
    sources = [
        p
        for p in (ROOT / 'native').glob('**/*.*')
        if 'tests' not in p.parts and p.suffix != '.pyc' and p.name not in apart
    ]
    for source in sources:
        text = source.read_text()
        assert [n for n in names if n in text] == [], source.name


# What a row of each kind says of the sample.
WRITTEN = {
    'native_ops.cc': [
        'phi::StretchInferMeta(in[0], std::get<int>(attrs[0]), out[0]);',
        'RegisterCustom<StretchGradSpec>();',
        '{"grad_x_grad", true, true, {From::kGradient, 0}}',
        '{"grad_out_grad", 2, -1}',
        '{ 1, }',
    ],
}


@pytest.mark.parametrize('name', WRITTEN)
def test_sample_is_written_as(render, name):
    text = ' '.join(render()[name].split())
    for part in WRITTEN[name]:
        assert ' '.join(part.split()) in text


def test_entries_that_the_check_refuses_are_not_generated(render):
    with pytest.raises(entry.GlueError, match='stretch: args: expected'):
        render(SAMPLE.replace('float by=1.5', 'double by=1.5'))


# What a change of the sample brings into which file.
CHANGES = [
    (
        'y, Tensor out_grad',
        'y, Tensor out, Tensor out_grad',
        '{From::kResult, 0}',
    ),
    *(
        ('int axis = -1', f'{kind} axis', f'std::get<{held}>(attrs[0])')
        for kind, (held, _) in entry.ATTR_TYPES.items()
    ),
]


@pytest.mark.parametrize(('old', 'new', 'written'), CHANGES)
def test_change_is_written_as(tmp_path, old, new, written):
    assert old in SAMPLE
    (tmp_path / 'stretch.yaml').write_text(SAMPLE.replace(old, new))
    files = schema.load_dir(tmp_path)
    texts = generate_native.render_files(files, VERSION)
    assert written in ''.join(texts.values())


# It runs the kernel of the first order.
THIRD_ORDER = """
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


def test_chain_of_three_orders(render):
    announced = 'optional : grad_x_grad\n  backward : stretch_triple_grad'
    text = SAMPLE.replace('optional : grad_x_grad', announced) + THIRD_ORDER
    written = ' '.join(render(text)['native_ops.cc'].split())
    for part in (
        '"stretch_double_vjp", "StretchDoubleGradGradNode", '
        '"stretch_double_grad", true, false, StretchTripleGradSpec,',
        '"stretch_triple_grad", "stretch_triple_vjp", '
        '"StretchTripleGradGradNode", "stretch_grad", true, false, nullptr,',
        '{"grad_grad_out_grad", false, true, {From::kGradient, 0}}',
        '{"grad_grad_x_grad", 3, -1}',
        'RegisterCustom<StretchTripleGradSpec>();',
    ):
        assert part in written


def test_every_type_that_the_check_passes_is_known():
    assert entry.ATTR_TYPES.keys() == schema.ATTR_TYPES.keys()
