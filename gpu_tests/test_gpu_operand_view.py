"""Where a broadcast operand holds an element, for dims that no memory holds."""

import subprocess

import pytest

from gpu_tests import emulate

pytestmark = pytest.mark.no_gpu

# Arguments: two dims of the output, two of the operand, numbers of elements of
# the output. Prints the offset of each of these in the operand.
SOURCE = """
#include <cstdio>
#include <cstdlib>
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"

namespace ops = phi::funcs::scatter_ops;

__global__ void Locate(ops::OperandView view, int64_t i, int64_t* offset) {
  *offset = view.Offset(i);
}

int main(int count, char** texts) {
  const auto number = [&](int i) { return std::atoll(texts[i]); };
  const ops::OperandView view({common::make_ddim({number(1), number(2)}),
                               common::make_ddim({number(3), number(4)})});
  for (int i = 5; i < count; ++i) {
    int64_t offset = -1;
    Locate<<<1, 1>>>(view, number(i), &offset);
    std::printf("%lld ", static_cast<long long>(offset));
  }
}
"""
LONG = (1 << 32) + 8


@pytest.fixture(scope='module')
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp('view')
    source = folder / 'view.cu'
    source.write_text(emulate.without_launches(SOURCE))
    emulate.write_tree()
    compiler = emulate.make_compiler()
    subprocess.run(
        [
            *(*compiler.program, *compiler.flags, str(source)),
            *(str(emulate.EMULATOR / 'emulator.cc'), '-pthread'),
            *('-static-libubsan', '-o', str(folder / 'view')),
        ],
        check=True,
    )
    return folder / 'view'


@pytest.mark.parametrize(
    'out, operand, expected',
    [
        ((2, LONG), (1, LONG), lambda i: i % LONG),
        ((LONG, 3), (LONG, 1), lambda i: i // 3),
        ((2, LONG), (2, 1), lambda i: i // LONG),
        ((2, 9), (1, 9), lambda i: i % 9),
    ],
    ids=['long row', 'long column', 'row of one element', 'small'],
)
def test_offset_is_right_for_any_dim(program, out, operand, expected):
    size = out[0] * out[1]
    near = (0, 1, 8, LONG - 1, LONG, LONG + 3, size - 1)
    numbers = [n for n in near if n < size]
    command = [str(n) for n in (program, *out, *operand, *numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    offsets = [int(word) for word in done.stdout.split()]
    assert offsets == [expected(i) for i in numbers]
