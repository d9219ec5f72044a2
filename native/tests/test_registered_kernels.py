"""The kernels in Paddle's registry match the YAML entries."""

import re

import pytest
from fuzz.arrays import ALL_DTYPES, GRAD_DTYPES

from native.tests import kernel_probe
from native.tests.kernel_cases import OPS_YAML, ROOT

SIGNATURES = kernel_probe.signatures()
# mul, amax and amin of integers have no gradient.
FEWER_DTYPES = {'index_reduce_grad': GRAD_DTYPES}
# Inputs that are always bool, which the YAML does not express.
MASKS = {'mask'}
KERNELS = {entry.kernel for entry in OPS_YAML.values()}


def expected_signature(entry, dtype):
    """Return the argument types of a kernel, in the format of kernel_probe.cc."""
    words = []
    for tensor in entry.tensors:
        kind = 'optional' if tensor.optional else 'Tensor'
        words.append(f'{kind}:{"bool" if tensor.name in MASKS else dtype}')
    words += [attr.type for attr in entry.attrs]
    return words + [f'Tensor*:{dtype}' for _ in entry.outputs]


def test_registered_kernels_are_those_of_the_yaml():
    expected_kernels = {
        (name, dtype)
        for name in KERNELS
        for dtype in FEWER_DTYPES.get(name, ALL_DTYPES)
    }
    assert sorted(SIGNATURES) == sorted(expected_kernels)


@pytest.mark.parametrize('name', OPS_YAML)
def test_kernel_signature_matches_the_yaml(name):
    entry = OPS_YAML[name]  # entries of higher orders share kernels
    for dtype in FEWER_DTYPES.get(entry.kernel, ALL_DTYPES):
        actual = SIGNATURES.get((entry.kernel, dtype), 'is not registered')
        assert actual == expected_signature(entry, dtype), dtype


@pytest.mark.parametrize('backend, suffix', [('cpu', '.cc'), ('gpu', '.cu')])
def test_source_includes_the_header_that_declares_its_kernel(backend, suffix):
    # The compiler then checks the definition against the declaration.
    headers = {
        name: header.name
        for header in (ROOT / 'kernels').glob('*.h')
        for name in re.findall(r'void (\w+Kernel)\(', header.read_text())
    }
    sources = sorted((ROOT / 'kernels' / backend).glob(f'*{suffix}'))
    names = set()
    for source in sources:
        text = source.read_text()
        for name in re.findall(r'phi::(\w+Kernel),', text):
            # Kernels without a caller have no declaration.
            if header := headers.get(name):
                names.add(name)
                line = f'#include "paddle/phi/kernels/{header}"\n'
                assert line in text, name
    missing = set(headers) - names
    assert not missing, f'kernels/{backend}/ does not register {missing}'
