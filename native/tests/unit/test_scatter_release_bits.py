"""paddle.scatter as Paddle 3.3.1 had it, beside the untouched release.

The same calls run once in this interpreter and once in one with the released
wheel, which imports this file too: same bits, same gradients, same refusals. But
of several updates that overwrite one slot, only the last has a gradient in ours.
"""

import itertools
import pathlib
import pickle
import tempfile
import unittest

import numpy as np
from processes import run_release
from scatter_graph_utils import run_saved, saved_function
from scatter_test_utils import assert_same_bits, random_array

import paddle
import paddle.distributed as dist

IS_RELEASE = not hasattr(paddle, '_native_lib')
DTYPES = ('float32', 'float64', 'int32', 'int64')
SHAPES = ((1,), (9,), (300,), (6, 5), (3, 40), (70, 3), (5, 3, 4), (4, 0))
INDEX_KINDS = (
    'sorted',
    'random',
    'permutation',
    'one slot',
    'negative',
    'empty',
    'column',
    '0-D',
)


def values(rng, shape, dtype):
    """Any value: nan, infinity, -0.0, denormals; integers that overflow."""
    array = random_array(rng, shape, dtype)
    if array.dtype.kind == 'f':
        tiny = np.finfo(dtype).smallest_subnormal
        some = rng.random(shape) < 0.1
        array = np.where(some, tiny * rng.integers(-9, 9, shape), array)
    return array.astype(dtype)


def make_index(rng, kind, size):
    if kind == 'empty':
        return np.zeros(0, 'int64')
    if kind == '0-D':
        return np.array(rng.integers(-size, size))
    if kind == 'permutation':
        return rng.permutation(size)
    if kind == 'one slot':
        return np.full(size + 8, rng.integers(size))
    low = {'negative': -size, 'column': -size}.get(kind, 0)
    index = rng.integers(low, size, rng.integers(1, 2 * size + 1))
    if kind == 'sorted':
        index.sort()
    return index[:, None] if kind == 'column' else index


def make_call(rng, dtype, shape, kind):
    """x, index, updates; out_grad."""
    index = make_index(rng, kind, shape[0])
    index = index.astype(rng.choice(['int32', 'int64']))
    rows = () if kind == '0-D' else (len(index) + rng.choice([0, 0, 2]),)
    return [
        values(rng, shape, dtype),
        index,
        values(rng, (*rows, *shape[1:]), dtype),
        values(rng, shape, dtype),
    ]


def calls():
    """Yields (name, arrays of make_call, overwrite)."""
    rng = np.random.default_rng(331)
    table = itertools.product(DTYPES, SHAPES, INDEX_KINDS, (True, False))
    for dtype, shape, kind, overwrite in table:
        name = f'{dtype} {shape} {kind} overwrite={overwrite}'
        yield name, make_call(rng, dtype, shape, kind), overwrite
    more = ((0, 3), 'empty'), ((400, 65), 'random'), ((9000,), 'one slot')
    table = itertools.product(DTYPES, more, (True, False))
    for dtype, (shape, kind), overwrite in table:
        name = f'{dtype} {shape} {kind} overwrite={overwrite}'
        yield name, make_call(rng, dtype, shape, kind), overwrite


def gradient_of_updates(grad, index, size, overwrite):
    """Without rows behind the end of the index, where the release's are garbage.

    The release's without those of rows that a later one overwrites.
    """
    if index.ndim == 0:
        return grad
    grad = np.array(grad[: len(index)])
    if overwrite and IS_RELEASE:
        slots = index.reshape(-1) % size
        for i, slot in enumerate(slots):
            if slot in slots[i + 1 :]:
                grad[i] = 0
    return grad


def answer(arrays, overwrite):
    """Out, out in place, and the gradients of both forms."""
    x, index, updates, out_grad = map(paddle.to_tensor, arrays)
    found = [
        paddle.scatter(x, index, updates, overwrite).numpy(),
        paddle.scatter_(x.clone(), index, updates, overwrite).numpy(),
    ]
    if arrays[0].dtype.kind == 'f':
        x.stop_gradient = updates.stop_gradient = False
        for function, target in (
            (paddle.scatter, x),
            (paddle.scatter_, x * 1),
        ):
            out = function(target, index, updates, overwrite)
            x_grad, grad = paddle.grad([out], [x, updates], [out_grad])
            grad = gradient_of_updates(
                grad.numpy(), arrays[1], len(arrays[0]), overwrite
            )
            found += [x_grad.numpy(), grad]
    return found


FLOATS = {'x': np.arange(12, dtype='float32').reshape(4, 3)}
FLOATS['updates'] = -FLOATS['x'][:2] - 1


def refusals():
    """Yields (name, argument at fault, x, index, updates)."""
    x, updates = FLOATS['x'], FLOATS['updates']
    good = np.array([1, 0])
    for dtype in ('int32', 'int64'):
        for value in (4, -5, 100, -100):
            yield f'{value} in {dtype}', 'index', x, [value, 0], updates
            index = np.array([0, value], dtype)
            yield f'{value} in {dtype}, last', 'index', x, index, updates
    yield '0-D index', 'index', x, np.array(4), updates[0]
    yield 'negative 0-D index', 'index', x, np.array(-5), updates[0]
    yield 'far index', 'index', x, np.array([2**40, 0]), updates
    for dtype in ('int8', 'int16', 'uint8', 'bool', 'float32', 'float64'):
        yield f'{dtype} index', 'index', x, good.astype(dtype), updates
    for shape in ((1, 2), (2, 2), (2, 1, 1)):
        index = np.ones(shape, 'int64')
        yield f'index {shape}', 'index', x, index, updates
    for dtype in ('float64', 'float16', 'int32', 'int64', 'bool'):
        other = updates.astype(dtype)
        yield f'{dtype} updates', 'updates', x, good, other
    for shape in ((2, 2), (2, 4), (2, 1), (3, 2), (1, 3), (2, 3, 1), (6,)):
        yield f'updates {shape}', 'updates', x, good, np.ones(shape, 'float32')
    for shape in ((1, 3), (2,), (4,), ()):
        update = np.ones(shape, 'float32')
        yield f'one update {shape}', 'updates', x, np.array(1), update
    zero = np.float32(0)
    yield '0-D x', '', zero, np.array([0]), np.ones(1, 'float32')
    yield '0-D x, 0-D index', '', zero, np.array(0), zero
    yield 'no updates', 'updates', x, good, updates[:0]


def refusal(x, index, updates, overwrite, function):
    """(error type, its text), or (None, the bytes that came out); whether x changed."""
    tensor = paddle.to_tensor(x)
    index, updates = paddle.to_tensor(index), paddle.to_tensor(updates)
    try:
        out = function(tensor, index, updates, overwrite)
        result = None, out.numpy().tobytes()
    except Exception as error:
        result = type(error), str(error)
    return (*result, tensor.numpy().tobytes() != np.asarray(x).tobytes())


def refused_calls():
    """Yields (name, argument at fault, arguments of refusal)."""
    for name, fault, *arrays in refusals():
        for overwrite in (True, False):
            for function in (paddle.scatter, paddle.scatter_):
                full = f'{name}, {function.__name__}, {overwrite}'
                yield full, fault, (*arrays, overwrite, function)


def empty_calls():
    """Yields (name, arguments of refusal); paddle.to_tensor([]) is float32."""
    empty = np.zeros(0, 'float32')
    for name, x, index, updates in (
        ('two dims', FLOATS['x'], empty, np.zeros((0, 3), 'float32')),
        ('one dim', FLOATS['x'][0], empty, empty),
        ('integers', np.arange(4), empty, empty),
        ('0-D index', FLOATS['x'], np.array(1), empty),
        ('no rows in x', FLOATS['x'][:0], np.array([0]), FLOATS['x'][:1]),
        ('empty rows', FLOATS['x'][:, :0], np.array([7]), FLOATS['x'][:1, :0]),
    ):
        for function in (paddle.scatter, paddle.scatter_):
            for overwrite in (True, False):
                full = f'{name}, {function.__name__}, {overwrite}'
                yield full, (x, index, updates, overwrite, function)


def distributed_answer(placements, overwrite):
    """Results and placements of Tensors on a mesh of one process."""
    mesh = dist.ProcessMesh([0], dim_names=['x'])
    rng = np.random.default_rng(7)
    arrays = make_call(rng, 'float32', (6, 5), 'random')[:3]
    x, index, updates = (
        dist.shard_tensor(paddle.to_tensor(array), mesh, [placement])
        for array, placement in zip(arrays, placements)
    )
    x.stop_gradient = updates.stop_gradient = False
    out = paddle.scatter(x, index, updates, overwrite)
    (out * 3).sum().backward()
    found = [out, x.grad, updates.grad]
    local = [tensor._local_value().numpy() for tensor in found]
    local[2] = gradient_of_updates(local[2], arrays[1], 6, overwrite)
    return [str(tensor.placements) for tensor in found], local


def distributed_calls():
    """Yields (name, placements of x, index and updates, overwrite)."""
    whole, rows, columns = dist.Replicate(), dist.Shard(0), dist.Shard(1)
    for placements in (
        (whole, whole, whole),
        (rows, whole, whole),
        (columns, whole, columns),
        (columns, whole, whole),
        (whole, rows, rows),
    ):
        for overwrite in (True, False):
            yield f'{placements} {overwrite}', placements, overwrite


def plain_scatter(overwrite):
    def function(x, index, updates):
        return paddle.scatter(x * 2, index, updates, overwrite)

    return function


def model_arrays():
    x, updates = FLOATS['x'] / 3, np.sqrt(FLOATS['x'])
    return {'x': x, 'index': np.array([3, 1, 3, -4]), 'updates': updates}


def model_answer(model, overwrite):
    arrays = model_arrays()
    *found, grad = run_saved(model, arrays, ('x', 'updates'))
    return [*found, gradient_of_updates(grad, arrays['index'], 4, overwrite)]


def all_answers(models):
    """What this interpreter's Paddle answers; models are saved functions."""
    return {
        'calls': {name: answer(a, o) for name, a, o in calls()},
        'refusals': {name: refusal(*a) for name, _, a in refused_calls()},
        'empty': {name: refusal(*a) for name, a in empty_calls()},
        'mesh': {n: distributed_answer(*a) for n, *a in distributed_calls()},
        'models': [*map(model_answer, models, (True, False))],
        'is_release': IS_RELEASE,
    }


def released_answers(models):
    """all_answers of the released Paddle."""
    code = (
        'import pickle, sys, test_scatter_release_bits as released\n'
        'answers = released.all_answers(sys.argv[2:])\n'
        'open(sys.argv[1], "wb").write(pickle.dumps(answers))\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'answers'
        run_release(code, path, *models)
        return pickle.loads(path.read_bytes())


# The release writes these over other rows of x, or past its end.
NONSENSE = ('one update (2,)', 'one update (4,)')


def with_one_nan(arrays):
    """With all NaNs alike.

    Which of two NaNs a sum hands on is left open by IEEE 754, and in the release
    it differs from column to column.
    """
    return [
        np.where(array == array, array, array.dtype.type('nan'))
        if array.dtype.kind == 'f'
        else array
        for array in arrays
    ]


class TestScatterReleaseBits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        arrays = model_arrays()
        with (
            saved_function(plain_scatter(True), arrays) as overwriting,
            saved_function(plain_scatter(False), arrays, False) as adding,
        ):
            models = [overwriting, adding]
            cls.released = released_answers(models)
            cls.addClassCleanup(paddle.base.core.set_num_threads, 1)
            paddle.base.core.set_num_threads(2)  # the release has one loop
            cls.ours = all_answers(models)

    def test_the_other_paddle_is_not_this_one(self):
        self.assertTrue(self.released['is_release'])

    def assert_same(self, found, wanted):
        self.assertEqual(len(found), len(wanted))
        for array, expected in zip(found, wanted):
            assert_same_bits(array, expected)

    def test_every_call_has_the_bits_of_the_release(self):
        self.assertGreater(len(self.released['calls']), 500)
        for name, wanted in self.released['calls'].items():
            found = self.ours['calls'][name]
            if name.endswith('overwrite=False'):
                found, wanted = map(with_one_nan, (found, wanted))
            with self.subTest(call=name):
                self.assert_same(found, wanted)

    def test_unused_updates_get_zeros(self):
        x = paddle.ones([4, 3])
        index = paddle.to_tensor([1, 2])
        for overwrite in (True, False):
            updates = paddle.ones([6, 3])
            updates.stop_gradient = False
            paddle.scatter(x, index, updates, overwrite).sum().backward()
            expected = [[1.0] * 3] * 2 + [[0.0] * 3] * 4
            self.assertEqual(updates.grad.tolist(), expected)

    def test_what_the_release_refuses_is_refused(self):
        for name, wanted in self.released['refusals'].items():
            if name.startswith(NONSENSE):
                continue
            with self.subTest(call=name):
                self.assertIsNotNone(wanted[0], 'the release takes it')
                self.assertIs(self.ours['refusals'][name][0], wanted[0])

    def test_refusals_name_the_argument_and_leave_x(self):
        for name, fault, _ in refused_calls():
            error, text, changed = self.ours['refusals'][name]
            with self.subTest(call=name):
                self.assertIsNotNone(error)
                self.assertFalse(changed)
                self.assertRegex(text, f'(?i){fault}')

    def test_empty_lists_are_taken_whatever_their_dtype(self):
        for name, wanted in self.released['empty'].items():
            with self.subTest(call=name):
                self.assertIsNone(wanted[0])
                self.assertEqual(self.ours['empty'][name], wanted)

    def test_saved_models_load_and_run_in_the_release(self):
        for found, wanted in zip(self.ours['models'], self.released['models']):
            self.assert_same(found, wanted)

    def test_distributed_tensors_keep_placements_and_gradients(self):
        for name, (placements, local) in self.released['mesh'].items():
            with self.subTest(call=name):
                found = self.ours['mesh'][name]
                self.assertEqual(found[0], placements)
                self.assert_same(found[1], local)


if __name__ == '__main__':
    unittest.main()
