"""masked_scatter and masked_fill in interpreters of their own: options, flags,
and errors after which the autograd engine is of no more use."""

import pytest
from processes import assert_python_succeeds, run_test_cases

PREPARE = '''
import paddle

def expect(error, function, *args, **options):
    try:
        function(*args, **options)
    except error as caught:
        return str(caught)
    raise SystemExit(f'no {error.__name__} from {function.__name__}')
'''


def test_checks_stay_under_python_o():
    assert_python_succeeds(
        PREPARE
        + '''
if __debug__:
    raise SystemExit('python -O is not in force')
x, mask = paddle.zeros([8]), paddle.ones([8], 'bool')
for f in (paddle.masked_scatter, paddle.masked_scatter_):
    text = expect(AssertionError, f, x, mask, paddle.ones([7]))
    if '8' not in text or '7' not in text:
        raise SystemExit(text)
    expect(AssertionError, f, x, paddle.ones([8], 'int32'), x)
    expect(AssertionError, f, x, mask, paddle.ones([8], 'float64'))
for f in (paddle.masked_fill, paddle.masked_fill_):
    expect(ValueError, f, x.astype('uint8'), mask, 300)
    expect(ValueError, f, x, mask, 'abc')
    expect(ValueError, f, x, mask, paddle.ones([8], 'complex64'))
    expect(ValueError, f, x, mask, paddle.ones([9]))
    if f is paddle.masked_fill_:
        expect(ValueError, f, x, paddle.ones([2, 8], 'bool'), 1.0)
x, row = paddle.zeros([3, 3]), paddle.zeros([3])
expect(RuntimeError, paddle.select_scatter, x, x, 0, 0)
for args in ((row, 2, 0), (row, 0, 3)):
    expect(IndexError, paddle.select_scatter, x, *args)
for args in ((row, 0, 2, 1), (row, 0, 1, 1), (row, 1, 0, 1), (x, 0, 0, 0)):
    expect(AssertionError, paddle.diagonal_scatter, x, *args)
expect(IndexError, paddle.scatter, x, paddle.to_tensor([3]), x[:, :1], axis=1)
expect(ValueError, paddle.scatter, x, paddle.to_tensor([0]), x[:1], axis=2)
''',
        '-O',
    )


def test_bool_mask_after_the_flag_has_changed():
    # which changes what a dtype is
    assert_python_succeeds(
        PREPARE
        + '''
paddle.set_flags({'FLAGS_enable_pir_api': False})
x = paddle.zeros([3])
out = paddle.masked_scatter(x, x == 0, x + 1)
if out.tolist() != [1, 1, 1]:
    raise SystemExit(out)
expect(AssertionError, paddle.masked_scatter, x, x, x)
'''
    )


@pytest.mark.parametrize(
    'op',
    ['masked_scatter', 'masked_fill', 'select_scatter', 'diagonal_scatter'],
)
def test_programs_of_a_process_that_knows_the_old_kind_only(op):
    name = ''.join(word.capitalize() for word in op.split('_'))
    run_test_cases(
        f'test_{op}_values',
        f'Test{name}Graphs.test_program_with_unknown_dims',
        f'Test{name}Graphs.test_old_program',
        f'Test{name}Graphs.test_every_dtype_in_programs',
        FLAGS_enable_pir_api='0',
    )


def test_numbers_in_a_process_that_knows_old_programs_only():
    run_test_cases(
        'test_masked_fill_values_numbers',
        'TestMaskedFillNumbers.test_number_is_rounded_to_the_dtype',
        'TestMaskedFillNumberErrors.test_number_out_of_range',
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
    told = run_test_cases(
        'test_masked_fill_values',
        'TestMaskedFillBuilding.test_one_program_takes_inputs_of_any_size',
        GLOG_v='4',
    )
    assert 'pd_op.masked_fill_grad_' in told
