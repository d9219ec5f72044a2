"""masked_scatter and masked_fill: the same bits on any number of threads."""

import os

import numpy as np
import pytest
from masked_cases import kinds_of_masks
from masked_fill_cases import reference_masked_fill
from masked_scatter_cases import reference_masked_scatter
from scatter_test_utils import assert_same_bits, random_array, to_paddle

import paddle

ROWS, COLUMNS = 499, 1025
FULL = ROWS, COLUMNS
SCATTER = paddle.masked_scatter, reference_masked_scatter
FILL = paddle.masked_fill, reference_masked_fill
# ((function, reference), x shape, mask shape, value shape)
CALLS = (
    *(
        (SCATTER, x, mask, FULL)
        for x, mask in (
            (FULL, FULL),
            (FULL, (ROWS, 1)),
            (FULL, (COLUMNS,)),
            ((COLUMNS,), FULL),
            ((ROWS, 1), (COLUMNS,)),
            ((), FULL),
        )
    ),
    *(
        (FILL, x, mask, value)
        for x, mask, value in (
            (FULL, FULL, FULL),
            (FULL, FULL, (COLUMNS,)),
            (FULL, (ROWS, 1), (ROWS, 1)),
            ((COLUMNS,), FULL, ()),
            ((ROWS, 1), (COLUMNS,), (ROWS, 1)),
        )
    ),
)


@pytest.fixture
def set_threads():
    yield paddle.base.core.set_num_threads
    default = int(os.environ.get('OMP_NUM_THREADS', 1))
    paddle.base.core.set_num_threads(default)


def results(function, x, mask, value, out_grad):
    """The result, what the in-place form makes of x, and gradients."""
    mask = to_paddle(mask)
    x, value = (to_paddle(a, stop_gradient=False) for a in (x, value))
    out = function(x, mask, value)
    found = [out.numpy()]
    if out.shape == x.shape:
        inplace = getattr(paddle, function.__name__ + '_')
        found.append(inplace(x.detach().clone(), mask, value.detach()).numpy())
    if out_grad is not None:
        grads = paddle.grad([out], [x, value], [to_paddle(out_grad)])
        found += [grad.numpy() for grad in grads]
    return found


@pytest.mark.parametrize('dtype', ['int8', 'float16', 'complex128'])
@pytest.mark.parametrize('call', CALLS, ids=lambda call: str(call[1:]))
def test_bits_do_not_depend_on_the_threads(call, dtype, set_threads):
    (function, reference), *shapes = call
    rng = np.random.default_rng(16)
    x, value = (random_array(rng, shapes[i], dtype) for i in (0, 2))
    out_grad = None if dtype == 'int8' else random_array(rng, FULL, dtype)
    for kind, mask in kinds_of_masks(rng, shapes[1]):
        if kind not in ('half', 'runs', 'first half'):
            continue
        set_threads(1)
        expected = results(function, x, mask, value, out_grad)
        assert_same_bits(expected[0], reference(x, mask, value), kind)
        for threads in (2, 5):
            set_threads(threads)
            found = results(function, x, mask, value, out_grad)
            for got, wanted in zip(found, expected):
                assert_same_bits(got, wanted, f'{kind}, {threads} threads')
