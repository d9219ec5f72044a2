"""The generated operator tables."""

import shutil
from pathlib import Path

import pytest

from native.glue.generate_native import render
from scripts.op_rules import schema

ROOT = Path(__file__).resolve().parents[2]
GENERATED = (
    'phi::GeneralBinaryGradInferMeta(in[0], in[2], out[0], out[1]);',
    'std::get<int>(attrs[0]), std::get<std::string>(attrs[1]), '
    'std::get<bool>(attrs[2]), out[0]);',
    '{"include_self", AttrType::kBool, 2}',
    '*in[2], Optional(in[3]), Optional(in[4]), std::get<int>(attrs[0]), '
    'std::get<int64_t>(attrs[1]), out[0]);',
    'RegisterCustom<SelectScatterGradSpec>();',
    '{"out", false, true, {Source::kResult, 0}}',
    '{"grad_x_grad", true, true, {Source::kGradient, 0}}',
    '{"x_grad", 0, 2}',
    '{"grad_out_grad", 2, -1}',
    '{ 0, 1, }',
    '"select_scatter_double_vjp", "SelectScatterDoubleGradGradNode", '
    '"select_scatter_double_grad", true, false, SelectScatterTripleGradSpec,',
    '"select_scatter_triple_grad", "select_scatter_triple_vjp", '
    '"SelectScatterTripleGradGradNode", "select_scatter_grad", true, false,',
    '"index_reduce_grad", true, false, nullptr, 4,',
    '{"grad_grad_x_grad", 3, -1}',
)


@pytest.mark.parametrize('part', GENERATED)
def test_generated_table_contains(tmp_path, part):
    for name in ('index_reduce.yaml', 'select_scatter.yaml'):
        shutil.copy(ROOT / 'ops_yaml' / name, tmp_path)
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
