"""The bytes that a case must move, however it is implemented."""

from dataclasses import dataclass

from bench.run.cases import BACKWARD, ITEM_BYTES, MASKED
from bench.run.inputs import diagonal_shape, part_shape, size_of, value_shape

LINE = 64
# Below this the limit would be the cost of a function call.
LEAST_BYTES = 1 << 20


@dataclass(frozen=True)
class Traffic:
    """`fresh` bytes go to new memory; `other` are read or written besides."""

    fresh: int
    other: int

    def as_copies(self):
        """(bytes copied to fresh memory, bytes copied in touched memory)."""
        # a copy of n bytes reads n and writes n
        left = max(0, self.other - self.fresh)
        return self.fresh, left // 2


def _touched(density, layout, item):
    """Share of cache lines that hold at least one True."""
    if layout == 'runs':  # much longer than a line
        return density
    return 1 - (1 - density) ** max(1, LINE // item)


def _value_bytes(case, item, density, written):
    """Bytes of value that the True elements of the mask need."""
    if case.op == 'masked_scatter':
        return density * case.numel * item
    count = size_of(value_shape(case.shape, case['value']))
    # what is smaller than the result is read for many of its elements
    return item * count * (written if count == case.numel else 1)


def _masked(case, item):
    out = case.numel * item
    x = size_of(part_shape(case.shape, case['x'])) * item
    mask = size_of(part_shape(case.shape, case['mask']))
    density = 1 if case['mask'] == 'scalar' else case['density']
    whole = case['mask'] in ('row', 'scalar')
    layout = 'runs' if whole else case['layout']
    written = _touched(density, layout, item)
    kept = _touched(1 - density, layout, item)
    value = _value_bytes(case, item, density, written)
    if case.mode == 'inplace':
        # a line that is written only in part is read first
        return Traffic(0, int(mask + value + written * (1 + kept) * out))
    forward = (out, mask + kept * x + value)
    if case.mode not in BACKWARD:
        return Traffic(int(forward[0]), int(forward[1]))
    fresh = out + x + value
    return Traffic(int(fresh), int(forward[1] + mask + out))


def _updates(case):
    """Elements of the updates of a scatter."""
    return case.numel // case.shape[case['axis']] * case.slices


def _pieces(case):
    """Elements of (x, what is written into it, index bytes)."""
    if case.op == 'select_scatter':
        return case.numel, case.numel // case.shape[case['axis']], 0
    if case.op == 'diagonal_scatter':
        how = [case[key] for key in ('offset', 'axis1', 'axis2')]
        return case.numel, size_of(diagonal_shape(case.shape, *how)), 0
    if case.op == 'clone':
        return case.numel, 0, 0
    if case.op == 'scatter':
        return case.numel, _updates(case), 8 * case.slices
    return case.numel, case.numel, case.numel


def _written_into(case, item):
    x, part, index = _pieces(case)
    x, part = x * item, part * item
    if case.mode == 'inplace':
        return Traffic(0, index + part + x)
    if case.mode not in BACKWARD:
        return Traffic(x, index + x + part)
    # backward: out_grad is read, both gradients are written
    return Traffic(2 * x + part, 2 * (index + x) + part)


def traffic(case):
    """The Traffic of a case."""
    item = ITEM_BYTES[case.dtype]
    return (_masked if case.op in MASKED else _written_into)(case, item)


def has_limit(case):
    """True if the limit says something about the case."""
    moved = traffic(case)
    return moved.fresh + moved.other >= LEAST_BYTES


def memory_needed(case):
    """A rough upper bound of the bytes that one side holds at a time."""
    item = ITEM_BYTES[case.dtype]
    copies = 8 if case.mode in BACKWARD else 4
    if case.mode == 'above':
        copies += 4  # the weight, the product and their gradients
    # of torch's ways some make an index of each element
    index = 8 * case.numel if case.op in ('scatter', 'masked_scatter') else 0
    elements = case.numel
    if case.op == 'scatter':
        elements = max(elements, _updates(case))
    # numpy's own copy of the inputs while they are loaded
    host = 3 * elements * max(item, 4 if case.dtype == 'bfloat16' else 1)
    return copies * elements * item + 2 * elements + index + host
