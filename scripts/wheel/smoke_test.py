"""Check in a fresh process that the installed operators load and compute.

Compares the versions first: a module built against another Paddle would
crash instead of saying so.
"""

import argparse
import sys
import warnings
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.wheel.versions import BASE

ROOT = Path(__file__).resolve().parents[2]
# Paddle warns at import when there is no ccache, which says nothing here.
warnings.filterwarnings('ignore', message='No ccache found')


def check_version(wanted):
    """Exit unless the installed Paddle is the one that was built for."""
    found = metadata.version('paddlepaddle')
    if found != wanted:
        sys.exit(
            f'smoke_test: paddlepaddle {found} is installed, but the '
            f'operators are built for {wanted}.'
        )


def check_present(names):
    """Exit unless every operator is in paddle._C_ops."""
    from paddle import _C_ops

    absent = [name for name in names if not hasattr(_C_ops, name)]
    if absent:
        sys.exit(f'smoke_test: not in paddle._C_ops: {", ".join(absent)}')
    print(f'present: {", ".join(names)}')


def check_masked_scatter():
    """Forward and gradient."""
    import paddle

    x, value = (
        paddle.to_tensor(numbers, stop_gradient=False)
        for numbers in ([1.0, 2.0, 3.0], [7.0, 8.0, 9.0])
    )
    mask = paddle.to_tensor([True, False, True])
    out = paddle.masked_scatter(x, mask, value)
    out.sum().backward()
    found = [tensor.tolist() for tensor in (out, x.grad, value.grad)]
    if found != [[7, 2, 8], [0, 1, 0], [1, 1, 0]]:
        sys.exit(f'smoke_test: masked_scatter gives {found}')


def check_base_kernels():
    """Paddle's own operators run our kernels, for every dtype: print them.

    The release has no float16 kernel of scatter, and its gradient of a value
    of one element is wrong.
    """
    import paddle
    from paddle import _native_lib

    taken = _native_lib.taken_kernels()
    dtypes = max(taken.values(), key=len)
    for name, found in taken.items():
        missing = ', '.join(set(dtypes) - set(found))
        if missing:
            sys.exit(f'smoke_test: {name} has Paddle\'s kernels for {missing}')
    x = paddle.zeros([3], 'float16')
    index = paddle.to_tensor([1, 1])
    out = paddle.scatter(x, index, paddle.ones([2], 'float16'), overwrite=False)
    value = paddle.to_tensor([2.0], stop_gradient=False)
    mask = paddle.to_tensor([True, False, True])
    paddle.masked_fill(paddle.zeros([3]), mask, value).sum().backward()
    if out.tolist() != [0, 2, 0] or value.grad.tolist() != [2]:
        sys.exit("smoke_test: Paddle's kernels ran instead of ours")
    for name in taken:
        print(f'{name}: computes with our kernels')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--paddle', default=BASE, help='the release built for')
    check_version(parser.parse_args().paddle)
    check_present(sorted(p.stem for p in (ROOT / 'ops_yaml').glob('*.yaml')))
    check_masked_scatter()
    check_base_kernels()


if __name__ == '__main__':
    main()
