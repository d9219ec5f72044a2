"""A tiny project and a tiny wheel, enough to export a series from."""

import hashlib

import yaml

from scripts.series.patch_repo import write_tree as write_files
from scripts.series.upstream_tree import wheel_path

MANIPULATION = '''\
from __future__ import annotations

from paddle import _C_ops
from paddle.utils import (
    alpha,
    gamma,
)


def first(x):
    return x


def fill(x):
    """Old text."""
    return _C_ops.old_fill(x)


def last(x):
    return x


first.mark = 1
'''
WHEEL_FILES = {'python/paddle/tensor/manipulation.py': MANIPULATION}
SOURCES = {
    'ops_yaml/fill.yaml': (
        '- op : fill\n  args : (Tensor x)\n\n- backward_op : fill_grad\n'
        '  args : (Tensor out_grad)\n'
    ),
    'kernels/funcs/shared.h': '// shared\n',
    'kernels/fill_kernel.h': '// declaration\n',
    'kernels/cpu/fill_kernel.cc': '// kernel\n',
    'kernels/infermeta/fill.cc': (
        '#include "paddle/phi/kernels/infermeta/fill.h"\n'
        '#include "paddle/phi/kernels/funcs/shared.h"\n\nnamespace phi {\n\n'
        'void FillInferMeta() {}\n\n}  // namespace phi\n'
    ),
    'python_api/fill.py': (
        'from __future__ import annotations\n\n'
        'from paddle import _C_ops\nfrom paddle.utils import beta\n\n\n'
        'def _check(x):\n    beta(x)\n\n\n'
        'def fill(x):\n    """New text."""\n    _check(x)\n'
        '    return _C_ops.fill(x)\n'
    ),
    'unittests/test_fill_op.py': 'TEST = 1\n',
    'unittests/harness/op_test.py': 'HARNESS = 1\n',
}
RECORDED = {
    'paddle/phi/infermeta/ternary.cc': {
        11: '#include "a.h"\n#include "z.h"\n\nnamespace phi {\n',
        38: '}\n\nvoid SendURecvInferMeta(const MetaTensor& x,\n',
    },
    'paddle/phi/ops/yaml/ops.yaml': {
        '27 eye': '  backward : eye_grad\n\n- op : flip\n  args : (Tensor x)\n'
    },
    'paddle/phi/ops/yaml/backward.yaml': {
        '18 eye_grad': '  no_need_buffer : x\n\n- backward_op : flip_grad\n'
    },
}
SITE = 'build/venv/lib/python3/site-packages'
BODY = 'The old one is slow.\n\nEdge decisions: none.\n'


def make_series():
    """A manifest of two patches: shared code, then one operator."""
    include = (
        ' #include "a.h"\n+#include "paddle/phi/kernels/funcs/shared.h"\n'
        ' #include "z.h"\n'
    )
    shared = {
        'name': 'phi-add-shared',
        'pull_request': 'fill',
        'subject': 'phi: add shared code',
        'body': BODY,
        'day': '2026-01-02',
        'files': {'kernels/funcs': ['shared.h']},
        'edits': {'paddle/phi/infermeta/ternary.cc': include},
    }
    fill = {
        'name': 'phi-add-fill',
        'pull_request': 'fill',
        'subject': 'phi: add fill op',
        'body': BODY,
        'day': '2026-01-03',
        'ops': ['fill'],
        'functions': ['fill'],
        'edits': {'python/paddle/tensor/manipulation.py': (
            '     alpha,\n+    beta,\n'
        )},
    }  # fmt: skip
    return {
        'base': {'tag': 'v1.0.0', 'commit': 'a' * 40, 'wheel': '1.0.0'},
        'not_exported': ['unittests/harness/**'],
        'wheel_files': {
            path: hashlib.sha256(text.encode()).hexdigest()
            for path, text in WHEEL_FILES.items()
        },
        'recorded_files': RECORDED,
        'patches': [shared, fill],
    }


def write_project(root, series=None):
    """Sources, manifest and a wheel in build/venv below `root`."""
    manifest = yaml.safe_dump(series or make_series(), sort_keys=False)
    wheel = {wheel_path(path): text for path, text in WHEEL_FILES.items()}
    write_files(root, {**SOURCES, 'scripts/series/series.yaml': manifest})
    write_files(root / SITE, wheel)
    return root
