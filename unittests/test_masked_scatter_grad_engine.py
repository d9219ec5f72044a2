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
"""How paddle.masked_scatter takes part in autograd."""

import gc
import unittest
import weakref

import numpy as np
from scatter_graph_utils import assert_python_succeeds

import paddle

MASK = [True, False, True, False]

PREPARE = '''
import paddle
x, value = paddle.zeros([3]), paddle.ones([2])
mask = paddle.to_tensor([True, False, True])
x.stop_gradient = value.stop_gradient = False
'''


def leaf(values, stop_gradient=False):
    tensor = paddle.to_tensor(values, 'float32')
    tensor.stop_gradient = stop_gradient
    return tensor


class TestMaskedScatterAutograd(unittest.TestCase):
    def setUp(self):
        self.x = leaf([1.0, 2.0, 3.0, 4.0])
        self.mask = paddle.to_tensor(MASK)
        self.value = leaf([5.0, 6.0, 7.0])

    def run_op(self):
        return paddle.masked_scatter(self.x, self.mask, self.value)

    def test_stop_gradient_of_the_result(self):
        for stop_x in (True, False):
            for stop_value in (True, False):
                self.x.stop_gradient = stop_x
                self.value.stop_gradient = stop_value
                with self.subTest(x=stop_x, value=stop_value):
                    out = self.run_op()
                    self.assertEqual(out.stop_gradient, stop_x and stop_value)
                    self.assertEqual(out.tolist(), [5.0, 2.0, 6.0, 4.0])

    def test_only_x_wants_a_gradient(self):
        self.value.stop_gradient = True
        self.run_op().sum().backward()
        self.assertEqual(self.x.grad.tolist(), [0.0, 1.0, 0.0, 1.0])
        self.assertIsNone(self.value.grad)

    def test_only_value_wants_a_gradient(self):
        self.x.stop_gradient = True
        self.run_op().sum().backward()
        self.assertEqual(self.value.grad.tolist(), [1.0, 1.0, 0.0])
        self.assertIsNone(self.x.grad)

    def test_no_grad_leaves_no_graph(self):
        with paddle.no_grad():
            out = self.run_op()
        self.assertTrue(out.stop_gradient)
        self.assertIsNone(out.grad_fn)
        self.assertEqual(out.tolist(), [5.0, 2.0, 6.0, 4.0])

    def test_no_grad_as_a_decorator_and_set_grad_enabled(self):
        self.assertTrue(paddle.no_grad()(self.run_op)().stop_gradient)
        with paddle.set_grad_enabled(False):
            self.assertTrue(self.run_op().stop_gradient)
            with paddle.enable_grad():
                self.assertFalse(self.run_op().stop_gradient)

    def test_mask_gets_no_gradient(self):
        self.run_op().sum().backward()
        self.assertIsNone(self.mask.grad)
        self.assertTrue(self.mask.stop_gradient)

    def test_gradients_of_two_uses_add_up(self):
        other = paddle.to_tensor([False, False, True, True])
        out = self.run_op() + 10 * paddle.masked_scatter(
            self.x, other, self.value
        )
        out.sum().backward()
        self.assertEqual(self.x.grad.tolist(), [10.0, 11.0, 0.0, 1.0])
        self.assertEqual(self.value.grad.tolist(), [11.0, 11.0, 0.0])

    def test_gradients_of_two_backwards_add_up(self):
        self.run_op().sum().backward()
        self.run_op().sum().backward()
        self.assertEqual(self.x.grad.tolist(), [0.0, 2.0, 0.0, 2.0])
        self.assertEqual(self.value.grad.tolist(), [2.0, 2.0, 0.0])

    def test_x_as_its_own_value(self):
        out = paddle.masked_scatter(self.x, self.mask, self.x)
        out.backward(leaf([1.0, 10.0, 100.0, 1000.0]))
        self.assertEqual(out.tolist(), [1.0, 2.0, 2.0, 4.0])
        self.assertEqual(self.x.grad.tolist(), [1.0, 110.0, 0.0, 1000.0])

    def test_chain_of_calls(self):
        out = self.x * 2
        for _ in range(3):
            out = paddle.masked_scatter(out, self.mask, self.value * out[:3])
        out.sum().backward()
        self.assertEqual(out.shape, [4])
        self.assertEqual(self.x.grad[3].item(), 2.0)

    def test_hooks_see_and_change_the_gradients(self):
        seen = []
        self.x.register_hook(lambda grad: seen.append(grad.tolist()))
        self.value.register_hook(lambda grad: grad * 3)
        out = self.run_op()
        out.register_hook(lambda grad: grad * 2)
        out.sum().backward()
        self.assertEqual(seen, [[0.0, 2.0, 0.0, 2.0]])
        self.assertEqual(self.value.grad.tolist(), [6.0, 6.0, 0.0])

    def test_gradient_of_a_result_that_is_kept(self):
        out = self.run_op()
        out.retain_grads()
        (out * 4).sum().backward()
        self.assertEqual(out.grad.tolist(), [4.0] * 4)

    def test_paddle_grad_many_times_over_one_graph(self):
        loss = self.run_op().sum()
        for _ in range(3):
            (grad,) = paddle.grad(loss, [self.value], retain_graph=True)
            self.assertEqual(grad.tolist(), [1.0, 1.0, 0.0])

    def test_kept_graph_runs_backward_again(self):
        # in a process of its own: a fault of the autograd engine kills it
        assert_python_succeeds(
            PREPARE
            + '''
loss = paddle.masked_scatter(x, mask, value).sum()
for _ in range(3):
    loss.backward(retain_graph=True)
if x.grad.tolist() != [0.0, 3.0, 0.0] or value.grad.tolist() != [3.0, 3.0]:
    raise SystemExit(f'{x.grad} {value.grad}')
'''
        )

    def test_backward_twice_is_an_error_unless_the_graph_is_kept(self):
        for root in ('out.sum()', 'out'):
            with self.subTest(root=root):
                assert_python_succeeds(
                    PREPARE
                    + f'''
out = paddle.masked_scatter(x, mask, value)
root = {root}
root.backward(paddle.ones_like(root))
try:
    root.backward(paddle.ones_like(root))
except (RuntimeError, SystemError) as error:
    if 'retain_graph' not in str(error):
        raise
else:
    raise SystemExit('the second backward raised nothing')
'''
                )

    def test_paddle_grad_of_an_unused_input(self):
        unused = leaf([1.0])
        out = self.run_op()
        grads = paddle.grad([out], [self.x, unused], allow_unused=True)
        self.assertEqual(grads[0].tolist(), [0.0, 1.0, 0.0, 1.0])
        self.assertIsNone(grads[1])

    def test_non_leaf_inputs(self):
        out = paddle.masked_scatter(
            self.x * 3, self.mask, self.value.reshape([3, 1]) * 5
        )
        out.sum().backward()
        self.assertEqual(self.x.grad.tolist(), [0.0, 3.0, 0.0, 3.0])
        self.assertEqual(self.value.grad.tolist(), [5.0, 5.0, 0.0])

    def test_changed_mask_is_an_error_in_backward(self):
        out = self.run_op()
        self.mask.fill_(False)
        with self.assertRaisesRegex(RuntimeError, 'tensor_version'):
            out.sum().backward()

    def test_changed_x_and_value_are_none_of_backwards_business(self):
        x, value = self.x * 1, self.value * 1
        out = paddle.masked_scatter(x, self.mask, value)
        x.detach().fill_(0.0)
        value.detach().fill_(0.0)
        out.sum().backward()
        self.assertEqual(self.x.grad.tolist(), [0.0, 1.0, 0.0, 1.0])
        self.assertEqual(self.value.grad.tolist(), [1.0, 1.0, 0.0])

    def test_graph_frees_its_tensors(self):
        class Marker:
            pass

        marker = Marker()
        self.mask.marker = marker
        gone = weakref.ref(marker)
        out = self.run_op()
        self.mask = None
        del marker
        out.sum().backward()
        del out
        gc.collect()
        self.assertIsNone(gone())

    def test_gradients_inside_a_training_step(self):
        layer = paddle.nn.Linear(4, 4)
        adam = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
        before = layer.weight.numpy()
        out = paddle.masked_scatter(layer(self.x), self.mask, self.value)
        out.sum().backward()
        adam.step()
        changed = np.flatnonzero((layer.weight.numpy() != before).any(axis=0))
        self.assertEqual(changed.tolist(), [1, 3])

    def test_recompute_gives_the_same_gradients(self):
        from paddle.distributed.fleet.utils import recompute

        out = recompute(paddle.masked_scatter, self.x, self.mask, self.value)
        out.sum().backward()
        self.assertEqual(self.x.grad.tolist(), [0.0, 1.0, 0.0, 1.0])
        self.assertEqual(self.value.grad.tolist(), [1.0, 1.0, 0.0])

    def test_inside_a_py_layer(self):
        class Twice(paddle.autograd.PyLayer):
            @staticmethod
            def forward(ctx, x, mask, value):
                ctx.save_for_backward(mask)
                return paddle.masked_scatter(x, mask, value) * 2

            @staticmethod
            def backward(ctx, grad):
                (mask,) = ctx.saved_tensor()
                zeros = paddle.zeros_like(grad)
                return paddle.masked_scatter(grad, mask, zeros) * 2, None, None

        self.value.stop_gradient = True
        Twice.apply(self.x, self.mask, self.value).sum().backward()
        self.assertEqual(self.x.grad.tolist(), [0.0, 2.0, 0.0, 2.0])


if __name__ == '__main__':
    unittest.main()
