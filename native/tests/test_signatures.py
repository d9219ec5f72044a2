"""The compiler refuses C++ that takes other arguments than the YAML says."""

from pathlib import Path

import pytest

from native.glue import generate_native
from scripts.common import native_compiler
from scripts.op_rules import schema

ROOT = Path(__file__).resolve().parents[2]

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


def test_yaml_that_fits_compiles(tmp_path):
    assert compile_signatures(tmp_path, YAML) == (True, '')


PLANTED = {
    'a wrong type': (
        'args : (Tensor x, Tensor values, int axis, int64_t index)\n',
        'args : (Tensor x, Tensor values, int64_t axis, int64_t index)\n',
        [
            REFUSED,
            'CheckDeclared<native_ops::select_scatter,',
            'CheckDeclared<native_ops::select_scatter_infer_meta,',
            'const phi::DenseTensor&, int, long int, phi::DenseTensor*)',
            'const phi::DenseTensor&, long int, long int, phi::DenseTensor*)',
        ],
    ),
    'an output too many': (
        'output : Tensor(grad_out_grad)\n',
        'output : Tensor(grad_out_grad), Tensor(values_grad)\n',
        [
            REFUSED,
            'CheckDeclared<native_ops::select_scatter_double_grad_infer_meta,',
            'phi::MetaTensor*, phi::MetaTensor*)>',
        ],
    ),
    'a wrong InferMeta': (
        'func : GeneralBinaryGradInferMeta\n    spmd_rule : '
        'SelectScatterGradInferSpmd\n    param : [x, values]\n',
        'func : UnchangedInferMeta\n    param : [x]\n',
        [
            REFUSED,
            'CheckDeclared<native_ops::select_scatter_grad_infer_meta, '
            'void (*)(const phi::MetaTensor&, phi::MetaTensor*), '
            'void (*)(const phi::MetaTensor&, phi::MetaTensor*, '
            'phi::MetaTensor*)>',
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
