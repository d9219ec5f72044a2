"""The CPU's own tests of index_reduce's gradients, with the GPU's kernels.

Each call is made in every way that there is, with the same bits.
"""

import numpy as np
import pytest
import test_index_reduce_values as cpu_grad
from index_reduce_cases import REDUCES
from scatter_test_utils import assert_same_bits

from gpu_tests.arrays import check_gradients, run
from gpu_tests.cases import index_rows
from gpu_tests.ops import index_op


def gradients_in_every_way(x, index, updates, attrs, out_grad):
    op = f'{index_op(attrs[1])}_grad'
    arguments = x, index, updates, out_grad, *attrs
    found = run(op, *arguments)
    check_gradients(
        *(op, *arguments),
        out_grad=3,
        expected=found,
        check=assert_same_bits,
        over=op == 'index_scatter_grad',
    )
    return found


@pytest.fixture(autouse=True)
def kernels_of_the_gpu(monkeypatch):
    monkeypatch.setattr(cpu_grad, 'gradients', gradients_in_every_way)


class TestGradientsByHand(cpu_grad.TestIndexReduceGradByHand):
    pass


class TestGradients(cpu_grad.TestIndexReduceGrad):
    pass


@pytest.mark.parametrize('reduce', REDUCES)
def test_gradients_without_elements(reduce):
    for name, x_shape, axis, index, updates_shape in index_rows():
        if 0 in x_shape:
            x, updates = np.zeros(x_shape), np.zeros(updates_shape)
            attrs = axis, reduce, True
            found = gradients_in_every_way(x, index, updates, attrs, x)
            assert_same_bits(found[0], x, name)
            assert_same_bits(found[1], updates, name)
