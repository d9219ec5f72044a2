"""Stub of Paddle's test/legacy_test/op_test.py, which no wheel ships.

It has the part of Paddle's interface that the operator tests use, so that the tests
run unchanged in a Paddle tree. An operator is run through `python_api` in dygraph
and, with check_pir, in a PIR program. Every input and output is one Tensor;
numpy.uint16 represents bfloat16. The stub rejects what Paddle's OpTest rejects, and
checks float16 on the CPU, which Paddle's OpTest skips.
"""

import os
import random
import unittest

import numpy as np
from numeric_gradient import max_relative_error
from op_runs import (
    OpRuns,
    as_float,
    as_list,
    convert_float_to_uint16,
)

import paddle
from paddle import _C_ops

__all__ = [
    'OpTest',
    'convert_float_to_uint16',
    'get_places',
    'skip_check_grad_ci',
]
# {dtype: (relative tolerance, absolute tolerance)} of outputs
TOLERANCE = {
    np.float64: (1e-5, 0),
    np.float16: (1e-3, 1e-3),
    np.uint16: (1e-2, 1e-2),
}
# {dtype: (step of the numeric gradient, maximum relative error)}
GRADIENTS = {
    np.float64: (1e-5, 1e-7),
    np.float16: (0.005, 1e-2),
    np.uint16: (0.005, 3e-2),
}


def skip_check_grad_ci(reason=None):
    """Mark a test class as having no gradient check."""
    if not isinstance(reason, str):
        raise AssertionError("skip_check_grad_ci requires a reason.")

    def mark(cls):
        cls.no_need_check_grad = True
        return cls

    return mark


def get_places():
    both = os.environ.get('FLAGS_CI_both_cpu_and_gpu', 'False').lower()
    places = []
    if not paddle.is_compiled_with_cuda() or both in ('1', 'true', 'on'):
        places.append(paddle.CPUPlace())
    if paddle.is_compiled_with_cuda():
        places.append(paddle.CUDAPlace(0))
    return places


class OpTest(OpRuns, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._random_states = (np.random.get_state(), random.getstate())
        np.random.seed(123)
        random.seed(124)
        cls._checked_output = False
        cls._checked_grad = set()

    @classmethod
    def tearDownClass(cls):
        np.random.set_state(cls._random_states[0])
        random.setstate(cls._random_states[1])
        if not (cls._checked_output or cls._checked_grad):
            raise AssertionError(f"{cls.__name__}: it checks nothing.")
        if getattr(cls, 'no_need_check_grad', False):
            return
        if not cls._checked_grad:
            raise AssertionError(
                f"{cls.__name__}: call check_grad, or state why not with "
                "skip_check_grad_ci."
            )
        single = np.dtype('float32') in cls._checked_grad
        if single and np.dtype('float64') not in cls._checked_grad:
            raise AssertionError(
                f"{cls.__name__}: check the gradient in float64 too."
            )

    # The subset of Paddle's parameters that the tests use.
    def check_output(self, *, check_pir=False, check_symbol_infer=True):
        type(self)._checked_output = True
        self._check_names()
        for place in get_places():
            self._compare_outputs('dygraph', self._run_dygraph(place))
            if check_pir:
                self._compare_outputs('PIR', self._run_pir(place))
            self._check_inplace(place)
        if check_pir and check_symbol_infer:
            self._check_symbolic_shapes()

    def check_grad(self, inputs_to_check, output_names, *, check_pir=False):
        self._check_names()
        self._check_sizes(inputs_to_check)
        names, output_names = inputs_to_check, as_list(output_names)
        dtype = np.asarray(self.inputs[names[0]]).dtype
        type(self)._checked_grad.add(dtype)
        delta, limit = GRADIENTS.get(dtype.type, (0.005, 0.005))
        for place in get_places():
            expected = [
                self._numeric_grad(place, name, output_names, delta)
                for name in names
            ]
            grads = self._grad_dygraph(place, names, output_names)
            self._compare_grads('dygraph', names, grads, expected, limit)
            if check_pir:
                grads = self._grad_pir(place, names, output_names)
                self._compare_grads('PIR', names, grads, expected, limit)

    def _check_names(self):
        """Check that inputs and outputs have the names of the operator."""
        proto = self._proto()
        if proto is None:
            return
        for arrays, names in (
            (self.inputs, [v.name for v in proto.inputs if not v.dispensable]),
            (self.outputs, [v.name for v in proto.outputs]),
        ):
            self.assertEqual(set(arrays), set(names), self.op_type)
            for name, array in arrays.items():
                self.assertIsInstance(array, np.ndarray, name)

    def _check_symbolic_shapes(self):
        """Compare the shapes that Paddle's analysis infers with the outputs."""
        pir = paddle.base.libpaddle.pir
        with self._pir_program() as (program, data):
            outputs = self._call(data)
            if not pir.all_ops_defined_symbol_infer(program):
                return  # a custom operator has no rule
            analysis = pir.get_shape_constraint_ir_analysis(program)
            for name, value in outputs.items():
                inferred = analysis.get_shape_or_data_for_var(value)
                shape = list(np.shape(self.outputs[name]))
                self.assertTrue(
                    inferred.is_equal(shape, []),
                    f"{self.op_type}: symbolic {name}",
                )

    # ---- outputs ----

    def _compare_outputs(self, mode, outputs):
        for name, expected in self.outputs.items():
            actual, expected = outputs[name], np.asarray(expected)
            what = f"{self.op_type}, {mode}, output {name}"
            self.assertEqual(actual.shape, expected.shape, what)
            self.assertEqual(actual.dtype, expected.dtype, what)
            np.testing.assert_allclose(
                as_float(actual),
                as_float(expected),
                *TOLERANCE.get(expected.dtype.type, (1e-5, 1e-5)),
                equal_nan=False,
                err_msg=what,
            )

    def _check_inplace(self, place):
        """Compare the output of the in-place op, which is the first input."""
        inplace = getattr(_C_ops, self.op_type + '_', None)
        first, *_ = self.inputs
        ((name, out),) = self.outputs.items()
        if inplace is None or np.shape(self.inputs[first]) != np.shape(out):
            return
        tensors = self._tensors(place)
        result = inplace(
            *tensors.values(), *getattr(self, 'attrs', {}).values()
        )
        self.assertIs(result, tensors[first], f"{self.op_type}_ returns x")
        outputs = {name: tensors[first].numpy()}
        self._compare_outputs('in place', outputs)

    # ---- gradients ----

    def _check_sizes(self, inputs_to_check):
        for name in inputs_to_check:
            shape = np.shape(self.inputs[name])
            if shape and np.prod(shape) < 100:
                raise AssertionError(
                    f"{self.op_type}: the gradient of {name} requires at least "
                    f"100 elements, but its shape is {shape}."
                )

    def _compare_grads(self, mode, names, grads, expected, limit):
        self.assertEqual(len(grads), len(names))
        for name, grad, desired in zip(names, grads, expected):
            what = f"{self.op_type}, {mode}, gradient of {name}"
            desired = np.asarray(desired)
            self.assertEqual(grad.shape, desired.shape, what)
            self.assertEqual(
                grad.dtype, np.asarray(self.inputs[name]).dtype, what
            )
            error = max_relative_error(as_float(grad), as_float(desired))
            self.assertLessEqual(error, limit, what)
