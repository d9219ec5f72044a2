"""The library builds, loads and knows every kernel: no GPU is needed."""

import itertools
import shutil

import pytest
from scatter_test_utils import ALL_DTYPES

from gpu_tests import ops
from gpu_tests.library import KernelError, ShapeOnly

# Of Paddle's scatter_grad.
SCATTER_DTYPES = (
    'int32', 'int64', 'float16', 'bfloat16', 'float32', 'float64',
)  # fmt: skip
torch = pytest.importorskip('torch')
pytestmark = pytest.mark.no_gpu


@pytest.fixture(scope='module')
def library():
    if shutil.which('nvcc') is None and not ops.emulated():
        pytest.skip('nvcc is not installed')
    return ops.library()


def test_every_operator_has_a_kernel_of_every_dtype(library):
    kernels = {entry.kernel for entry in ops.entries().values()}
    ours = itertools.product(kernels - {ops.DOUBLE_GRAD}, ALL_DTYPES)
    of_scatter = itertools.product([ops.DOUBLE_GRAD], SCATTER_DTYPES)
    assert sorted([*ours, *of_scatter]) == sorted(library.table())


def test_message_of_a_kernel_arrives_whole(library):
    x, values = torch.empty(0, 3), torch.empty(0)
    with pytest.raises(KernelError) as error:
        library.call(
            *('select_scatter', 'float32', [x, values], [1, 3], [ShapeOnly(x)])
        )
    assert str(error.value) == (
        '(OutOfRange) (select_scatter) The value of index should be in [-3, 3) '
        'for axis 1 of x of size 3, but received 3.'
    )
