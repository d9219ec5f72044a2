"""Run an operator through its Python API, in dygraph and in a PIR program."""

import contextlib

import numpy as np
from numeric_gradient import numeric_gradient

import paddle
from paddle.autograd.ir_backward import grad as ir_grad
from paddle.base.framework import OpProtoHolder

HALF_TYPES = (np.float16, np.uint16)


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


def convert_uint16_to_float(in_list):
    """Convert bfloat16 bits to floats."""
    bits = np.ascontiguousarray(in_list, dtype=np.uint16).astype(np.uint32)
    return (bits << 16).view(np.float32).reshape(np.shape(in_list))


def as_list(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def as_float(array):
    return convert_uint16_to_float(array) if array.dtype == np.uint16 else array


def paddle_dtype(array):
    return 'bfloat16' if array.dtype == np.uint16 else str(array.dtype)


class OpRuns:
    """Runs python_api with the inputs and attrs of a test case, in both modes."""

    def _proto(self):
        """Return the operator's proto, None if there is no such operator."""
        try:
            return OpProtoHolder.instance().get_op_proto(self.op_type)
        except ValueError:
            return None

    def _arguments(self, tensors):
        """Return the arguments of python_api, in the order of the operator."""
        attrs = getattr(self, 'attrs', {})
        proto = self._proto()
        if proto is None:
            return [*tensors.values(), *attrs.values()]
        return [
            *(tensors[v.name] for v in proto.inputs if v.name in tensors),
            *(attrs[a.name] for a in proto.attrs if a.name in attrs),
        ]

    def _call(self, tensors):
        results = as_list(self._api()(*self._arguments(tensors)))
        return dict(zip(self.outputs, results))

    def _api(self):
        # A plain function that is set on the class becomes a method.
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

    @contextlib.contextmanager
    def _pir_program(self):
        """Yield a program and its inputs by name."""
        paddle.enable_static()
        try:
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                data = {
                    name: paddle.static.data(
                        name, np.shape(array), paddle_dtype(np.asarray(array))
                    )
                    for name, array in self.inputs.items()
                }
                yield program, data
        finally:
            paddle.disable_static()

    def _run_program(self, place, build):
        """Run a program and fetch the Values that build(inputs) returns."""
        with self._pir_program() as (program, data):
            fetch_list = build(data)
            feed = {n: np.asarray(a) for n, a in self.inputs.items()}
            return paddle.static.Executor(place).run(
                program, feed=feed, fetch_list=fetch_list
            )

    def _run_pir(self, place):
        def build(data):
            return list(self._call(data).values())

        return dict(zip(self.outputs, self._run_program(place, build)))

    # ---- gradients ----

    def _numeric_grad(self, place, name, output_names, delta):
        arrays = {n: np.asarray(a) for n, a in self.inputs.items()}
        # delta is below the resolution of half precision.
        arrays = {
            n: as_float(a).astype(np.float32) if a.dtype in HALF_TYPES else a
            for n, a in arrays.items()
        }

        def mean_of_outputs(array):
            outputs = self._run_dygraph(place, {**arrays, name: array})
            means = [
                outputs[n].astype(np.result_type(np.float64, outputs[n])).mean()
                for n in output_names
            ]
            return np.mean(means).item()

        return numeric_gradient(mean_of_outputs, arrays[name], delta)

    def _grad_dygraph(self, place, names, output_names):
        tensors = self._tensors(place)
        grads = self._differentiate(paddle.grad, tensors, names, output_names)
        return [grad.numpy() for grad in grads]

    def _grad_pir(self, place, names, output_names):
        def build(data):
            return self._differentiate(ir_grad, data, names, output_names)

        return self._run_program(place, build)

    def _differentiate(self, grad, tensors, names, output_names):
        for tensor in tensors.values():
            tensor.stop_gradient = False
        outputs = self._call(tensors)
        # Paddle's OpTest casts only bfloat16 and skips float16 on the CPU, where
        # mean has no float16 kernel.
        if self._has(np.uint16) or self._has(np.float16):
            outputs = {n: outputs[n].astype('float32') for n in output_names}
        means = [paddle.mean(outputs[name]) for name in output_names]
        loss = means[0] if len(means) == 1 else sum(means) / len(means)
        loss_grad = paddle.full([], 1.0, loss.dtype)
        return grad([loss], [tensors[name] for name in names], [loss_grad])

    def _has(self, dtype):
        return any(np.asarray(a).dtype == dtype for a in self.inputs.values())
