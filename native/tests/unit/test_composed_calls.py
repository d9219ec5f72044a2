"""Random calls where there are no kernels, as on XPU and custom devices.

There the functions are composed of Paddle's own operators, to the first order.
"""

import unittest
from unittest import mock

from drawn_calls import call_with_gradients, described, drawn_cases
from fuzz import reference
from fuzz.arrays import GRAD_DTYPES, to_paddle
from fuzz.compare import fault

import paddle
from paddle.tensor import manipulation

COMPOSED_APIS = 'masked_scatter', 'select_scatter', 'diagonal_scatter'


def suits_composition(case):
    """Without elements, some of Paddle's operators have no gradient; through
    float32, NaNs of bfloat16 lose their payload."""
    if case.dtype == 'bfloat16' and case.kind == 'any':
        return False
    sizes = [array.size for array in case.arrays.values()]
    return not case.wrt or (case.dtype in GRAD_DTYPES and min(sizes) > 0)


class TestComposedCalls(unittest.TestCase):
    def setUp(self):
        kernel = mock.Mock(side_effect=AssertionError('a kernel is called'))
        names = [*COMPOSED_APIS, 'masked_scatter_']
        for patch in (
            mock.patch.object(
                manipulation, '_has_scatter_kernels', return_value=False
            ),
            mock.patch.multiple(
                manipulation._C_ops, **dict.fromkeys(names, kernel)
            ),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def test_results_and_gradients(self):
        for api in COMPOSED_APIS:
            for case in drawn_cases(api, 150, suits_composition):
                with self.subTest(api=api, **described(case)):
                    self.check(case)

    def check(self, case):
        tensors = [to_paddle(array) for array in case.arrays.values()]
        for name, tensor in zip(case.arrays, tensors):
            tensor.stop_gradient = name not in case.wrt
        out_grad = case.out_grad()
        out, *grads = call_with_gradients(
            case, tensors, to_paddle(out_grad), paddle.grad
        )
        problem = fault(out.numpy(), reference.forward(case), case.dtype)
        self.assertEqual(problem, '')
        expected = reference.gradients(case, out_grad) if grads else {}
        for name, grad in zip(case.wrt, grads):
            problem = fault(grad.numpy(), expected[name], case.dtype)
            self.assertEqual(problem, '', name)


if __name__ == '__main__':
    unittest.main()
