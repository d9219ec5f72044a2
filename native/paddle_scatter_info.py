"""Print the version, operators, SIMD level and threads of this Paddle.

Run as `python -m paddle_scatter_info`. The exit status is 1 if the operators
are missing or built for another release.
"""

import importlib.metadata
import json
import os
import platform
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT = HERE / 'paddle/_native_build.json'


def _simd():
    try:
        flags = Path('/proc/cpuinfo').read_text(encoding='utf-8').split()
    except OSError:
        flags = []
    return 'AVX2' if 'avx2' in flags else 'AVX (this CPU has no AVX2)'


def build_info():
    """Return {title: text}. Raises ImportError if the release does not match."""
    built = json.loads(BUILT.read_text(encoding='utf-8'))
    # Paddle warns about a missing ccache.
    warnings.filterwarnings('ignore', 'No ccache')
    import paddle
    from paddle import _native_lib

    return {
        'package': f'paddlepaddle {importlib.metadata.version("paddlepaddle")}',
        'base': f'Paddle {built["base"]} (paddle.__version__ is '
        f'{paddle.__version__})',
        'series': f'{built["series"]}, commit {built["commit"]}',
        'Python': platform.python_version(),
        'place': str(HERE / 'paddle'),
        'new operators': ', '.join(built['operators']),
        "Paddle's own, new kernels": ', '.join(
            entry.name
            for entry in _native_lib.entries
            if entry.is_base and not entry.is_backward
        ),
        'SIMD': _simd(),
        # Paddle sets it to 1 on import unless it is set.
        'threads': f'OMP_NUM_THREADS={os.environ.get("OMP_NUM_THREADS", "1")}',
    }


def main():
    try:
        info = build_info()
    except (OSError, ImportError, importlib.metadata.PackageNotFoundError) as e:
        sys.exit(f'paddle_scatter_info: the operators are unavailable: {e}')
    width = max(map(len, info))
    for title, text in info.items():
        print(f'{title:{width}}  {text}')


if __name__ == '__main__':
    main()
