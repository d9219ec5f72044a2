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


def test_message_of_a_kernel_arrives_whole(library):
    x, values = torch.empty(0, 3), torch.empty(0)
    with pytest.raises(KernelError) as error:
        library.call(
            *('select_scatter', 'float32', [x, values], [1, 3], [ShapeOnly(x)])
        )
    assert str(error.value) == (
        '(OutOfRange) (select_scatter) index must be in [-3, 3) because axis 1 '
        'of x has size 3, but it is 3.'
    )
