"""A case in plain words."""

MODES = {
    'fwd': 'forward',
    'tape': 'forward, recorded for the backward',
    'grad': 'forward + backward',
    'step': 'training step',
    'above': 'training step, a product above',
    'inplace': 'in place',
}
SIDES = {'ours': 'ours', 'torch': 'PyTorch', 'release': 'released Paddle'}
OTHERS = {side: SIDES[side] for side in ('torch', 'release')}
# What a case changes of its operator's headline: its part of the case's name.
CHANGES = {
    'include_self=True': 'x takes part',
    'index=sorted': 'sorted index',
    'index=permutation': 'index without repeats',
    'index=one': 'all into one slot',
    'index=two': 'all into two slots',
    'layout=runs': 'Trues in runs',
    'mask=row': 'row mask',
    'mask=column': 'column mask',
    'mask=scalar': 'mask of one element',
    'x=row': 'x of one column',
    'x=column': 'x of one row',
    'x=scalar': 'x of one element',
    'value=one': 'Tensor value',
    'value=row': 'value for each row',
    'value=column': 'value for each column',
    'value=full': 'value of the whole shape',
    'FLAGS_cpu_idle_memory_limit_in_mb=0': 'memory from malloc',
}


def change(part):
    """'axis=1' or another part of a variant in words."""
    if part in CHANGES:
        return CHANGES[part]
    key, _, value = part.partition('=')
    if key in ('reduce', 'workload'):
        return value
    if key == 'density':
        return f'{float(value):.0%} True'
    if key == 'updates':
        return f'{int(value):,} updates'
    return f'{key} {value}'


def changes(variant):
    """', axis 1, sum' for the variant of a case."""
    if variant == 'headline':
        return ''
    return ''.join(f', {change(part)}' for part in variant.split(','))


def of(result):
    """'scatter, sum: in place, float32, 4096×4096', of a result or of a Case."""
    get = result.get if isinstance(result, dict) else result.__getattribute__
    dims = '×'.join(str(dim) for dim in get('shape'))
    name = get('op') + changes(get('variant'))
    return f'{name}: {MODES[get("mode")]}, {get("dtype")}, {dims}'
