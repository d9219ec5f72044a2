"""Plain paddle.scatter runs the wheel build's kernels, however it is called.

Paddle 3.3.1 has no CPU kernel of scatter for float16, bool or complex numbers,
so a right answer for one of these comes from ours.
"""

import itertools
import unittest

import numpy as np
from index_reduce_cases import operands, reference_index_reduce
from op_table import numbers
from op_table_graph import static_mode
from processes import assert_python_succeeds
from scatter_graph_utils import (
    run_predictor,
    run_saved,
    run_static,
    run_to_static,
    saved_function,
)
from scatter_test_utils import (
    ALL_DTYPES,
    assert_same_bits,
    random_numbers,
    to_numbers,
    to_paddle,
    to_storage,
)

import paddle
import paddle.distributed as dist
from paddle import _C_ops
from paddle import _native_lib as native

# Those that the release cannot serve on a CPU.
NEW_DTYPES = ('float16', 'bfloat16', 'bool', 'uint8', 'complex64')
INDEX = np.array([3, 1, 3, -4])


def make_arrays(dtype, shape=(4, 3)):
    rng = np.random.default_rng(5)
    return {
        'x': operands(rng, shape, 'sum', dtype),
        'index': INDEX,
        'updates': operands(rng, shape, 'sum', dtype),
    }


def expected(arrays, overwrite, dtype):
    reduce = 'assign' if overwrite else 'sum'
    out = reference_index_reduce(
        *map(numbers, arrays.values()), 0, reduce, False
    )
    return to_numbers(out, dtype) if out.dtype == np.uint16 else out


def plain_scatter(overwrite):
    def function(x, index, updates):
        return paddle.scatter(x, index, updates, overwrite)

    return function


def both():
    """Yields (dtype, overwrite)."""
    return itertools.product(NEW_DTYPES, (True, False))


class TestTakenKernels(unittest.TestCase):
    def test_scatter_and_its_gradient_are_taken_for_every_dtype(self):
        taken = native.taken_kernels()
        for name in ('scatter', 'scatter_grad'):
            self.assertEqual(len(taken[name]), 12)
            self.assertEqual(set(taken[name]), set(ALL_DTYPES))

    def test_a_kernel_with_other_arguments_is_told_apart(self):
        for name in ('scatter', 'scatter_grad'):
            self.assertEqual(native.kernel_misfit(name, name), '')
        for name, like, difference in (
            ('masked_fill', 'scatter', 'takes 0 attributes, expected 1'),
            ('scatter_grad', 'scatter', 'takes .* outputs, expected 1'),
            ('abs', 'scatter', 'takes 1 inputs, expected 3'),
            ('no_such_operator', 'scatter', 'no float32 kernel'),
        ):
            with self.subTest(name=name):
                found = native.kernel_misfit(name, like)
                self.assertRegex(found, difference)
        with self.assertRaisesRegex(RuntimeError, 'no kernels for abs'):
            native.kernel_misfit('scatter', 'abs')


class TestScatterOfNewDtypes(unittest.TestCase):
    def check(self, out, arrays, overwrite, dtype):
        out = out.numpy() if isinstance(out, paddle.Tensor) else out
        self.assertEqual(out.dtype, arrays['x'].dtype)
        out, wanted = to_numbers(out, dtype), expected(arrays, overwrite, dtype)
        if overwrite or wanted.dtype.kind in 'bui':
            assert_same_bits(out, wanted)
            return
        rtol = {'float16': 1e-3, 'bfloat16': 1e-2}.get(dtype, 1e-6)
        np.testing.assert_allclose(out, wanted, rtol, rtol)

    def test_dygraph(self):
        for dtype, overwrite in both():
            arrays = make_arrays(dtype)
            x, index, updates = map(to_paddle, arrays.values())
            for function in (
                paddle.scatter,
                paddle.Tensor.scatter,
                _C_ops.scatter,
                paddle.scatter_,
                _C_ops.scatter_,
            ):
                with self.subTest(dtype=dtype, function=function.__name__):
                    out = function(x.clone(), index, updates, overwrite)
                    self.check(out, arrays, overwrite, dtype)

    def test_a_sum_of_minus_zeros_is_zero(self):
        for dtype in ('float16', 'bfloat16', 'complex64'):
            zero = complex(-0.0, -0.0) if dtype == 'complex64' else -0.0
            x = to_paddle(to_storage(np.full((4, 3), zero), dtype))
            out = paddle.scatter(x, to_paddle(np.array([1, 2, 1])), x, False)
            expected_out = x.numpy().copy()
            expected_out[1:3] = 0
            with self.subTest(dtype=dtype):
                assert_same_bits(out, expected_out)

    def test_gradients(self):
        for dtype in ('float16', 'bfloat16', 'complex64'):
            arrays = make_arrays(dtype)
            out_grad = random_numbers(np.random.default_rng(6), (4, 3), dtype)
            for overwrite in (True, False):
                x, index, updates = map(to_paddle, arrays.values())
                x.stop_gradient = updates.stop_gradient = False
                out = paddle.scatter(x, index, updates, overwrite)
                grads = paddle.grad([out], [x, updates], [to_paddle(out_grad)])
                x_grad = out_grad.copy()
                x_grad[INDEX] = 0
                updates_grad = out_grad[INDEX]
                if overwrite:
                    updates_grad[0] = 0  # the third update has its slot
                with self.subTest(dtype=dtype, overwrite=overwrite):
                    assert_same_bits(grads[0], x_grad)
                    assert_same_bits(grads[1], updates_grad)

    def test_pir_program(self):
        for dtype, overwrite in both():
            arrays = make_arrays(dtype)
            for known in (True, False):
                with self.subTest(dtype=dtype, known=known):
                    out = run_static(
                        plain_scatter(overwrite), arrays, known_dims=known
                    )
                    self.check(out, arrays, overwrite, dtype)

    def test_to_static(self):
        for dtype, overwrite in both():
            arrays = make_arrays(dtype)
            if dtype == 'bfloat16':
                continue  # run_to_static takes the bits for integers
            with self.subTest(dtype=dtype, overwrite=overwrite):
                out = run_to_static(plain_scatter(overwrite), arrays, True)
                self.check(out, arrays, overwrite, dtype)

    def test_saved_loaded_and_predicted(self):
        for dtype, overwrite in (
            ('float16', True),
            ('bool', False),
            ('complex64', True),
        ):
            arrays = make_arrays(dtype)
            with saved_function(plain_scatter(overwrite), arrays) as prefix:
                with self.subTest(dtype=dtype):
                    out = run_saved(prefix, arrays)
                    self.check(out, arrays, overwrite, dtype)
                    if dtype == 'complex64':
                        continue  # a predictor has no complex inputs
                    for optimize in (True, False):
                        out = run_predictor(prefix, arrays, optimize)
                        self.check(out, arrays, overwrite, dtype)

    def test_distributed_tensors(self):
        mesh = dist.ProcessMesh([0], dim_names=['x'])
        placements = [dist.Shard(1)], [dist.Replicate()], [dist.Shard(1)]
        for dtype, overwrite in both():
            arrays = make_arrays(dtype)
            tensors = [
                dist.shard_tensor(to_paddle(array), mesh, placement)
                for array, placement in zip(arrays.values(), placements)
            ]
            out = paddle.scatter(*tensors, overwrite)
            with self.subTest(dtype=dtype, overwrite=overwrite):
                self.assertEqual(out.placements, [dist.Shard(1)])
                self.check(out._local_value(), arrays, overwrite, dtype)

    def test_auto_cast(self):
        # which on a CPU casts nothing, neither here nor for any operator
        for dtype, overwrite in itertools.product(
            ('float16', 'bfloat16'), (True, False)
        ):
            arrays = make_arrays(dtype)
            for level in ('O1', 'O2'):
                with paddle.amp.auto_cast(dtype=dtype, level=level):
                    out = plain_scatter(overwrite)(
                        *map(to_paddle, arrays.values())
                    )
                with self.subTest(dtype=dtype, level=level):
                    self.check(out, arrays, overwrite, dtype)

    def test_checks_for_nan_and_infinity(self):
        flag = 'FLAGS_check_nan_inf'
        paddle.set_flags({flag: 1})
        try:
            self.test_dygraph()
            for dtype in ('float32', 'float16'):
                x = to_paddle(np.zeros((4, 3), dtype))
                bad = to_paddle(np.full((4, 3), np.nan, dtype))
                with self.assertRaisesRegex(RuntimeError, 'scatter'):
                    paddle.scatter(x, to_paddle(INDEX), bad)
        finally:
            paddle.set_flags({flag: 0})


class TestScatterLegacy(unittest.TestCase):
    """Old static graphs, which a flag read at import chooses."""

    def test_old_programs(self):
        code = '''
import sys, unittest
import paddle
if paddle.framework.use_pir_api():
    raise SystemExit('the flag had no effect')
suite = unittest.defaultTestLoader.loadTestsFromNames([
    'test_scatter_takeover.TestScatterOfNewDtypes.test_pir_program',
    'test_scatter_takeover.InLegacyPrograms',
])
result = unittest.TextTestRunner(sys.stdout).run(suite)
if result.testsRun < 2 or not result.wasSuccessful():
    raise SystemExit(1)
'''
        assert_python_succeeds(code, FLAGS_enable_pir_api='0')


class InLegacyPrograms(unittest.TestCase):
    def setUp(self):
        if paddle.framework.use_pir_api():
            self.skipTest('for old programs only')

    def gradients(self, arrays, overwrite, into):
        """Those of an operator scatter_grad whose X@GRAD is the variable `into`."""
        with static_mode():
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                data = {
                    name: paddle.static.data(name, array.shape, array.dtype)
                    for name, array in arrays.items()
                }
                out_grad = data['x'] * 1
                block = program.global_block()
                grads = [
                    block.create_var(name=name, shape=(4, 3), dtype='float64')
                    for name in ('x_grad', 'updates_grad')
                ]
                if into == 'out_grad':
                    grads[0] = out_grad
                # Python knows no gradient operators, the program's text does
                op = block.desc.append_op()
                op.set_type('scatter_grad')
                op.set_input('Ids', [data['index'].name])
                op.set_input('Updates', [data['updates'].name])
                op.set_input('Out@GRAD', [out_grad.name])
                op.set_output('X@GRAD', [grads[0].name])
                op.set_output('Updates@GRAD', [grads[1].name])
                op._set_bool_attr('overwrite', overwrite)
                block._sync_with_cpp()
            return paddle.static.Executor().run(
                program, feed=arrays, fetch_list=grads
            )

    def test_gradient_in_the_memory_of_out_grad(self):
        arrays = make_arrays('float64')
        for overwrite in (True, False):
            wanted = self.gradients(arrays, overwrite, 'x_grad')
            rows = arrays['x'][INDEX]
            if overwrite:
                rows[0] = 0  # the third update has its slot
            assert_same_bits(wanted[1], rows)
            found = self.gradients(arrays, overwrite, 'out_grad')
            for array, expected_array in zip(found, wanted):
                assert_same_bits(array, expected_array)


if __name__ == '__main__':
    unittest.main()
