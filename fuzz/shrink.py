"""Makes a failing case smaller as long as it fails in the same way."""

import time


def kind(problem):
    """What fails, without the numbers: 'result', 'gradient of x', ..."""
    return problem.split(':')[0]


def _simpler_fields(case):
    plain = {
        'guard': '',
        'layouts': {},
        'threads': 1,
        'method': False,
        'inplace': False,
        'known_dims': True,
        'values': 'finite',
    }
    for name, value in plain.items():
        if getattr(case, name) != value:
            yield case.changed(**{name: value})
    for name in case.layouts:
        rest = {k: v for k, v in case.layouts.items() if k != name}
        yield case.changed(layouts=rest)


def _with_dim(case, from_right, old, new):
    """The case with a dim of another size in each shape that has it."""

    def cut(shape):
        at = len(shape) - 1 - from_right
        fits = at >= 0 and shape[at] == old
        return [*shape[:at], new, *shape[at + 1 :]] if fits else shape

    attrs = dict(case.attrs)
    for name in ('mask', 'value'):
        if isinstance(attrs.get(name), list):
            attrs[name] = cut(attrs[name])
    return case.changed(shape=cut(case.shape), attrs=attrs)


def _smaller_shapes(case):
    shapes = [case.shape, case.attrs.get('mask', []), case.attrs.get('value')]
    for shape in filter(None, shapes):
        for from_right, old in enumerate(reversed(shape)):
            for new in sorted({1, 2, old // 2, old - 1}):
                if 0 < new < old:
                    yield _with_dim(case, from_right, old, new)


def _smaller_attrs(case):
    zeros = ('index', 'offset', 'axis', 'spare', 'extra')
    for name in zeros:
        if case.attrs.get(name):
            yield case.changed(attrs={**case.attrs, name: 0})
    n = case.attrs.get('n') or 0
    for new in sorted({1, 2, n // 2, n - 1}):
        if 0 < new < n:
            yield case.changed(attrs={**case.attrs, 'n': new})


def _candidates(case):
    yield from _smaller_shapes(case)
    yield from _smaller_attrs(case)
    yield from _simpler_fields(case)


def shrink(case, problem, run, seconds=3):
    """(a smaller case, its problem); `run` gives the problems of a case."""
    end = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for smaller in _candidates(case):
            if time.monotonic() > end:
                break
            problems = run(smaller) or ()
            alike = [p for p in problems if kind(p) == kind(problem)]
            if alike:
                case, problem, found = smaller, alike[0], True
                break
    return case, problem
