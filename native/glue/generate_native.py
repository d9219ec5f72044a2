"""Generate the operator tables of the wheel's runtime from ops_yaml/.

Writes native_ops.cc (the tables) and spmd_rules.cc (registrations of SPMD rules),
which are compiled with native/. No operator is special-cased.
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

import jinja2

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.common.wheel_headers import find_include
from scripts.op_rules.check_ops_yaml import check_folder, read_base_names
from scripts.op_rules.schema import ATTR_TYPES, load_dir

ROOT = Path(__file__).resolve().parents[2]
INFERMETA = ROOT / 'kernels/infermeta'
BASE_OPS = ROOT / 'native/kernels/base_ops'


def camel(name):
    return name.title().replace('_', '')


def table_row(chain, order, in_paddle):
    """Return the template values of an entry, the gradient of order `order` in the
    chain of an operator. in_paddle: whether the operator is Paddle's own."""
    entry = chain[order]
    names = [t.name for t in entry.tensors]
    over = {out: names.index(x) for x, out in entry.inplace}
    attrs = [a.name for a in chain[order - 1].attrs] if order else []
    origins = {
        name: (kind, at)
        for kind, origin_names in (
            ('kGradient', [f'{name}_grad' for name in entry.forward_outputs]),
            ('kResult', entry.forward_outputs),
            ('kInput', entry.forward_inputs),
        )
        for at, name in enumerate(origin_names)
    }
    # An output of a gradient is the gradient of an input of the forward entry.
    inputs = {f'{x}_grad': at for at, x in enumerate(entry.forward_inputs)}
    # Paddle treats a custom operator x_grad as the gradient of x.
    vjp = entry.name.removesuffix('_grad') + '_vjp'
    forms = [
        'Optional(in[{}])' if t.optional else '*in[{}]' for t in entry.tensors
    ]
    return {
        'entry': entry,
        'camel': camel(entry.name),
        'in_paddle': in_paddle,
        'custom_op': vjp if order else entry.name,
        'gradient': f'{camel(entry.backward)}Spec'
        if entry.backward
        else 'nullptr',
        'dtype_input': names.index(entry.data_type or names[0]),
        'inplace_input': -1 if order else next(iter(over.values()), -1),
        'inputs': [
            (t, *(origins[t.name] if order else ('kNone', -1)))
            for t in entry.tensors
        ],
        'attrs': [
            (a.name, ATTR_TYPES[a.type][1], attrs.index(a.name) if order else -1)
            for a in entry.attrs
        ],
        'outputs': [
            (o.name, inputs[o.name] if order else -1, over.get(o.name, -1))
            for o in entry.outputs
        ],
        'extra_outputs': extra_outputs(chain) if order == 2 else [],
        'infer_args': arguments(
            entry, entry.infer_meta_param, ['in[{}]'] * len(names)
        ),
        'kernel_args': arguments(entry, entry.kernel_param, forms),
    }  # fmt: skip


def extra_outputs(chain):
    """Return the inputs of a second-order entry without a gradient there. Paddle
    expects one for each differentiable input of the first-order custom operator."""
    _, first, second = chain[:3]
    differentiable = {o.name for o in first.outputs}
    outputs = {o.name for o in second.outputs}
    names = [t.name for t in second.tensors]
    return [
        names.index(name)
        for t, name in zip(first.tensors, second.forward_inputs)
        if f'{t.name}_grad' in differentiable and f'{name}_grad' not in outputs
    ]


def arguments(entry, param, forms):
    """Return the C++ arguments of a function: those in `param`, or all."""
    texts = {t.name: forms[i].format(i) for i, t in enumerate(entry.tensors)}
    for i, attr in enumerate(entry.attrs):
        texts[attr.name] = f'std::get<{ATTR_TYPES[attr.type][0]}>(attrs[{i}])'
    outputs = [f'out[{i}]' for i in range(len(entry.outputs))]
    return ', '.join([*(texts[name] for name in param or texts), *outputs])


def table_rows(files, in_paddle=False):
    return [
        table_row(file.chain, order, in_paddle)
        for file in files
        for order in range(len(file.chain))
    ]


def render(yaml_dir, paddle_version):
    """Return {name: text} of the generated files."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT / 'native/glue'),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    files = load_dir(yaml_dir)
    series = table_rows(files)
    context = {
        'headers': sorted(p.name for p in INFERMETA.glob('*.h')),
        'series': series,
        'entries': series + table_rows(load_dir(BASE_OPS), in_paddle=True),
        'paddle_version': paddle_version,
    }
    return {
        name.removesuffix('.j2'): environment.get_template(name).render(context)
        for name in environment.list_templates(extensions=['j2'])
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', type=Path, default=ROOT / 'build/glue')
    out = parser.parse_args().out
    folder = ROOT / 'ops_yaml'
    reserved = read_base_names(find_include(ROOT) / 'paddle')
    if faults := check_folder(folder, reserved):
        sys.exit('\n'.join(faults))
    for name, text in render(folder, version('paddlepaddle')).items():
        write_if_changed(out / name, text.encode())


if __name__ == '__main__':
    main()
