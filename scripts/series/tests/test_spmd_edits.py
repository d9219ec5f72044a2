"""Where rules of distributed Tensors are named in Paddle's tree."""

from types import SimpleNamespace

import pytest

from scripts.series.patch_series import SeriesError
from scripts.series.spmd_edits import (
    FOLDER,
    SOURCES,
    TESTS,
    add_rule_file,
    register_rules,
)

TREE = {
    f'{FOLDER}rules.h': f'#include "{FOLDER}fft.h"\n#include "{FOLDER}gather.h"\n',
    f'{FOLDER}rules.cc': 'first;\n\n// slice rule\nsecond;\n',
    f'{TESTS}CMakeLists.txt': '  py_test_modules(test_a MODULES test_a)\nend()\n',
}
ENTRIES = """\
- op : fold
  infer_meta :
    spmd_rule : FoldInferSpmd

- backward_op : fold_grad
  infer_meta :
    spmd_rule : FoldGradInferSpmd

- backward_op : fold_double_grad
  infer_meta :
    func : UnchangedInferMeta
"""
REGISTERED = """\
// fold
PD_REGISTER_SPMD_RULE(
    fold,
    PD_INFER_SPMD(phi::distributed::FoldInferSpmd),
    PD_INFER_SPMD(phi::distributed::FoldInferSpmdReverse));
PD_REGISTER_SPMD_RULE(
    fold_grad,
    PD_INFER_SPMD(phi::distributed::FoldGradInferSpmd));

// slice rule
"""
TEST = 'unittests/test_fold_rule.py'


def item(before='slice rule', after='test_a'):
    return SimpleNamespace(
        ops=['fold'], spmd_before=before, spmd_test_after=after
    )


def test_header_and_test_are_named_in_their_places():
    tree = dict(TREE)
    for source in (f'{SOURCES}fold.h', f'{SOURCES}shared.h', TEST):
        add_rule_file(tree, source, item())
    assert [x.split('/')[-1] for x in tree[f'{FOLDER}rules.h'].split()[1::2]] == [
        'fft.h"', 'fold.h"', 'gather.h"',
    ]  # fmt: skip
    assert tree[f'{TESTS}CMakeLists.txt'].splitlines()[1] == (
        '  py_test_modules(test_fold_rule MODULES test_fold_rule)'
    )


def test_each_entry_with_a_rule_is_registered():
    tree = dict(TREE)
    register_rules(tree, 'ops_yaml/fold.yaml', ENTRIES, item())
    expected = TREE[f'{FOLDER}rules.cc'].replace('// slice rule\n', REGISTERED)
    assert tree[f'{FOLDER}rules.cc'] == expected


@pytest.mark.parametrize(
    'places, message',
    [
        (item(before=''), 'ops_yaml/fold.yaml: expected a spmd_before in'),
        (
            item(before='other rule'),
            'expected one line `// other rule`, found 0',
        ),
        (item(after=''), f'{TEST}: expected a spmd_test_after in'),
        (item(after='test_b'), 'MODULES test_b)`, found 0'),
    ],
)
def test_a_place_that_is_not_there_is_told(places, message):
    tree = dict(TREE)
    with pytest.raises(SeriesError) as caught:
        register_rules(tree, 'ops_yaml/fold.yaml', ENTRIES, places)
        add_rule_file(tree, TEST, places)
    assert message in str(caught.value)
