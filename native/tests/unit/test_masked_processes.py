"""Calls in new processes: interpreter options, flags, and errors that leave the
autograd engine unusable."""

import pytest
from processes import run_python, run_test_cases


def test_arguments_are_validated_with_python_o():
    run_test_cases(
        'test_masked_scatter_api.TestMaskedScatterErrors',
        'test_masked_fill_api.TestMaskedFillErrors',
        'test_masked_fill_api.TestMaskedFillNumber',
        'test_select_scatter_api.TestSelectScatterErrors',
        'test_diagonal_scatter_api.TestDiagonalScatterErrors',
        'test_scatter_api.TestScatterErrors',
        PYTHONOPTIMIZE='1',
    )


def test_bool_mask_is_accepted_after_the_pir_flag_changes():
    # The flag changes the type of dtypes.
    run_python("""
import paddle
paddle.set_flags({'FLAGS_enable_pir_api': False})
x = paddle.zeros([3])
assert paddle.masked_scatter(x, x == 0, x + 1).tolist() == [1, 1, 1]
""")


def test_static_graphs_in_a_process_with_the_legacy_ir():
    run_test_cases(
        'test_masked_scatter_api.TestMaskedScatterErrors',
        'test_masked_scatter_api.TestMaskedScatterStatic.test_unknown_dims',
        'test_select_scatter_api.TestSelectScatterStatic.test_unknown_dims',
        'test_diagonal_scatter_api.TestDiagonalScatterStatic.test_unknown_dims',
        'test_masked_fill_api.TestMaskedFillStatic',
        'test_masked_fill_api.TestMaskedFillNumber',
        FLAGS_enable_pir_api='0',
    )


@pytest.mark.parametrize('inputs', ['[x, value]', '[value]'])
def test_second_order_of_masked_fill_by_value_alone_raises(inputs):
    run_python(f"""
import paddle
x, value = paddle.ones([4, 5]), paddle.ones([5])
for tensor in {inputs}:
    tensor.stop_gradient = False
out = paddle.masked_fill(x, x > 0, value)
grads = paddle.grad((out * out).sum(), {inputs}, create_graph=True)
try:
    paddle.grad(grads[-1].sum(), [value])
except ValueError as error:
    assert 'masked_fill' in str(error)
else:
    raise SystemExit('no ValueError')
""")
