"""masked_scatter and masked_fill in new processes: interpreter options, flags, and
errors that leave the autograd engine unusable."""

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
    run_python(
        '''
import paddle

paddle.set_flags({'FLAGS_enable_pir_api': False})
x = paddle.zeros([3])
out = paddle.masked_scatter(x, x == 0, x + 1)
if out.tolist() != [1, 1, 1]:
    raise SystemExit(out)
try:
    paddle.masked_scatter(x, x, x)
except AssertionError:
    raise SystemExit(0)
raise SystemExit('no AssertionError')
'''
    )


def test_static_graphs_in_a_process_with_the_legacy_ir():
    run_test_cases(
        'test_masked_scatter_api.TestMaskedScatterStatic.test_unknown_dims',
        'test_select_scatter_api.TestSelectScatterStatic.test_unknown_dims',
        'test_diagonal_scatter_api.TestDiagonalScatterStatic.test_unknown_dims',
        'test_masked_fill_api.TestMaskedFillStatic',
        'test_masked_fill_api.TestMaskedFillNumber',
        FLAGS_enable_pir_api='0',
    )


@pytest.mark.parametrize(
    'code',
    [
        '''
    x.stop_gradient = False
    out = paddle.masked_fill(x, mask, value)
    grads = paddle.grad([out], [x, value], [out_grad], create_graph=True)
    paddle.grad(grads[1].sum(), [out_grad])
''',
        '''
    out = paddle.masked_fill(x, mask, value)
    (grad,) = paddle.grad((out * out).sum(), [value], create_graph=True)
    paddle.grad(grad.sum(), [value])
''',
    ],
    ids=['through the gradient of value only', 'x stops its gradient'],
)
def test_second_order_of_masked_fill_by_value_alone_raises(code):
    run_python(
        f'''
import paddle
x, value, out_grad = paddle.ones([4, 5]), paddle.ones([5]), paddle.ones([4, 5])
value.stop_gradient = out_grad.stop_gradient = False
mask = paddle.to_tensor([True, False, True, False, True])
try:
{code}
except ValueError as error:
    if 'masked_fill' not in str(error):
        raise
else:
    raise SystemExit('no ValueError')
'''
    )


def test_gradient_of_masked_fill_reuses_buffer_of_out_grad():
    code = '''
import numpy as np
import paddle
paddle.enable_static()
x, mask = paddle.static.data('x', [2]), paddle.static.data('mask', [2], 'bool')
x.stop_gradient = False
grads = paddle.static.gradients(paddle.masked_fill(x, mask, 2.0) ** 2, x)
feed = {'x': np.ones(2, 'float32'), 'mask': np.ones(2, bool)}
paddle.static.Executor().run(feed=feed, fetch_list=grads)
'''
    assert 'pd_op.masked_fill_grad_' in run_python(code, GLOG_v='4')
