"""Calls of kernels for tests: shapes and attributes, operands and results."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from native.tests.kernel_probe import Tensor
from scripts.op_rules import schema

ROOT = Path(__file__).resolve().parents[2]


def load_entries():
    files = schema.load_dir(ROOT / 'ops_yaml')
    files += schema.load_dir(ROOT / 'native/kernels/base_ops')
    return {entry.name: entry for file in files for entry in file.entries}


ENTRIES = load_entries()


@dataclass(frozen=True)
class Case:
    """One call of a kernel: the shapes of its inputs, and its attributes."""

    kernel: str
    shapes: dict
    attrs: dict = field(default_factory=dict)

    def __str__(self):
        attrs = [f'{name}={value}' for name, value in self.attrs.items()]
        return ' '.join([self.kernel, *map(str, self.shapes.values()), *attrs])


def cases(kernel, shapes, attrs=({},)):
    """Cases of one kernel; a row of `shapes` has those of its inputs."""
    names = [tensor.name for tensor in ENTRIES[kernel].tensors]
    return [
        Case(kernel, dict(zip(names, row)), more)
        for row in shapes
        for more in attrs
    ]


# x and mask as they broadcast, with the shape of the result; the last ones are
# large enough for several threads.
BROADCASTS = [
    ((5, 3), (5, 3), (5, 3)),
    ((5, 3), (3,), (5, 3)),
    ((1, 3), (5, 3), (5, 3)),
    ((3,), (5, 3), (5, 3)),
    ((5, 1), (5, 3), (5, 3)),
    ((), (5, 3), (5, 3)),
    ((1, 3), (5, 1), (5, 3)),
    ((300, 1000), (300, 1000), (300, 1000)),
    ((1, 1000), (300, 1000), (300, 1000)),
    ((300, 1), (1000,), (300, 1000)),
]
# x, index, updates
SLICES = [((5, 3), (4,), (4, 3)), ((500, 300), (400,), (400, 300))]
LINEAR = [
    {'axis': 0, 'reduce': reduce, 'include_self': include_self}
    for reduce in ('assign', 'sum', 'mean')
    for include_self in (True, False)
]
MUL = [
    {'axis': 0, 'reduce': 'mul', 'include_self': include_self}
    for include_self in (True, False)
]
OVERWRITE = [{'overwrite': overwrite} for overwrite in (True, False)]
SELECT = [{'axis': 1, 'index': -1}]
DIAGONAL = [{'offset': 1, 'axis1': 0, 'axis2': 1}]


def array(name, shape, dtype):
    """Numbers without a rounding error, the same ones for the same call."""
    rng = np.random.default_rng(len(name))
    if name == 'mask':
        return rng.random(shape) < 0.5
    if name == 'index':
        return rng.integers(0, 5, shape)
    return np.asarray(rng.integers(-4, 5, shape), dtype)


def operands(case, dtype):
    """{name: Tensor}; a shape alone where the YAML asks for no more."""
    return {
        tensor.name: Tensor(
            array(tensor.name, case.shapes[tensor.name], dtype),
            memory=not tensor.no_need_buffer,
        )
        for tensor in ENTRIES[case.kernel].tensors
    }


def output(name, tensors, dtype):
    """A result without memory, with the shape that InferMeta gives it."""
    like = name[: -len('_grad')] if name.endswith('_grad') else 'x'
    shape = tensors[like if like in tensors else 'out_grad'].shape
    return Tensor(np.empty(shape, dtype), memory=False)
