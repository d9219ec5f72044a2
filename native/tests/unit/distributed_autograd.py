"""In-place calls, backward passes, errors and costs of distributed Tensors.
test_distributed_ranks.py runs them on two ranks."""

import gc
import unittest

import numpy as np
from distributed_utils import LINE, floats, gather, mask_of, shard

import paddle
import paddle.distributed as dist
from paddle.base import core
from paddle.distributed import Replicate, Shard

R, ROWS = Replicate(), Shard(0)
X, MASK, VALUE = floats(4, 2), mask_of(4, 2), floats(8, seed=1)
IS_USED = np.arange(8) < MASK.sum()  # the elements of VALUE that are copied


def call(layout=ROWS, value_grad=True):
    """Return x, value and the result of masked_scatter."""
    x = shard(X, layout, grad=True)
    value = shard(VALUE, R, grad=value_grad)
    return x, value, paddle.masked_scatter(x, shard(MASK, layout), value)


class TestInplace(unittest.TestCase):
    def check(self, function, x_array, others, layout):
        """Compare an in-place call on x + 1 with the dense call."""
        results = []
        for is_dist in (False, True):
            tensors = [
                shard(array, place, grad=grad)
                if is_dist
                else paddle.to_tensor(array, stop_gradient=not grad)
                for array, place, grad in [(x_array, layout, True), *others]
            ]
            y = tensors[0] + 1
            out = function(y, *tensors[1:])
            self.assertIs(out, y)
            if is_dist:
                self.assertEqual(list(y.placements), [layout])
            (y * y).sum().backward()
            results.append([y, tensors[0].grad, tensors[-1].grad])
        for dense, parts in zip(*results):
            np.testing.assert_allclose(gather(parts), dense.numpy(), rtol=1e-6)

    def test_masked(self):
        for layout in (R, Shard(0), Shard(1)):
            with self.subTest(layout=layout):
                mask, one = (MASK, layout, False), (np.float32(2), R, True)
                values = (VALUE, R, True)
                self.check(paddle.masked_scatter_, X, [mask, values], layout)
                self.check(paddle.masked_fill_, X, [mask, one], layout)

    def test_scatter(self):
        index = (np.array([0, 1, 0, 2]), R, False)
        for reduce in ('add', 'mean', 'mul', 'amax'):
            with self.subTest(reduce=reduce):
                updates = (floats(4, 2, seed=2), Shard(1), True)

                def scatter(x, *others, reduce=reduce):
                    return paddle.scatter_(x, *others, False, 0, reduce, True)

                self.check(scatter, X, [index, updates], Shard(1))

    def test_without_gradient(self):
        x = shard(X, Shard(0), grad=True)
        with paddle.no_grad():
            paddle.masked_scatter_(x, shard(MASK, R), shard(VALUE, R))
        self.assertFalse(x.stop_gradient)
        self.assertTrue(x.is_leaf)
        expected = paddle.masked_scatter(
            *[paddle.to_tensor(a) for a in (X, MASK, VALUE)]
        )
        np.testing.assert_array_equal(gather(x), expected.numpy())

    def test_leaf_raises(self):
        x = shard(X, Shard(0), grad=True)
        with self.assertRaisesRegex(ValueError, "can't use inplace"):
            paddle.masked_scatter_(x, shard(MASK, R), shard(VALUE, R))


class TestBackward(unittest.TestCase):
    def test_hook_changes_the_gradient(self):
        x, _, out = call()
        calls = []
        out.register_hook(lambda grad: calls.append(grad) or grad * 3)
        out.sum().backward()
        self.assertEqual(len(calls), 1)
        np.testing.assert_array_equal(gather(x.grad), 3.0 * ~MASK)

    def test_second_backward_needs_retain_graph(self):
        x, _, out = call()
        total = out.sum()
        total.backward(retain_graph=True)
        total.backward()
        np.testing.assert_array_equal(gather(x.grad), 2.0 * ~MASK)
        with self.assertRaises(SystemError):
            total.backward()
        with self.assertRaisesRegex(SystemError, 'retain_graph=True'):
            out.backward(paddle.ones_like(out))

    def test_grad_of_one_input(self):
        x, value, out = call()
        total = out.sum()
        (value_grad,) = paddle.grad(total, [value], retain_graph=True)
        (x_grad,) = paddle.grad(total, [x])
        np.testing.assert_array_equal(gather(value_grad), IS_USED)
        np.testing.assert_array_equal(gather(x_grad), ~MASK)

    def test_stop_gradient(self):
        _, value, out = call(value_grad=False)
        out.sum().backward()
        self.assertIsNone(value.grad)
        with paddle.no_grad():
            self.assertTrue(call()[2].stop_gradient)

    def test_second_order(self):
        x, _, out = call(value_grad=False)
        weight = shard(X, ROWS, grad=True)
        (grad,) = paddle.grad((out * weight).sum(), [x], create_graph=True)
        (second,) = paddle.grad(grad.sum(), [weight], create_graph=True)
        np.testing.assert_array_equal(gather(second), ~MASK)
        x = shard(X, R, grad=True)
        index, updates = shard(np.array([0]), R), shard(X[:1], R)
        out = paddle.scatter(x, index, updates, False, 0, 'mul', True)
        message = "index_reduce_grad doesn't have any grad op"
        with self.assertRaisesRegex(RuntimeError, message):
            paddle.grad(out.sum(), [x], create_graph=True)

    def test_mask_modified_in_place_raises(self):
        x, mask = shard(X, ROWS, grad=True), shard(MASK, ROWS)
        out = paddle.masked_scatter(x, mask, shard(VALUE, R))
        mask.fill_(True)
        with self.assertRaisesRegex(RuntimeError, 'mask was modified in place'):
            out.sum().backward()

    def test_graph_is_freed(self):
        from paddle._native_dist_plans import Plan

        def count_plans():
            gc.collect()
            return sum(isinstance(item, Plan) for item in gc.get_objects())

        before = count_plans()
        for _ in range(3):
            x, value, out = call()
            paddle.masked_scatter_(out, shard(MASK, ROWS), value)
            del x
            gc.collect()  # inputs may be freed before backward
            out.sum().backward()
        del value, out
        self.assertEqual(count_plans(), before)


class TestMixedInputs(unittest.TestCase):
    def test_dense_inputs_become_replicated(self):
        for dist_at in range(3):
            with self.subTest(dist_at=dist_at):
                arrays = [X, MASK, VALUE]
                tensors = [paddle.to_tensor(array) for array in arrays]
                tensors[dist_at] = shard(arrays[dist_at], Shard(0))
                out = paddle.masked_scatter(*tensors)
                self.assertTrue(all(t.is_dist() for t in tensors))
                expected = paddle.masked_scatter(*map(paddle.to_tensor, arrays))
                np.testing.assert_array_equal(gather(out), expected.numpy())

    def test_dense_value_with_gradient(self):
        value = paddle.to_tensor(VALUE, stop_gradient=False)
        x, mask = shard(X, Shard(0)), shard(MASK, Shard(0))
        paddle.masked_scatter(x, mask, value * 2).sum().backward()
        np.testing.assert_array_equal(gather(value.grad), 2.0 * IS_USED)


class TestErrors(unittest.TestCase):
    """All ranks raise, so that none waits for the others."""

    def test_too_few_values(self):
        few = shard(VALUE[:2], R)
        message = f'mask, {MASK.sum()}, but received 2'
        for layout in (R, Shard(0), Shard(1)):
            for function in (paddle.masked_scatter, paddle.masked_scatter_):
                with self.assertRaisesRegex(AssertionError, message):
                    function(shard(X, layout), shard(MASK, layout), few)
        row_mask = shard(np.ones([2], 'bool'), R)
        with self.assertRaisesRegex(AssertionError, r'mask, 8, but'):
            paddle.masked_scatter(shard(X, Shard(0)), row_mask, few)

    def test_shapes_and_indices(self):
        x = shard(X, Shard(0))
        with self.assertRaisesRegex(ValueError, 'broadcast'):
            paddle.masked_scatter(x, shard(MASK[:3], R), shard(VALUE, R))
        with self.assertRaisesRegex(IndexError, 'index should be in'):
            paddle.select_scatter(x, shard(X[0], R), 0, 7)
        with self.assertRaisesRegex(IndexError, 'values of index should be in'):
            x, index = shard(X, Shard(1)), shard(np.array([9]), R)
            paddle.scatter(x, index, shard(X[:1], R), False, 0, 'mul')

    def test_different_meshes(self):
        other = dist.ProcessMesh([1, 0], dim_names=['x'])
        mask = shard(MASK, R, mesh=other)
        with self.assertRaisesRegex(ValueError, 'reshard'):
            paddle.masked_scatter(shard(X, Shard(0)), mask, shard(VALUE, R))

    def test_rank_outside_the_mesh(self):
        first = dist.ProcessMesh([0], dim_names=['x'])
        tensors = [shard(a, R, mesh=first) for a in (X, MASK, VALUE)]
        if dist.get_rank() in LINE.process_ids[:1]:
            self.assertEqual(paddle.masked_scatter(*tensors).shape, [4, 2])
        else:
            with self.assertRaisesRegex(NotImplementedError, 'rank 1'):
                paddle.masked_scatter(*tensors)


HEIGHT, WIDTH = 8192, 4096
MIB = 2**20


def large_operands():
    """Return x, mask and a replicated value; every other element is True."""
    mask = (np.arange(WIDTH) % 2 == 0) & np.ones([HEIGHT, 1], 'bool')
    size = HEIGHT * WIDTH // 2
    return (
        shard(np.zeros([HEIGHT, WIDTH], 'float32'), Shard(0)),
        shard(mask, Shard(0)),
        shard(np.ones([size], 'float32'), Replicate()),
    )


class TrafficCounter:
    """Counts the bytes that this rank passes to dist.reshard."""

    def __enter__(self):
        self.bytes, self.reshard = 0, dist.reshard
        dist.reshard = self.count
        return self

    def count(self, tensor, *args):
        local = tensor._local_value()
        self.bytes += local.size * local.element_size()
        return self.reshard(tensor, *args)

    def __exit__(self, *error):
        dist.reshard = self.reshard


class TestCosts(unittest.TestCase):
    """Traffic and allocations for a sharded x of 128 MiB."""

    def test_forward(self):
        tensors = large_operands()
        paddle.masked_scatter(*tensors)  # warm-up
        core.host_memory_stat_reset_peak_value('Allocated', 0)
        before = core.host_memory_stat_current_value('Allocated', 0)
        with TrafficCounter() as sent:
            out = paddle.masked_scatter(*tensors)
        peak = core.host_memory_stat_peak_value('Allocated', 0)
        self.assertEqual(sent.bytes, 8)
        out_bytes = out._local_value().size * out.element_size()
        print(
            f'{dist.get_world_size()} ranks: sent {sent.bytes} bytes, before '
            f'{before / MIB:.2f} MiB, result {out_bytes / MIB:.2f} MiB, '
            f'peak {peak / MIB:.2f} MiB'
        )
        self.assertLess(peak - before - out_bytes, MIB)

    def test_broadcast_mask(self):
        x, _, value = large_operands()
        row = paddle.arange(WIDTH) % 2 == 0
        with TrafficCounter() as sent:
            paddle.masked_scatter(x, row, value)
        self.assertEqual(sent.bytes, 8)

    def test_masked_fill_sends_nothing(self):
        x, mask, _ = large_operands()
        with TrafficCounter() as sent:
            out = paddle.masked_fill(x, mask, 2.0)
        self.assertEqual(sent.bytes, 0)
        self.assertEqual(list(out.placements), [Shard(0)])

    def test_backward(self):
        x, mask, value = large_operands()
        x.stop_gradient = value.stop_gradient = False
        out = paddle.masked_scatter(x, mask, value)
        with TrafficCounter() as sent:
            out.backward(paddle.ones_like(out))
        # Only the gradient of value is summed over the ranks.
        self.assertEqual(sent.bytes, value.size * value.element_size())
