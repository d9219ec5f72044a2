"""Stub of Paddle's test/legacy_test/op_test.py, which no wheel ships.

It has the part of Paddle's interface that the operator tests use, so that the tests
run unchanged in a Paddle tree. An operator is run through `python_api` in dygraph
and, with check_pir, in a PIR program. Every input is one Tensor, and so is the only
output; numpy.uint16 represents bfloat16. The stub rejects what Paddle's OpTest
rejects, and checks float16 on the CPU, which Paddle's OpTest skips.
"""

import contextlib
import random
import unittest

import numpy as np
from numeric_gradient import max_relative_error, numeric_gradient

import paddle
from paddle import _C_ops
from paddle.autograd.ir_backward import grad as ir_grad
from paddle.base.framework import OpProtoHolder

__all__ = ['OpTest', 'convert_float_to_uint16', 'skip_check_grad_ci']
HALF_TYPES = (np.float16, np.uint16)
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


def convert_float_to_uint16(float_list):
    """Convert an array of floats to bfloat16 bits, rounding toward zero.

    Rejects Python scalars and empty arrays, as Paddle's own function does.
    """
    shape = float_list.shape
    if np.size(float_list) == 0:
        raise ValueError("convert_float_to_uint16: the array has no element.")
    floats = np.ascontiguousarray(float_list, dtype=np.float32)
    bits = floats.view(np.uint32) >> 16
    return bits.astype(np.uint16).reshape(shape)


def as_float(array):
    """Convert bfloat16 bits to floats."""
    if array.dtype != np.uint16:
        return array
    bits = np.ascontiguousarray(array).astype(np.uint32) << 16
    return bits.view(np.float32).reshape(array.shape)


def skip_check_grad_ci(reason=None):
    """Mark a test class as having no gradient check."""
    if not isinstance(reason, str):
        raise AssertionError("skip_check_grad_ci requires a reason.")

    def mark(cls):
        cls.no_need_check_grad = True
        return cls

    return mark


class OpTest(unittest.TestCase):
    attrs = {}

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
                f"{cls.__name__}: check the gradient in float64 too, "
                "or use @skip_check_grad_ci."
            )

    # The subset of Paddle's parameters that the tests use.
    def check_output(self, *, check_pir=False, check_symbol_infer=True):
        type(self)._checked_output = True
        self._check_names()
        out = self._call(self._tensors(self.inputs)).numpy()
        self._compare_output('dygraph', out)
        if check_pir:
            (out,) = self._run_pir(lambda data: [self._call(data)])
            self._compare_output('PIR', out)
        self._check_inplace()
        if check_pir and check_symbol_infer:
            self._check_symbolic_shape()

    def check_grad(self, inputs_to_check, output_name, *, check_pir=False):
        self._check_names()
        self.assertIn(output_name, self.outputs)
        self._check_sizes(inputs_to_check)
        names = inputs_to_check
        dtype = self.inputs[names[0]].dtype
        type(self)._checked_grad.add(dtype)
        delta, limit = GRADIENTS.get(dtype.type, (0.005, 0.005))
        expected = [self._numeric_grad(name, delta) for name in names]
        tensors = self._tensors(self.inputs)
        grads = self._differentiate(paddle.grad, tensors, names)
        grads = [grad.numpy() for grad in grads]
        self._compare_grads('dygraph', names, grads, expected, limit)
        if check_pir:
            grads = self._run_pir(
                lambda data: self._differentiate(ir_grad, data, names)
            )
            self._compare_grads('PIR', names, grads, expected, limit)

    # ---- runs ----

    def _proto(self):
        """Return the operator's proto, None if there is no such operator."""
        try:
            return OpProtoHolder.instance().get_op_proto(self.op_type)
        except ValueError:
            return None

    def _call(self, tensors):
        """Call python_api with its arguments in the order of the operator."""
        # A plain function that is set on the class becomes a method.
        function = getattr(self.python_api, '__func__', self.python_api)
        proto = self._proto()
        if proto is None:
            return function(*tensors.values(), *self.attrs.values())
        names = (v.name for v in proto.inputs if v.name in tensors)
        attrs = (a.name for a in proto.attrs if a.name in self.attrs)
        return function(
            *(tensors[name] for name in names),
            *(self.attrs[name] for name in attrs),
        )

    def _tensors(self, arrays):
        return {name: paddle.to_tensor(a) for name, a in arrays.items()}

    @contextlib.contextmanager
    def _pir_program(self):
        """Yield a program and its inputs by name."""
        paddle.enable_static()
        try:
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                dtypes = {np.dtype(np.uint16): 'bfloat16'}
                yield (
                    program,
                    {
                        name: paddle.static.data(
                            name, a.shape, dtypes.get(a.dtype, str(a.dtype))
                        )
                        for name, a in self.inputs.items()
                    },
                )
        finally:
            paddle.disable_static()

    def _run_pir(self, build):
        """Run a program and fetch the Values that build(inputs) returns."""
        with self._pir_program() as (program, data):
            fetch_list = build(data)
            return paddle.static.Executor().run(
                program, feed=self.inputs, fetch_list=fetch_list
            )

    def _numeric_grad(self, name, delta):
        # delta is below the resolution of half precision.
        arrays = {
            n: as_float(a).astype(np.float64) if a.dtype in HALF_TYPES else a
            for n, a in self.inputs.items()
        }

        def mean_of_output(array):
            out = self._call(self._tensors({**arrays, name: array})).numpy()
            return out.astype(array.dtype).mean()  # rounds, as in Paddle's

        return numeric_gradient(mean_of_output, arrays[name], delta)

    def _differentiate(self, grad, tensors, names):
        for tensor in tensors.values():
            tensor.stop_gradient = False
        out = self._call(tensors)
        # Paddle's OpTest casts only bfloat16 and skips float16 on the CPU, where
        # mean has no float16 kernel.
        if any(array.dtype in HALF_TYPES for array in self.inputs.values()):
            out = out.astype('float32')
        loss = paddle.mean(out)
        loss_grad = paddle.full([], 1.0, loss.dtype)
        return grad([loss], [tensors[name] for name in names], [loss_grad])

    # ---- checks ----

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

    def _check_sizes(self, inputs_to_check):
        for name in inputs_to_check:
            shape = np.shape(self.inputs[name])
            if shape and np.prod(shape) < 100:
                raise AssertionError(
                    f"{self.op_type}: the gradient of {name} requires at least "
                    f"100 elements, but its shape is {shape}."
                )

    def _check_inplace(self):
        """Compare the output of the in-place op, which is the first input."""
        inplace = getattr(_C_ops, self.op_type + '_', None)
        x, *others = self._tensors(self.inputs).values()
        (out,) = self.outputs.values()
        if inplace is None or tuple(x.shape) != out.shape:
            return
        result = inplace(x, *others, *self.attrs.values())
        self.assertIs(result, x, f"{self.op_type}_ returns x")
        self._compare_output('in place', x.numpy())

    def _check_symbolic_shape(self):
        """Compare the shape that Paddle's analysis infers with the output."""
        pir = paddle.base.libpaddle.pir
        with self._pir_program() as (program, data):
            out = self._call(data)
            if not pir.all_ops_defined_symbol_infer(program):
                return  # a custom operator has no rule
            analysis = pir.get_shape_constraint_ir_analysis(program)
            ((name, expected),) = self.outputs.items()
            self.assertTrue(
                analysis.get_shape_or_data_for_var(out).is_equal(
                    list(expected.shape), []
                ),
                f"{self.op_type}: symbolic {name}",
            )

    def _compare_output(self, mode, out):
        ((name, expected),) = self.outputs.items()
        what = f"{self.op_type}, {mode}, output {name}"
        self.assertEqual(out.shape, expected.shape, what)
        self.assertEqual(out.dtype, expected.dtype, what)
        np.testing.assert_allclose(
            as_float(out),
            as_float(expected),
            *TOLERANCE.get(expected.dtype.type, (1e-5, 1e-5)),
            equal_nan=False,
            err_msg=what,
        )

    def _compare_grads(self, mode, names, grads, expected, limit):
        self.assertEqual(len(grads), len(names))
        for name, grad, desired in zip(names, grads, expected):
            what = f"{self.op_type}, {mode}, gradient of {name}"
            self.assertEqual(grad.shape, desired.shape, what)
            self.assertEqual(grad.dtype, self.inputs[name].dtype, what)
            error = max_relative_error(as_float(grad), as_float(desired))
            self.assertLessEqual(error, limit, what)
