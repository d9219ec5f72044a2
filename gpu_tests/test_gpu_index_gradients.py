"""The CPU's own tests of index_reduce's gradients, with the GPU's kernels."""

import pytest
import test_index_reduce_values as cpu_grad
from index_reduce_cases import operator_of

from gpu_tests.arrays import gradient_arguments, gradients


def gradients_on_gpu(x, index, updates, attrs, out_grad):
    op = operator_of(attrs[1])
    arguments = gradient_arguments(op, (x, index, updates), out_grad, attrs)
    return gradients(f'{op}_grad', *arguments)


@pytest.fixture(autouse=True)
def kernels_of_the_gpu(monkeypatch):
    monkeypatch.setattr(cpu_grad, 'gradients', gradients_on_gpu)


class TestGradientsByHand(cpu_grad.TestIndexReduceGradByHand):
    pass


class TestGradients(cpu_grad.TestIndexReduceGrad):
    pass
