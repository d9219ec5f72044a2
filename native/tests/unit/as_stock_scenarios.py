"""What a user can do with an operator besides calling it.

A scenario takes an Op, and returns what happened in a form that is the same
for any operator: kinds of errors, flags and whether numbers agree.
"""

import os
import threading

from as_stock_ops import agree, gradients, leaf, operands, outcome

import paddle
from paddle.autograd import PyLayer


def backward_twice(op):
    x, part, base = operands(op)
    y = op.run(base, part)

    def once(retain_graph):
        return [
            t.numpy()
            for t in paddle.grad([y], [x, part], retain_graph=retain_graph)
        ]

    first = once(True)
    same = agree(once(True), first)
    y.sum().backward()
    # of Paddle's own operators, the error comes out as a SystemError
    error = outcome(lambda: y.sum().backward())
    return same, error in ('RuntimeError', 'SystemError')


def hook_on_result(op):
    doubled = gradients(op, lambda y: y.register_hook(lambda g: g * 2) and None)
    return agree(doubled, [2 * grad for grad in gradients(op)])


def gradients_may_be_computed_with(op):
    """Whether the gradients, and what hooks see of them, stop gradients."""
    x, part, base = operands(op)
    stops = []
    for tensor in (x, part):
        tensor.register_hook(lambda grad: stops.append(grad.stop_gradient))
    op.run(base, part).sum().backward()
    return [*stops, x.grad.stop_gradient, part.grad.stop_gradient]


def change_of_a_saved_tensor(op):
    kept = op.kept()
    x, part, base = operands(op)
    y = op.run(base, part, kept)
    kept.logical_not_() if kept.dtype == paddle.bool else kept.add_(kept)
    return outcome(lambda: y.sum().backward())


def stop_gradient_of_each(op):
    found = []
    for stops in ((True, True), (True, False), (False, True)):
        x, part, base = operands(op, *stops)
        y = op.run(base, part)
        if not y.stop_gradient:
            y.sum().backward()
        # Paddle's in-place operators give an x that stopped gradients the one
        # of its old values, as x.grad. Ours don't compute it.
        skipped = op.changes_x and stops[0]
        found.append(
            (y.stop_gradient, y.is_leaf, skipped or x.grad is None)
            + (part.grad is None,)
        )
    return found


def inside_pylayer(op):
    class Layer(PyLayer):
        @staticmethod
        def forward(ctx, x, part):
            return op.run(x * 1, part)

        @staticmethod
        def backward(ctx, grad):
            return grad * 3, grad * 5

    x, part, _ = operands(op)
    y = Layer.apply(x, part)
    y.sum().backward()
    return y.stop_gradient, x.grad.tolist(), part.grad.tolist()


def recomputed(op):
    from paddle.distributed.fleet.utils import recompute

    x, part, _ = operands(op)
    y = recompute(lambda x, part: op.run(x * 1, part), x, part)
    y.sum().backward()
    return agree([x.grad.numpy(), part.grad.numpy()], gradients(op))


def in_a_thread(op):
    found = []
    worker = threading.Thread(target=lambda: found.append(gradients(op)))
    worker.start()
    worker.join()
    return agree(found[0], gradients(op))


def in_a_forked_process(op):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        found = outcome(lambda: op.run(leaf(True), leaf(True)).sum().item())
        os.write(writer, repr(found).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(reader, 100).decode() == repr(
        op.run(leaf(True), leaf(True)).sum().item()
    )
