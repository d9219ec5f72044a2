"""The glue generator: what it writes, and what it refuses."""

from pathlib import Path

import pytest

from native.glue import entry, generate_native
from scripts.common import native_compiler
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


# What a row of each kind says of the sample.
WRITTEN = {
    '_native_ops.py': [
        """{'name': 'stretch',
         'inputs': ('x', 'y'),
         'outputs': ('out',),
         'attrs': ('axis', 'how', 'keep', 'by'),
         'inplace_input': 0,
         'differentiable': (0, 1),
         'reads_overwritten': False,
         'is_base': False}""",
        """{'of': 'stretch_vjp',
          'op': 'stretch_double_vjp',
          'inputs': (('input', 0), ('input', 1), ('input', 2), ('gradient', 0)),
          'optional': (3,),
          'outputs': (2,),
          'attrs': ('axis',)}""",
    ],
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
    ('  no_need_buffer : x\n', '', "'reads_overwritten': True"),
    *(
        ('int axis = -1', f'{kind} axis', f'std::get<{held}>(attrs[0])')
        for kind, (_, held, _) in entry.ATTR_TYPES.items()
    ),
]


@pytest.mark.parametrize(('old', 'new', 'written'), CHANGES)
def test_change_is_written_as(tmp_path, old, new, written):
    assert old in SAMPLE
    (tmp_path / 'stretch.yaml').write_text(SAMPLE.replace(old, new))
    files = schema.load_dir(tmp_path)
    texts = generate_native.render_files(files, VERSION, WRITTEN)
    assert written in ''.join(texts.values())


def test_every_type_that_the_check_passes_is_known():
    assert entry.ATTR_TYPES.keys() == schema.ATTR_TYPES.keys()


# ---- the compiler refuses C++ that takes other arguments than the YAML says

YAML = (ROOT / 'ops_yaml/select_scatter.yaml').read_text()
NAME = 'cpu_signatures.h'
REFUSED = 'static assertion failed: the function must be declared as its YAML'


def compile_text(path, text):
    path.write_text(text)
    return native_compiler.run(['-fsyntax-only', '-x', 'c++', path])


def compile_signatures(folder, yaml):
    """Whether the signatures of a changed YAML compile, and the messages."""
    (folder / 'select_scatter.yaml').write_text(yaml)
    files = [schema.load_file(folder / 'select_scatter.yaml')]
    text = generate_native.render_files(files, '', [NAME])[NAME]
    return compile_text(folder / NAME, text)


PLANTED = {
    'a wrong type': (
        'args : (Tensor x, Tensor values, int axis, int64_t index)\n',
        'args : (Tensor x, Tensor values, int64_t axis, int64_t index)\n',
        [REFUSED, 'CheckDeclared<native_ops::select_scatter,'],
    ),
    'an output too many': (
        'output : Tensor(grad_out_grad)\n',
        'output : Tensor(grad_out_grad), Tensor(values_grad)\n',
        [
            REFUSED,
            'CheckDeclared<native_ops::select_scatter_double_grad_infer_meta,',
        ],
    ),
    'a kernel that is not declared': (
        'func : select_scatter\n    data_type : x\n',
        'func : select_gather\n    data_type : x\n',
        ["'SelectGatherKernel' is not a member of 'phi'"],
    ),
}


@pytest.mark.parametrize('fault', PLANTED)
def test_planted_fault_is_refused(tmp_path, fault):
    old, new, messages = PLANTED[fault]
    assert YAML.count(old) == 1
    compiled, said = compile_signatures(tmp_path, YAML.replace(old, new))
    assert not compiled
    assert [text for text in messages if text not in said] == [], said


def test_config_that_infer_meta_takes_last_may_be_left_out(tmp_path):
    text = """
    #include "glue/signature_check.h"
    using phi::MetaConfig;
    using phi::MetaTensor;
    void InferMeta(const MetaTensor& x, MetaTensor* out, MetaConfig config);
    template struct native_ops::CheckDeclared<struct Entry,
        decltype(&InferMeta), void (*)(const MetaTensor&, MetaTensor*)>;
    """
    compiled, said = compile_text(tmp_path / 'config.h', text)
    assert compiled, said
