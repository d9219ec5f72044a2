"""Where rules of distributed Tensors are named in Paddle's tree."""

from types import SimpleNamespace

import pytest

from scripts.series.patch_series import SeriesError
from scripts.series.spmd_edits import (
    FOLDER,
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
TEST = 'unittests/test_fold_rule.py'


def item(before='slice rule', after='test_a'):
    return SimpleNamespace(
        ops=['fold'], spmd_before=before, spmd_test_after=after
    )


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
