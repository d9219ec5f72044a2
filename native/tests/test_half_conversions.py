"""The conversions of float16 and bfloat16 in shared/types.h, against Paddle's own.

Results are bitwise identical, except that a signaling NaN may become quiet, as in
IEEE 754. Below 2^-77, Paddle's conversion to float16 shifts by more bits than the
type has, which is undefined: the expected result is numpy's, and doubles, which
shared/types.h converts with Paddle's function, are skipped. No sum or mean of
float16 numbers is that small.
"""

import ctypes
import functools
import json
import os
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from scripts.common.programs import run

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get('BUILD_DIR', ROOT / 'build'))
SMALLEST_DEFINED = 2.0**-77
# {type: (dtype of its bits, bits of infinity, bit of a quiet NaN)}
FORMATS = {
    'float16': (np.uint16, 0x7C00, 1 << 9),
    'bfloat16': (np.uint16, 0x7F80, 1 << 6),
    'float': (np.uint32, 0x7F800000, 1 << 22),
    'double': (np.uint64, 0x7FF0 << 48, 1 << 51),
}
PROBE = Path(__file__).with_name('half_conversion_probe.cc')
# (conversion in shared/types.h, from, to)
CONVERSIONS = re.findall(
    r'\{"(.+)",\s+kOf<(\w+), (\w+), ', PROBE.read_text('utf-8')
)


@pytest.fixture(scope='module')
def probe(tmp_path_factory):
    """Compile the probe with the options of the kernels."""
    entries = json.loads((BUILD / 'compile_commands.json').read_text())
    (command,) = (
        entry['command'].split(' -o ')[0]
        for entry in entries
        if entry['file'].endswith('/kernels/cpu/masked_scatter_kernel.cc')
    )
    path = tmp_path_factory.mktemp('probe') / 'probe.so'
    options = ['-shared', '-fvisibility=default', PROBE, '-o', path]
    done = run(*shlex.split(command), *options)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(path)


def convert(probe, name, bits, target):
    """Return the bits of both conversions."""
    both = np.empty((2, *bits.shape), FORMATS[target][0])
    arrays = (ctypes.c_void_p(a.ctypes.data) for a in (bits, *both))
    probe.convert(name.encode(), *arrays, ctypes.c_int64(bits.size))
    return both


@functools.cache
def halves():
    return np.arange(1 << 16, dtype=np.uint16)


def widened_halves():
    """Yield (bits as float32, bits of infinity) of both half types."""
    yield halves().view(np.float16).astype(np.float32).view(np.uint32), 0x7C00
    yield halves().astype(np.uint32) << 16, 0x7F80


@functools.cache
def floats():
    """Return the bits of random and small floats, of NaNs with a payload of one
    bit, of all halves, the ties between them, and the adjacent floats."""
    rng = np.random.default_rng(2026)
    small = np.exp2(rng.uniform(-152, -8, 100_000)).astype(np.float32)
    parts = [
        rng.integers(0, 1 << 32, 1_000_000, np.uint32),
        small.view(np.uint32),
        0x7F800000 + (1 << np.arange(23, dtype=np.uint32)),
    ]
    for bits, infinity in widened_halves():
        finite = bits[:infinity].view(np.float32)
        ties = (finite[:-1] / 2 + finite[1:] / 2).view(np.uint32)
        exact = np.concatenate([bits[:0x8000], ties])
        parts += [exact - np.uint32(1), exact, exact + np.uint32(1)]
    positive = np.concatenate(parts)
    return np.concatenate([positive, positive ^ np.uint32(1 << 31)])


def operands(source):
    """Return the bits to convert."""
    if source != 'double':
        return floats() if source == 'float' else halves()
    with np.errstate(invalid='ignore'):  # a signaling NaN
        return floats().view(np.float32).astype(np.float64).view(np.uint64)


def quiet_nans(bits, kind):
    dtype, infinity, quiet = FORMATS[kind]
    is_nan = (bits & np.iinfo(dtype).max // 2) > infinity
    return np.where(is_nan, bits | dtype(quiet), bits)


@pytest.mark.parametrize(('name', 'source', 'target'), CONVERSIONS)
def test_conversion_equals_paddles(probe, name, source, target):
    bits = operands(source)
    undefined = np.zeros(bits.shape, bool)
    if target == 'float16':
        numbers = bits.view(f'f{bits.itemsize}')
        undefined = np.abs(numbers) < SMALLEST_DEFINED
        assert undefined.any()
        if source == 'double':
            bits, undefined = bits[~undefined], undefined[:0]
    actual, expected = convert(probe, name, bits, target)
    if undefined.any():
        small = numbers[undefined].astype(np.float16)
        expected[undefined] = small.view(np.uint16)
    same = (actual == expected) | (actual == quiet_nans(expected, target))
    wrong = [
        f'of {bits[i]:#x}: expected {expected[i]:#x}, got {actual[i]:#x}'
        for i in np.flatnonzero(~same)
    ]
    assert not wrong, '\n'.join([f'{len(wrong)} differ', *wrong[:10]])
