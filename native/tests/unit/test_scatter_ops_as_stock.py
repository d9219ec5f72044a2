"""The scatter operators behave in dygraph like operators that Paddle generates.

Each scenario must return the same for a new operator and one of Paddle's own.
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
    scenarios.stop_gradient_of_gradients,
    scenarios.propagate_stop_gradient,
    scenarios.recompute_gradients,
    scenarios.run_in_forked_process,
    scenarios.check_nan_inf,
    scenarios.profile_events,
    scenarios.count_calls,
    scenarios.report_benchmark,
]
INPLACE = [
    scenarios.modify_in_place,
    scenarios.modify_strided_in_place,
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
        for scenario in [*ANY, scenarios.auto_cast_dtypes]:
            self.compare(scenario, STOCK, OPS)

    def test_any_call_in_place(self):
        for scenario in ANY + INPLACE:
            self.compare(scenario, STOCK_INPLACE, OPS_INPLACE)

    def test_modified_saved_tensor(self):
        ops = {**OPS, **OPS_INPLACE}
        reading = {
            name: op for name, op in ops.items() if op.saved() is not None
        }
        self.compare(scenarios.modify_saved_tensor, STOCK, reading)

    def test_auto_cast_of_mixed_dtypes(self):
        self.compare(scenarios.auto_cast_mixed_dtypes, STOCK, OPS)

    def test_auto_cast_ignores_in_place_calls(self):
        # Paddle's only in-place operator with a bfloat16 CPU kernel and two
        # floating-point inputs.
        stock = Op(
            'index_put_',
            lambda x, p, saved: paddle.index_put_(x, (saved,), p),
            index,
            True,
        )
        ops = dict(OPS_INPLACE)
        del ops['masked_fill_']  # auto_cast casts the element p[0, 0]
        self.compare(scenarios.modify_half_in_place, stock, ops)


if __name__ == '__main__':
    unittest.main()
