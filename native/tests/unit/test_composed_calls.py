"""Random calls of the composed forms, which serve XPU and custom devices.

Paddle's own operators compose them; they have first-order gradients.
"""

import unittest
from unittest import mock

from drawn_calls import call_with_gradients, describe, draw_cases
from fuzz import reference
from fuzz.arrays import GRAD_DTYPES, to_paddle
from fuzz.compare import find_mismatch

import paddle
from paddle.tensor import manipulation

COMPOSED_APIS = 'masked_scatter', 'select_scatter', 'diagonal_scatter'


def is_supported(case):
    """Some of Paddle's operators have no gradient for empty Tensors; the composed
    forms cast bfloat16, which changes NaN payloads."""
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
            for case in draw_cases(api, 150, is_supported):
                with self.subTest(api=api, **describe(case)):
                    self.check(case)

    def check(self, case):
        tensors = [to_paddle(array) for array in case.arrays.values()]
        for name, tensor in zip(case.arrays, tensors):
            tensor.stop_gradient = name not in case.wrt
        out_grad = case.out_grad()
        out, *grads = call_with_gradients(
            case, tensors, to_paddle(out_grad), paddle.grad
        )
        expected = reference.forward(case)
        self.assertEqual(find_mismatch(out.numpy(), expected, case.dtype), '')
        expected = reference.gradients(case, out_grad) if grads else {}
        for name, grad in zip(case.wrt, grads):
            problem = find_mismatch(grad.numpy(), expected[name], case.dtype)
            self.assertEqual(problem, '', name)


if __name__ == '__main__':
    unittest.main()
