# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""Stands in for Paddle's test/legacy_test/op_test.py, which no wheel ships.

It has the part of that file's interface that the operator tests use, under the
same names, so that the tests run unchanged in Paddle's own tree. An operator is
run through `python_api` in dygraph and, with check_pir, in a PIR program.
Every input and output is one Tensor; numpy.uint16 stands for bfloat16.
"""

import inspect
import os
import random
import unittest

import numpy as np
from numeric_gradient import max_relative_error, numeric_gradient

import paddle
from paddle import _C_ops

HALF_TYPES = (np.float16, np.uint16)


def convert_float_to_uint16(float_list):
    """The bfloat16 bits of the given floats, rounded towards zero."""
    floats = np.ascontiguousarray(float_list, dtype=np.float32)
    bits = floats.view(np.uint32) >> 16
    return bits.astype(np.uint16).reshape(np.shape(float_list))


def convert_uint16_to_float(in_list):
    """The floats that the given bfloat16 bits stand for."""
    bits = np.ascontiguousarray(in_list, dtype=np.uint16).astype(np.uint32)
    return (bits << 16).view(np.float32).reshape(np.shape(in_list))


def skip_check_grad_ci(reason=None):
    """Class decorator: this operator test has no gradient check, because..."""
    if not isinstance(reason, str):
        raise AssertionError("skip_check_grad_ci needs a reason in words.")

    def mark(cls):
        cls.no_need_check_grad = True
        return cls

    return mark


def is_custom_device():
    return bool(paddle.device.get_all_custom_device_type())


def get_device_place():
    if paddle.is_compiled_with_cuda():
        return paddle.CUDAPlace(0)
    return paddle.CPUPlace()


def get_places():
    both = os.environ.get('FLAGS_CI_both_cpu_and_gpu', 'False').lower()
    places = []
    if not paddle.is_compiled_with_cuda() or both in ('1', 'true', 'on'):
        places.append(paddle.CPUPlace())
    if paddle.is_compiled_with_cuda():
        places.append(paddle.CUDAPlace(0))
    return places


def _as_list(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _as_float(array):
    return convert_uint16_to_float(array) if array.dtype == np.uint16 else array


def _paddle_dtype(array):
    return 'bfloat16' if array.dtype == np.uint16 else str(array.dtype)


class OpTest(unittest.TestCase):
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
        if not cls._checked_output or getattr(cls, 'no_need_check_grad', False):
            return
        if not cls._checked_grad:
            raise AssertionError(
                f"{cls.__name__}: call check_grad, or give the reason why not "
                "with skip_check_grad_ci."
            )
        single = np.dtype('float32') in cls._checked_grad
        if single and np.dtype('float64') not in cls._checked_grad:
            raise AssertionError(
                f"{cls.__name__}: check the gradient in float64 too."
            )

    def check_output(self, atol=1e-5, rtol=1e-5, **kwargs):
        for place in get_places():
            self.check_output_with_place(place, atol, rtol, **kwargs)

    def check_output_with_place(
        self,
        place,
        atol=0,
        rtol=0,
        no_check_set=None,
        equal_nan=False,
        check_dygraph=True,
        check_pir=False,
        inplace_atol=None,
        **kwargs,
    ):
        type(self)._checked_output = True
        runs = []
        if check_dygraph:
            runs.append(('dygraph', self._run_dygraph(place)))
        if check_pir:
            runs.append(('PIR', self._run_pir(place)))
        for mode, outputs in runs:
            self._compare_outputs(
                mode, outputs, atol, rtol, no_check_set or (), equal_nan
            )
        if not getattr(self, 'no_need_check_inplace', False):
            self._check_inplace(place, inplace_atol or atol, rtol, equal_nan)

    def check_grad(self, inputs_to_check, output_names, *args, **kwargs):
        for place in get_places():
            self.check_grad_with_place(
                place, inputs_to_check, output_names, *args, **kwargs
            )

    def check_grad_with_place(
        self,
        place,
        inputs_to_check,
        output_names,
        no_grad_set=None,
        numeric_grad_delta=0.005,
        in_place=False,
        max_relative_error=0.005,
        user_defined_grads=None,
        user_defined_grad_outputs=None,
        check_dygraph=True,
        check_prim=False,
        check_prim_pir=False,
        only_check_prim=False,
        atol=1e-5,
        check_cinn=False,
        check_pir=False,
        **kwargs,
    ):
        self._check_grad_rules(inputs_to_check, no_grad_set)
        dtype = np.asarray(self.inputs[inputs_to_check[0]]).dtype
        type(self)._checked_grad.add(dtype)
        if dtype == np.float64:
            numeric_grad_delta, max_relative_error = 1e-5, 1e-7
        elif dtype in HALF_TYPES:
            floor = 1e-2 if dtype == np.float16 else 3e-2
            max_relative_error = max(max_relative_error, floor)
        expected = user_defined_grads or [
            self._numeric_grad(place, name, output_names, numeric_grad_delta)
            for name in inputs_to_check
        ]
        out_grads = user_defined_grad_outputs
        runs = []
        if check_dygraph:
            runs.append(('dygraph', self._grad_dygraph))
        if check_pir:
            runs.append(('PIR', self._grad_pir))
        for mode, run in runs:
            grads = run(
                place, inputs_to_check, _as_list(output_names), out_grads
            )
            self._compare_grads(
                mode, inputs_to_check, grads, expected, max_relative_error
            )

    # ---- calling the operator ----

    def _arguments(self, tensors):
        """Positional and keyword arguments of python_api."""
        given = {**tensors, **getattr(self, 'attrs', {})}
        accepted = inspect.signature(self._api()).parameters
        if all(name in accepted for name in given):
            return (), given
        return tuple(given.values()), {}

    def _call(self, tensors):
        args, kwargs = self._arguments(tensors)
        results = _as_list(self._api()(*args, **kwargs))
        names = getattr(self, 'python_out_sig', None) or list(self.outputs)
        return dict(zip(names, results))

    def _api(self):
        # set on the class, a plain function has become a method
        return getattr(self.python_api, '__func__', self.python_api)

    def _tensors(self, place, arrays=None):
        arrays = arrays or self.inputs
        return {
            name: paddle.to_tensor(np.asarray(array), place=place)
            for name, array in arrays.items()
        }

    def _run_dygraph(self, place, arrays=None):
        outputs = self._call(self._tensors(place, arrays))
        return {name: out.numpy() for name, out in outputs.items()}

    def _in_pir_program(self, place, build):
        """Fetches what build(inputs) returns, a list of Values."""
        paddle.enable_static()
        try:
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                data = {
                    name: paddle.static.data(
                        name, np.shape(array), _paddle_dtype(np.asarray(array))
                    )
                    for name, array in self.inputs.items()
                }
                fetched = build(data)
                feed = {n: np.asarray(a) for n, a in self.inputs.items()}
                return paddle.static.Executor(place).run(
                    program, feed=feed, fetch_list=fetched
                )
        finally:
            paddle.disable_static()

    def _run_pir(self, place):
        names = []

        def build(data):
            outputs = self._call(data)
            names.extend(outputs)
            return list(outputs.values())

        return dict(zip(names, self._in_pir_program(place, build)))

    # ---- outputs ----

    def _compare_outputs(
        self, mode, outputs, atol, rtol, no_check_set, equal_nan
    ):
        for name, expected in self.outputs.items():
            if name in no_check_set:
                continue
            actual, expected = outputs[name], np.asarray(expected)
            what = f"{self.op_type}, {mode}, output {name}"
            self.assertEqual(actual.shape, expected.shape, what)
            self.assertEqual(actual.dtype, expected.dtype, what)
            np.testing.assert_allclose(
                _as_float(actual),
                _as_float(expected),
                *self._tolerance(expected.dtype, rtol, atol),
                equal_nan=equal_nan,
                err_msg=what,
            )

    @staticmethod
    def _tolerance(dtype, rtol, atol):
        if dtype == np.float64:
            return max(rtol, 1e-5), 0
        if dtype == np.float16:
            return max(rtol, 1e-3), max(atol, 1e-3)
        if dtype == np.uint16:
            return max(rtol, 1e-2), max(atol, 1e-2)
        return rtol, atol

    def _check_inplace(self, place, atol, rtol, equal_nan):
        """The in-place op must give the same, in the first input's memory."""
        inplace = getattr(_C_ops, self.op_type + '_', None)
        first, *_ = self.inputs
        out_name, *_ = self.outputs
        same_shape = np.shape(self.inputs[first]) == np.shape(
            self.outputs[out_name]
        )
        if inplace is None or not same_shape:
            return
        tensors = self._tensors(place)
        result = inplace(
            *tensors.values(), *getattr(self, 'attrs', {}).values()
        )
        self.assertIs(result, tensors[first], f"{self.op_type}_ returns x")
        outputs = {out_name: tensors[first].numpy()}
        others = [name for name in self.outputs if name != out_name]
        self._compare_outputs(
            'in place', outputs, atol, rtol, others, equal_nan
        )

    # ---- gradients ----

    def _check_grad_rules(self, inputs_to_check, no_grad_set):
        if no_grad_set is not None:
            raise AssertionError(f"{self.op_type}: no_grad_set must be None.")
        for name in inputs_to_check:
            shape = np.shape(self.inputs[name])
            if shape and np.prod(shape) < 100:
                raise AssertionError(
                    f"{self.op_type}: the gradient of {name} needs at least "
                    f"100 elements, but its shape is {shape}."
                )

    def _numeric_grad(self, place, name, output_names, delta):
        arrays = {n: np.asarray(a) for n, a in self.inputs.items()}
        # a step of delta is lost in half precision
        arrays = {
            n: _as_float(a).astype(np.float32) if a.dtype in HALF_TYPES else a
            for n, a in arrays.items()
        }

        def mean_of_outputs(changed):
            outputs = self._run_dygraph(place, {**arrays, name: changed})
            means = [
                outputs[n].astype(np.float64).mean()
                for n in _as_list(output_names)
            ]
            return float(np.mean(means))

        return numeric_gradient(mean_of_outputs, arrays[name], delta)

    def _out_grads(self, outputs, given):
        if given is not None:
            return [
                paddle.assign(np.asarray(g)).astype(out.dtype)
                for g, out in zip(given, outputs)
            ]
        return [
            paddle.full(
                out.shape, 1.0 / (np.prod(out.shape) * len(outputs)), out.dtype
            )
            for out in outputs
        ]

    def _grad_dygraph(self, place, names, output_names, out_grads):
        tensors = self._tensors(place)
        for name in names:
            tensors[name].stop_gradient = False
        results = self._call(tensors)
        outputs = [results[name] for name in output_names]
        grads = paddle.grad(
            outputs,
            [tensors[name] for name in names],
            self._out_grads(outputs, out_grads),
        )
        return [grad.numpy() for grad in grads]

    def _grad_pir(self, place, names, output_names, out_grads):
        def build(data):
            for name in names:
                data[name].stop_gradient = False
            results = self._call(data)
            outputs = [results[name] for name in output_names]
            return paddle.static.gradients(
                outputs,
                [data[name] for name in names],
                self._out_grads(outputs, out_grads),
            )

        return self._in_pir_program(place, build)

    def _compare_grads(self, mode, names, grads, expected, limit):
        self.assertEqual(len(grads), len(names))
        for name, grad, wanted in zip(names, grads, expected):
            what = f"{self.op_type}, {mode}, gradient of {name}"
            self.assertEqual(grad.shape, np.shape(self.inputs[name]), what)
            self.assertEqual(
                grad.dtype, np.asarray(self.inputs[name]).dtype, what
            )
            error = max_relative_error(
                _as_float(grad), _as_float(np.asarray(wanted))
            )
            self.assertLessEqual(error, limit, what)
