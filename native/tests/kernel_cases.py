"""Cases for direct kernel calls: shapes, attributes, operands and results."""

from dataclasses import dataclass, field
from math import prod
from pathlib import Path

import numpy as np

from native.tests import kernel_probe
from scripts.op_rules import schema

ROOT = Path(__file__).resolve().parents[2]


def load_entries(folder):
    files = schema.load_dir(ROOT / folder)
    return {entry.name: entry for file in files for entry in file.entries}


OPS_YAML = load_entries('ops_yaml')
ENTRIES = {**OPS_YAML, **load_entries('native/kernels/base_ops')}


@dataclass(frozen=True)
class Case:
    """A call of a kernel: the shapes of its inputs, and its attributes."""

    kernel: str
    shapes: dict
    attrs: dict = field(default_factory=dict)

    def __str__(self):
        attrs = [f'{name}={value}' for name, value in self.attrs.items()]
        return ' '.join([self.kernel, *map(str, self.shapes.values()), *attrs])


def cases(kernel, shapes, attrs=({},)):
    """Combine rows of input shapes with attributes."""
    names = [tensor.name for tensor in ENTRIES[kernel].tensors]
    return [
        Case(kernel, dict(zip(names, row)), more)
        for row in shapes
        for more in attrs
    ]


def with_grads(rows, first, second):
    """Append the shapes of the two gradients that a second order has as inputs."""
    return [(*row, row[first], row[second]) for row in rows]


# Shapes of x, mask and result. The last ones are large enough for several threads.
BROADCASTS = [
    ((0, 3), (1,), (0, 3)),
    ((1, 3), (0, 1), (0, 3)),
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
# Shapes of x, mask, value and out_grad.
MASKED = [(x, mask, (prod(out) + 2,), out) for x, mask, out in BROADCASTS]
FILLED = [
    (x, mask, value, out)
    for x, mask, out in BROADCASTS
    for value in ((), out[-1:], out)
]
# Shapes of x, values or y, and out_grad.
SELECTED = [((n, m), (n,), (n, m)) for n, m in ((5, 3), (0, 3), (500, 300))]
DIAGONALS = [
    ((5, 3), (2,), (5, 3)),
    ((0, 3), (0,), (0, 3)),
    ((500, 300), (299,), (500, 300)),
]
# Shapes of x, index and updates.
SLICES = [((5, 3), (4,), (4, 3)), ((500, 300), (400,), (400, 300))]
# Shapes of x, index, updates and out_grad.
INDEXED = [(*row, row[0]) for row in SLICES] + [
    ((5, 3), (2,), (4, 3), (5, 3)),
    ((5, 3), (0,), (4, 3), (5, 3)),
    ((5, 0), (4,), (4, 0), (5, 0)),
    ((5, 3), (0,), (0, 3), (5, 3)),
]


def reduces(*names):
    return [
        {'axis': 0, 'reduce': reduce, 'include_self': include_self}
        for reduce in names
        for include_self in (True, False)
    ]


LINEAR = reduces('assign', 'sum', 'mean')
MUL = reduces('mul')
OVERWRITE = [{'overwrite': overwrite} for overwrite in (True, False)]
SELECT = [{'axis': 1, 'index': -1}]
DIAGONAL = [{'offset': 1, 'axis1': 0, 'axis2': 1}]

GRADIENTS = [
    *cases('masked_fill_grad', FILLED),
    *cases('masked_scatter_grad', MASKED),
    *cases('masked_scatter_double_grad', with_grads(MASKED, 0, 2)),
    *cases('select_scatter_grad', SELECTED, SELECT),
    *cases('select_scatter_double_grad', with_grads(SELECTED, 0, 1), SELECT),
    *cases('diagonal_scatter_grad', DIAGONALS, DIAGONAL),
    *cases(
        'diagonal_scatter_double_grad', with_grads(DIAGONALS, 0, 1), DIAGONAL
    ),
    *cases('index_scatter_grad', INDEXED, LINEAR),
    *cases('index_scatter_double_grad', with_grads(INDEXED, 0, 2), LINEAR),
    *cases(
        'index_reduce_grad',
        [(*row, row[-1]) for row in INDEXED],  # out and out_grad
        reduces('mul', 'amax'),
    ),
    *cases('scatter_grad', [row[1:] for row in INDEXED], OVERWRITE),
    *cases(
        'scatter_double_grad',
        [row[1:] for row in with_grads(INDEXED, 0, 2)],
        OVERWRITE,
    ),
]
# x has the shape of the result.
FORWARDS = [
    *cases(
        'masked_scatter',
        [(x, m, (prod(x),)) for x, m, out in BROADCASTS if x == out],
    ),
    *cases(
        'masked_fill',
        [(x, m, v) for x, m, o in BROADCASTS if x == o for v in ((), x)],
    ),
    *cases('index_scatter', SLICES, LINEAR),
    *cases('index_reduce', SLICES, MUL),
    *cases('scatter', SLICES, OVERWRITE),
]


def array(name, shape, dtype):
    """Draw small integers, which are exact in every dtype."""
    rng = np.random.default_rng(len(name))
    if name == 'mask':
        return rng.random(shape) < 0.5
    if name == 'index':
        return rng.integers(0, 5, shape)
    return np.asarray(rng.integers(-4, 5, shape), dtype)


def operands(case, dtype):
    """Return {name: Tensor}, unallocated if the YAML has no_need_buffer."""
    return {
        argument.name: kernel_probe.tensor(
            array(argument.name, case.shapes[argument.name], dtype),
            memory=not argument.no_need_buffer,
        )
        for argument in ENTRIES[case.kernel].tensors
    }


def result_shapes(case):
    """Return the shapes of the outputs."""
    whole = {'x', 'out_grad', 'grad_out'} & case.shapes.keys()
    like = case.shapes[min(whole, key=('grad_out', 'out_grad', 'x').index)]
    return [
        case.shapes.get(output.name.removesuffix('_grad'), like)
        for output in ENTRIES[case.kernel].outputs
    ]


def unallocated(shape, dtype):
    return kernel_probe.tensor(np.empty(shape, dtype), memory=False)


def run(case, dtype, inputs, outputs):
    """Call the kernel; return the arrays of the outputs, None for None."""
    attrs = [case.attrs[attr.name] for attr in ENTRIES[case.kernel].attrs]
    kernel_probe.run(case.kernel, dtype, inputs, attrs, outputs)
    return [None if out is None else out.numpy() for out in outputs]
