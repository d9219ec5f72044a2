"""What the module registers in Paddle, according to Paddle's registry."""

import re

import pytest

from native.tests import kernel_probe
from native.tests.kernel_cases import OWN, ROOT
from scripts.op_rules import schema

REGISTERED = kernel_probe.registered()
DTYPES = (
    'bool', 'uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'bfloat16',
    'float32', 'float64', 'complex64', 'complex128',
)  # fmt: skip
# mul, amax and amin of integers have no gradient.
FEWER_DTYPES = {'index_reduce_grad': DTYPES[6:]}
# Inputs that are bool whatever the others are. The YAML has no word for it.
MASKS = {'mask'}
KERNELS = {entry.kernel for entry in OWN.values()}


def expected(entry, dtype):
    """What the kernel of an entry takes, in the words of kernel_probe.cc."""
    order = {argument.name: argument for argument in entry.tensors}
    order.update({argument.name: argument for argument in entry.attrs})
    words = []
    for name in entry.kernel_param or order:
        argument = order[name]
        if isinstance(argument, schema.Attr):
            words.append(argument.type)
        else:
            kind = 'optional' if argument.optional else 'Tensor'
            words.append(f'{kind}:{"bool" if name in MASKS else dtype}')
    return words + [f'Tensor*:{dtype}' for _ in entry.outputs]


def test_every_entry_has_a_kernel_of_its_dtypes_and_no_other_is_there():
    expected_kernels = {
        (name, dtype)
        for name in KERNELS
        for dtype in FEWER_DTYPES.get(name, DTYPES)
    }
    assert sorted(REGISTERED) == sorted(expected_kernels)


@pytest.mark.parametrize('name', OWN)
def test_kernel_signature_matches_the_yaml(name):
    entry = OWN[name]  # those of higher orders share kernels
    for dtype in FEWER_DTYPES.get(entry.kernel, DTYPES):
        assert REGISTERED[entry.kernel, dtype] == expected(entry, dtype), dtype


@pytest.mark.parametrize('backend, suffix', [('cpu', '.cc'), ('gpu', '.cu')])
def test_source_includes_the_header_that_declares_its_kernel(backend, suffix):
    # Else its kernel might be another function than the declared one.
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
            # those that no other kernel calls are declared nowhere
            if header := headers.get(name):
                names.add(name)
                line = f'#include "paddle/phi/kernels/{header}"\n'
                assert line in text, name
    assert names == set(headers)
