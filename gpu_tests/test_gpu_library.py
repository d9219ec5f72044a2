"""The library builds, loads and knows every kernel: no GPU is needed."""

import shutil

import pytest
from scatter_test_utils import ALL_DTYPES, GRAD_DTYPES

from gpu_tests import ops
from gpu_tests.library import KernelError, ShapeOnly

FEWER_DTYPES = {
    # the dtypes of Paddle's scatter_grad
    ops.DOUBLE_GRAD: (
        'int32', 'int64', 'float16', 'bfloat16', 'float32', 'float64',
    ),
    'index_reduce_grad': GRAD_DTYPES,
}  # fmt: skip
torch = pytest.importorskip('torch')
pytestmark = pytest.mark.no_gpu


@pytest.fixture(scope='module')
def library():
    if shutil.which('nvcc') is None and not ops.emulated():
        pytest.skip('nvcc is not installed')
    return ops.library()


def test_every_operator_has_a_kernel_of_its_dtypes(library):
    kernels = {entry.kernel for entry in ops.entries().values()}
    wanted = [
        (kernel, dtype)
        for kernel in kernels
        for dtype in FEWER_DTYPES.get(kernel, ALL_DTYPES)
    ]
    assert sorted(wanted) == sorted(library.table())


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
