"""The library builds, loads and knows every kernel: no GPU is needed."""

import itertools
import shutil

import pytest
from scatter_test_utils import ALL_DTYPES

from gpu_tests import ops
from gpu_tests.library import KernelError, ShapeOnly

torch = pytest.importorskip('torch')
pytestmark = pytest.mark.no_gpu


@pytest.fixture(scope='module')
def library():
    if shutil.which('nvcc') is None and not ops.emulated():
        pytest.skip('nvcc is not installed')
    return ops.library()


def test_every_operator_has_a_kernel_of_every_dtype(library):
    kernels = {entry.kernel for entry in ops.entries().values()}
    wanted = itertools.product(kernels, ALL_DTYPES)
    assert sorted(wanted) == sorted(library.table())


def call(library, kernel, dtype, inputs, attributes=()):
    shape = ShapeOnly(torch.empty(0, 3))
    library.call(kernel, dtype, inputs, attributes, [shape])


def test_arguments_must_be_those_of_the_kernel(library):
    x, mask = torch.empty(0, 3), torch.empty(0, 3, dtype=torch.bool)
    for inputs, attributes, reason in (
        ([x, mask, x, x], [], 'takes 3 inputs, 0 attributes and 1 outputs'),
        ([x, mask, x], [1], 'takes 3 inputs, 0 attributes and 1 outputs'),
        ([None, mask, x], [], 'a required input is missing'),
    ):
        with pytest.raises(KernelError, match=reason):
            call(library, 'masked_scatter', 'float32', inputs, attributes)
    with pytest.raises(KernelError, match='an attribute is missing'):
        call(library, 'select_scatter', 'float32', [x, x[:, 0]], [1])
    with pytest.raises(KernelError, match='no kernel masked_gather int8'):
        call(library, 'masked_gather', 'int8', [x])


def test_message_of_a_kernel_arrives_whole(library):
    x, values = torch.empty(0, 3), torch.empty(0)
    with pytest.raises(KernelError) as error:
        call(library, 'select_scatter', 'float32', [x, values], [1, 3])
    assert str(error.value) == (
        '(OutOfRange) (select_scatter) index must be in [-3, 3) because axis 1 '
        'of x has size 3, but it is 3.'
    )
