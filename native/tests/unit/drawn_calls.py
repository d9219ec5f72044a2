"""Random calls of fuzz for other tests."""

import itertools

from fuzz.draw import TENSORS, draw

import paddle

SEED = 31


def draw_cases(api, count, is_suitable):
    """Return the first suitable cases of an API."""
    cases = (draw(SEED, number, api) for number in itertools.count())
    return itertools.islice(filter(is_suitable, cases), count)


def describe(case):
    """Return the arguments of subTest."""
    shapes = {name: array.shape for name, array in case.arrays.items()}
    return {'seed': case.seed, 'dtype': case.dtype, **shapes, **case.options}


def bind(case):
    """Return the API as a function of a list of Tensors."""
    function, options = getattr(paddle, case.api), case.options

    def call(tensors):
        return function(*tensors, **options)

    return call


def call_with_gradients(case, tensors, out_grad, gradients):
    """Return the result and the gradients of case.wrt, in dygraph or a program."""
    out = bind(case)(tensors)
    names = [name for name in TENSORS[case.api] if name in case.arrays]
    wrt = [tensors[names.index(name)] for name in case.wrt]
    return [out, *(gradients([out], wrt, [out_grad]) if wrt else [])]
