"""The scatter operators in dygraph, next to operators that Paddle generates.

The expectation of each scenario is what happens to one of Paddle's own.
"""

import unittest
import warnings

import as_stock_scenarios as scenarios
from as_stock_scenarios import Op

import paddle


def mask():
    return paddle.to_tensor([[True, False, True]] * 3)


def index():
    return paddle.to_tensor([2, 0, 1])


def scatter(reduce, function=paddle.scatter):
    return lambda x, part, saved: function(
        x, saved, part, overwrite=False, axis=0, reduce=reduce
    )


STOCK = Op('where', lambda x, p, saved: paddle.where(saved, x, p), mask)
OPS = {
    'masked_scatter': Op(
        'masked_scatter', lambda x, p, saved: paddle.masked_scatter(x, saved, p), mask
    ),
    'masked_fill': Op(
        'masked_fill', lambda x, p, saved: paddle.masked_fill(x, saved, p[0, 0]), mask
    ),
    'select_scatter': Op(
        'select_scatter', lambda x, p, saved: paddle.select_scatter(x, p[0], 0, 1)
    ),
    'diagonal_scatter': Op(
        'diagonal_scatter', lambda x, p, saved: paddle.diagonal_scatter(x, p[0])
    ),
    'scatter of a mean': Op('index_scatter', scatter('mean'), index),
    'scatter of amax': Op('index_reduce', scatter('amax'), index),
}  # fmt: skip
STOCK_INPLACE = Op(
    'index_add_', lambda x, p, saved: paddle.index_add_(x, saved, 0, p), index, True
)  # fmt: skip
OPS_INPLACE = {
    'masked_scatter_': Op(
        'masked_scatter_', lambda x, p, saved: paddle.masked_scatter_(x, saved, p),
        mask, True,
    ),
    'masked_fill_': Op(
        'masked_fill_', lambda x, p, saved: paddle.masked_fill_(x, saved, p[0, 0]),
        mask, True,
    ),
    'scatter_ of a mean': Op(
        'index_scatter_', scatter('mean', paddle.scatter_), index, True
    ),
    'scatter_ of amax': Op(
        'index_reduce_', scatter('amax', paddle.scatter_), index, True
    ),
}  # fmt: skip

ANY = [
    scenarios.gradients_may_be_computed_with,
    scenarios.stop_gradient_of_each,
    scenarios.recomputed,
    scenarios.in_a_forked_process,
    scenarios.nan_check,
    scenarios.profiled,
    scenarios.counted,
    scenarios.reported_by_benchmark,
]
INPLACE = [
    scenarios.of_a_tensor_in_place,
    scenarios.of_a_strided_tensor_in_place,
]


class TestScatterOpsAsStock(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        warnings.simplefilter('ignore')

    def compare(self, scenario, stock, ops):
        expected = scenario(stock)
        for name, op in ops.items():
            with self.subTest(scenario=scenario.__name__, op=name):
                self.assertEqual(scenario(op), expected)

    def test_any_call(self):
        for scenario in [*ANY, scenarios.auto_cast_by_force]:
            self.compare(scenario, STOCK, OPS)

    def test_any_call_in_place(self):
        for scenario in ANY + INPLACE:
            self.compare(scenario, STOCK_INPLACE, OPS_INPLACE)

    def test_change_of_a_saved_tensor(self):
        ops = {**OPS, **OPS_INPLACE}
        reading = {
            name: op for name, op in ops.items() if op.saved() is not None
        }
        self.compare(scenarios.change_of_a_saved_tensor, STOCK, reading)

    def test_auto_cast_of_mixed_dtypes(self):
        self.compare(scenarios.auto_cast_of_mixed_dtypes, STOCK, OPS)

    def test_auto_cast_leaves_in_place_calls_alone(self):
        # the one of Paddle's in-place operators with a bfloat16 kernel on the
        # CPU and two floating inputs
        stock = Op(
            'index_put_',
            lambda x, p, saved: paddle.index_put_(x, (saved,), p),
            index,
            True,
        )
        ops = dict(OPS_INPLACE)
        del ops['masked_fill_']  # auto_cast casts its value when it is picked
        self.compare(scenarios.of_half_precision_in_place, stock, ops)


if __name__ == '__main__':
    unittest.main()
