# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""The flags of the masked and scatter operators: seen, obeyed, without effect
on any bit."""

import itertools
import os
import unittest

import numpy as np
from scatter_graph_utils import assert_python_succeeds
from scatter_test_utils import assert_same_bits

import paddle

HUGE_PAGES = 'FLAGS_scatter_ops_use_huge_pages'
AVX2 = 'FLAGS_scatter_ops_use_avx2'
# 4.3 MiB of float32: huge pages are asked for from 4 MiB on.
SHAPE = (1100, 1024)

SHOW_FLAGS = f'''
import paddle
print(*paddle.get_flags({[HUGE_PAGES, AVX2]}).values())
'''

# `hg` among the flags of a mapping: somebody has asked for huge pages there.
COUNT_ADVISED = f'''
import paddle
paddle.set_device('cpu')
def advised():
    with open('/proc/self/smaps') as smaps:
        lines = [line for line in smaps if line.startswith('VmFlags:')]
    return sum('hg' in line.split() for line in lines)
x = paddle.zeros([8 << 20])
mask, value = paddle.zeros([1], 'bool'), paddle.zeros([1])
before = advised()
paddle.masked_scatter_(x, mask, value)
paddle.scatter_(x, paddle.zeros([1], 'int64'), value)
print(advised() - before)
paddle.set_flags({{'{HUGE_PAGES}': False}})
kept = paddle.masked_scatter(x, mask, value)
print(advised() - before)
paddle.set_flags({{'{HUGE_PAGES}': True}})
kept = kept, paddle.masked_scatter(x, mask, value)
print(advised() - before)
'''


def family(api, *names, **attributes):
    """A function of the named Tensors: its result and their gradients."""

    def call(tensors):
        inputs = [tensors[name].detach() for name in names]
        floating = [t for t in inputs if t.is_floating_point()]
        for tensor in floating:
            tensor.stop_gradient = False
        out = api(*inputs, **attributes)
        return [out, *paddle.grad([out], floating, [tensors['out_grad']])]

    return call


FAMILIES = {
    'masked_scatter': family(paddle.masked_scatter, 'x', 'mask', 'y'),
    'masked_fill': family(paddle.masked_fill, 'x', 'mask', 'y'),
    'masked_fill number': family(paddle.masked_fill, 'x', 'mask', value=3.0),
    'select_scatter': family(
        paddle.select_scatter, 'x', 'row', axis=0, index=-1
    ),
    'diagonal_scatter': family(paddle.diagonal_scatter, 'x', 'diagonal'),
    'scatter': family(paddle.scatter, 'x', 'index', 'y', overwrite=False),
    **{
        f'scatter, {reduce}': family(
            paddle.scatter, 'x', 'index', 'y', overwrite=False, reduce=reduce
        )
        for reduce in ('mean', 'mul', 'amax')
    },
}


def random_tensors(dtype):
    """Of each size, some too small and some too large for float16."""
    rng = np.random.default_rng(0)
    shapes = {
        'x': SHAPE,
        'y': SHAPE,
        'out_grad': SHAPE,
        'row': SHAPE[1:],
        'diagonal': (min(SHAPE),),
    }
    arrays = {
        name: rng.standard_normal(shape) * 10.0 ** rng.integers(-9, 6, shape)
        for name, shape in shapes.items()
    }
    for array in arrays.values():
        array[rng.random(array.shape) < 0.01] = np.nan
    tensors = {name: paddle.to_tensor(a, dtype) for name, a in arrays.items()}
    tensors['mask'] = paddle.to_tensor(rng.random(SHAPE) < 0.5)
    tensors['index'] = paddle.to_tensor(rng.integers(0, SHAPE[0], SHAPE[0]))
    return tensors


class TestScatterOpFlags(unittest.TestCase):
    def setUp(self):
        self.flags = paddle.get_flags([HUGE_PAGES, AVX2])

    def tearDown(self):
        paddle.set_flags(self.flags)

    def test_bits_do_not_depend_on_the_flags(self):
        for dtype in ('float32', 'float16', 'bfloat16'):
            tensors = random_tensors(dtype)
            for name, call in FAMILIES.items():
                with self.subTest(dtype=dtype, family=name):
                    self.check_flags(call, tensors)

    def check_flags(self, call, tensors):
        paddle.set_flags({HUGE_PAGES: True, AVX2: True})
        expected = [t.numpy() for t in call(tensors)]
        for choice in ((True, False), (False, True), (False, False)):
            paddle.set_flags(dict(zip((HUGE_PAGES, AVX2), choice)))
            for actual, wanted in zip(call(tensors), expected):
                assert_same_bits(actual.numpy(), wanted, str(choice))

    def test_they_are_read_from_the_environment(self):
        for pages, avx2 in itertools.product(('0', '1'), repeat=2):
            environment = {HUGE_PAGES: pages, AVX2: avx2}
            with self.subTest(**environment):
                shown = assert_python_succeeds(SHOW_FLAGS, **environment)
                expected = [str(flag == '1') for flag in (pages, avx2)]
                self.assertEqual(shown.split()[-2:], expected)

    def test_huge_pages_are_asked_for_from_the_next_call_on(self):
        if not os.path.exists('/sys/kernel/mm/transparent_hugepage'):
            self.skipTest('this system has no transparent huge pages')
        shown = assert_python_succeeds(COUNT_ADVISED).split()
        # without the allocator of the wheel target, which asks for them too
        shown = assert_python_succeeds(
            COUNT_ADVISED, FLAGS_cpu_idle_memory_limit_in_mb='0'
        ).split()
        in_place, turned_off, turned_on = map(int, shown[-3:])
        self.assertEqual(in_place, 0)
        self.assertEqual(turned_off, 0)
        self.assertGreater(turned_on, 0)


if __name__ == '__main__':
    unittest.main()
