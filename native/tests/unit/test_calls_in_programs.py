"""Random calls in static, traced and saved programs equal dygraph bit by bit."""

import unittest

import numpy as np
from drawn_calls import bind, call_with_gradients, describe, draw_cases
from fuzz.arrays import GRAD_DTYPES, assert_same_bits, to_paddle
from fuzz.draw import APIS
from programs import load, run_program, save, static_mode, to_static

import paddle
from paddle.pir_utils import OldIrGuard


def is_supported(case):
    """Programs with unknown dims reject column indices and surplus updates."""
    if case.wrt and case.dtype not in GRAD_DTYPES:
        return False
    if case.options.get('value') == 0:
        return False  # a program may merge the constants 0.0 and -0.0
    if any(array.size > 20_000 for array in case.arrays.values()):
        return False
    if case.api != 'scatter':
        return True
    index, updates = case.arrays['index'], case.arrays['updates']
    if index.ndim != 1:
        return index.ndim == 0
    return updates.shape[case.options['axis']] == len(index)


def in_dygraph(case, function=None):
    tensors = [to_paddle(array) for array in case.arrays.values()]
    for name, tensor in zip(case.arrays, tensors):
        tensor.stop_gradient = name not in case.wrt
    out_grad = to_paddle(case.out_grad())
    if function:
        return [function(tensors).numpy()]
    results = call_with_gradients(case, tensors, out_grad, paddle.grad)
    return [tensor.numpy() for tensor in results]


def in_program(case, known_dims):
    arrays = {**case.arrays, 'out_grad': case.out_grad()}

    def build(variables):
        *tensors, out_grad = variables.values()
        gradients = paddle.static.gradients
        return call_with_gradients(case, tensors, out_grad, gradients)

    return run_program(build, arrays, case.wrt, known_dims)


class TestCallsInPrograms(unittest.TestCase):
    def check(self, count, run, is_suitable=is_supported):
        for api in APIS:
            for case in draw_cases(api, count, is_suitable):
                with self.subTest(api=api, **describe(case)):
                    expected = in_dygraph(case)
                    for actual, reference in zip(run(case), expected):
                        assert_same_bits(np.asarray(actual), reference)

    def test_programs(self):
        def run(case):
            with static_mode():
                return in_program(case, known_dims=len(case.wrt) == 1)

        self.check(60, run)

    def test_legacy_programs(self):
        def run(case):
            with OldIrGuard():
                return in_program(case, known_dims=len(case.wrt) == 1)

        def is_suitable(case):  # the legacy cast has no complex dtypes
            return is_supported(case) and case.source_dtype == case.dtype

        self.check(30, run, is_suitable)

    def test_traced_functions(self):
        for full_graph in (True, False):  # AST, SOT

            def run(case, full_graph=full_graph):
                traced = to_static(bind(case), full_graph=full_graph)
                return in_dygraph(case, traced)

            self.check(5, run)

    def test_saved_functions(self):
        def run(case):
            with save(bind(case), case.arrays, known_dims=False) as path:
                return in_dygraph(case, load(path))

        self.check(5, run)


if __name__ == '__main__':
    unittest.main()
