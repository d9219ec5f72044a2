"""Cases for direct kernel calls: shapes, attributes, operands and results."""

from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path

import numpy as np

from native.tests import kernel_probe
from scripts.op_rules.schema import load_dir

ROOT = Path(__file__).resolve().parents[2]
OPS_YAML = load_dir(ROOT / 'ops_yaml')
ENTRIES = OPS_YAML | load_dir(ROOT / 'native/kernels/base_ops')


@dataclass(frozen=True)
class Case:
    """A call of a kernel: the shapes of the operator's operands and of its result
    `out`, and the attributes."""

    kernel: str
    shapes: dict
    attrs: dict

    def __str__(self):
        attrs = [f'{name}={value}' for name, value in self.attrs.items()]
        return ' '.join([self.kernel, *map(str, self.shapes.values()), *attrs])

    @property
    def entry(self):
        return ENTRIES[self.kernel]

    def shape(self, name):
        """Return the shape of a Tensor or its gradient, as grad_x_grad of x."""
        (name,) = set(name.split('_')) - {'grad'}
        return self.shapes[name]

    def operands(self, dtype):
        """Return {name: Tensor}, unallocated if the YAML has no_need_buffer."""
        return {
            argument.name: kernel_probe.tensor(
                array(argument.name, self.shape(argument.name), dtype),
                memory=not argument.no_need_buffer,
            )
            for argument in self.entry.tensors
        }

    @property
    def result_shapes(self):
        return [self.shape(output) for output in self.entry.outputs]

    def run(self, dtype, inputs, outputs):
        """Call the kernel; return the arrays of the outputs, None for None."""
        attrs = [self.attrs[attr.name] for attr in self.entry.attrs]
        kernel_probe.run(self.kernel, dtype, inputs, attrs, outputs)
        return [None if out is None else out.numpy() for out in outputs]


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
# Shapes of x, mask, value and out.
MASKED = [(x, mask, (prod(out) + 2,), out) for x, mask, out in BROADCASTS]
FILLED = [
    (x, mask, value, out)
    for x, mask, out in BROADCASTS
    for value in ((), out[-1:], out)
]
# Shapes of x and values or y.
SELECTED = [((n, m), (n,)) for n, m in ((5, 3), (0, 3), (500, 300))]
DIAGONALS = [((5, 3), (2,)), ((0, 3), (0,)), ((500, 300), (299,))]
# Shapes of x, index and updates.
INDEXED = [
    ((5, 3), (4,), (4, 3)),
    ((500, 300), (400,), (400, 300)),
    ((5, 3), (2,), (4, 3)),
    ((5, 3), (0,), (4, 3)),
    ((5, 0), (4,), (4, 0)),
    ((5, 3), (0,), (0, 3)),
]


def reduces(*names):
    return [
        {'axis': 0, 'reduce': reduce, 'include_self': include_self}
        for reduce in names
        for include_self in (True, False)
    ]


# {operator: shapes of its operands and result, which has by default that of x;
# attributes}
OPERATORS = {
    'masked_fill': (FILLED, [{}]),
    'masked_scatter': (MASKED, [{}]),
    'select_scatter': (SELECTED, [{'axis': 1, 'index': -1}]),
    'diagonal_scatter': (DIAGONALS, [{'offset': 1, 'axis1': 0, 'axis2': 1}]),
    'index_scatter': (INDEXED, reduces('assign', 'sum', 'mean')),
    'index_reduce': (INDEXED, reduces('mul', 'amax')),
    'scatter': (INDEXED, [{'overwrite': True}, {'overwrite': False}]),
}


def cases():
    """Yield the cases of every kernel; entries of higher orders share kernels."""
    for kernel in dict.fromkeys(entry.kernel for entry in ENTRIES.values()):
        op = kernel.removesuffix('_grad').removesuffix('_double')
        assert op in OPERATORS, f'native/tests/kernel_cases.py: no {op}'
        names = [*(tensor.name for tensor in ENTRIES[op].tensors), 'out']
        for row, attrs in product(*OPERATORS[op]):
            yield Case(kernel, dict(zip(names, (*row, row[0]))), attrs)


CASES = [*cases()]


def array(name, shape, dtype):
    """Draw small integers, which are exact in every dtype."""
    rng = np.random.default_rng(len(name))
    if name == 'mask':
        return rng.random(shape) < 0.5
    if name == 'index':
        return rng.integers(0, 5, shape)
    return np.asarray(rng.integers(-4, 5, shape), dtype)


def unallocated(shape, dtype):
    return kernel_probe.tensor(np.empty(shape, dtype), memory=False)
