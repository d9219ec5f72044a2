"""Random calls of fuzz as the tables of further tests."""

import itertools

from fuzz.draw import TENSORS, draw

import paddle

SEED = 31


def drawn_cases(api, count, suits=lambda case: True):
    """The first cases of an API that suit."""
    cases = (draw(SEED, number, api) for number in itertools.count())
    return itertools.islice(filter(suits, cases), count)


def described(case):
    """Arguments of subTest."""
    shapes = {name: array.shape for name, array in case.arrays.items()}
    return {'seed': case.seed, 'dtype': case.dtype, **shapes, **case.options}


def bound(case):
    """The API as a function of a list of Tensors."""
    function, options = getattr(paddle, case.api), case.options

    def call(tensors):
        return function(*tensors, **options)

    return call


def call_with_gradients(case, tensors, out_grad, gradients):
    """The result and the gradients of case.wrt, in dygraph and in programs."""
    out = bound(case)(tensors)
    names = [name for name in TENSORS[case.api] if name in case.arrays]
    wrt = [tensors[names.index(name)] for name in case.wrt]
    return [out, *(gradients([out], wrt, [out_grad]) if wrt else [])]
