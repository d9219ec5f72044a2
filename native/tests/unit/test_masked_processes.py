"""masked_scatter and masked_fill in interpreters of their own: options, flags,
and errors after which the autograd engine is of no more use."""

import pytest
from processes import assert_python_succeeds, run_test_cases


def test_checks_stay_under_python_o():
    run_test_cases(
        'test_masked_scatter_values.TestMaskedScatterErrors',
        'test_masked_fill_values.TestMaskedFillErrors',
        'test_masked_fill_values.TestMaskedFillNumberErrors',
        'test_select_scatter_api.TestSelectScatterErrors',
        'test_diagonal_scatter_api.TestDiagonalScatterErrors',
        'test_scatter_errors.TestScatterErrors',
        'test_scatter_ops_errors.TestOddArguments',
        PYTHONOPTIMIZE='1',
    )


def test_bool_mask_after_the_flag_has_changed():
    # which changes what a dtype is
    assert_python_succeeds(
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


def test_view_programs_of_a_process_that_knows_the_old_kind_only():
    run_test_cases(
        'test_select_scatter_api.TestSelectScatterStatic.test_unknown_dims',
        'test_diagonal_scatter_api.TestDiagonalScatterStatic.test_unknown_dims',
        FLAGS_enable_pir_api='0',
    )


@pytest.mark.parametrize('op', ['masked_scatter', 'masked_fill'])
def test_programs_of_a_process_that_knows_the_old_kind_only(op):
    name = ''.join(word.capitalize() for word in op.split('_'))
    graphs = f'test_{op}_values.Test{name}Graphs'
    run_test_cases(
        f'{graphs}.test_program_with_unknown_dims',
        f'{graphs}.test_old_program',
        f'{graphs}.test_every_dtype_in_programs',
        FLAGS_enable_pir_api='0',
    )


def test_numbers_in_a_process_that_knows_old_programs_only():
    numbers = 'test_masked_fill_values'
    run_test_cases(
        f'{numbers}.TestMaskedFillNumbers.test_number_is_rounded_to_the_dtype',
        f'{numbers}.TestMaskedFillNumberErrors.test_number_out_of_range',
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
def test_second_order_of_masked_fill_by_value_alone_is_an_error(code):
    assert_python_succeeds(
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


def test_gradient_of_masked_fill_is_written_into_the_one_that_comes_in():
    building = 'test_masked_fill_values.TestMaskedFillBuilding'
    told = run_test_cases(
        f'{building}.test_one_program_takes_inputs_of_any_size', GLOG_v='4'
    )
    assert 'pd_op.masked_fill_grad_' in told
