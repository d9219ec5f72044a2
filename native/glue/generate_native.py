"""Generate the operator tables of the wheel's runtime from ops_yaml/.

Writes native_ops.cc (the tables) and spmd_rules.cc (registrations of SPMD rules),
which are compiled with native/, if the YAML has no faults. No operator is
special-cased.
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

import jinja2

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.common.wheel_headers import find_include
from scripts.op_rules.schema import ATTR_TYPES, load_dir, read_base_names

ROOT = Path(__file__).resolve().parents[2]
GLUE = ROOT / 'native/glue'


def camel(name):
    return name.title().replace('_', '')


def table_row(entry):
    """Return the template values of an entry."""
    forward = entry.forward_entry
    names = [t.name for t in entry.tensors]
    over = {out: names.index(x) for x, out in entry.inplace}
    attrs = [a.name for a in forward.attrs] if forward else []
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
    metas = {name: f'in[{i}]' for i, name in enumerate(names)}
    tensors = {
        t.name: f'Optional({metas[t.name]})'
        if t.optional
        else f'*{metas[t.name]}'
        for t in entry.tensors
    }
    return {
        'custom_op': vjp if forward else entry.name,
        'dtype_input': names.index(entry.data_type or names[0]),
        'inplace_input': -1 if forward else next(iter(over.values()), -1),
        'inputs': [
            (t, *origins.get(t.name, ('kNone', -1))) for t in entry.tensors
        ],
        'attrs': [
            (
                a.name,
                ATTR_TYPES[a.type][1],
                attrs.index(a.name) if forward else -1,
            )
            for a in entry.attrs
        ],
        'outputs': [
            (o, inputs.get(o, -1), over.get(o, -1)) for o in entry.outputs
        ],
        'extra_outputs': extra_outputs(entry) if entry.order == 2 else [],
        'infer_args': arguments(entry, entry.infer_meta_param, metas),
        'kernel_args': arguments(entry, entry.kernel_param, tensors),
    }


def extra_outputs(second):
    """Return the inputs of a second-order entry without a gradient there. Paddle
    expects one for each differentiable input of the first-order custom operator."""
    first = second.forward_entry
    return [
        at
        for at, (t, name) in enumerate(
            zip(first.tensors, second.forward_inputs)
        )
        if f'{t.name}_grad' in first.outputs
        and f'{name}_grad' not in second.outputs
    ]


def arguments(entry, param, tensors):
    """Return the C++ arguments of a function: those in `param`, or all."""
    texts = dict(tensors)
    for i, attr in enumerate(entry.attrs):
        texts[attr.name] = f'std::get<{ATTR_TYPES[attr.type][0]}>(attrs[{i}])'
    outputs = [f'out[{i}]' for i in range(len(entry.outputs))]
    return ', '.join([*(texts[name] for name in param or texts), *outputs])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', type=Path, default=ROOT / 'build/glue')
    parser.add_argument(
        '--paddle-include',
        type=Path,
        metavar='DIR',
        default=find_include(ROOT) / 'paddle',
        help='include/paddle of the Paddle whose operator names are reserved',
    )
    options = parser.parse_args()
    try:
        reserved = read_base_names(options.paddle_include)
        series = load_dir(ROOT / 'ops_yaml', reserved)
    except (OSError, ValueError) as error:
        sys.exit(f'generate_native: {error}')
    base = load_dir(ROOT / 'native/kernels/base_ops')
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(GLUE),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {'camel': camel, 'table_row': table_row}
    headers = (ROOT / 'kernels/infermeta').glob('*.h')
    context = {
        'headers': sorted(path.name for path in headers),
        'series': series,
        'entries': series | base,
        'paddle_version': version('paddlepaddle'),
    }
    for name in environment.list_templates(extensions=['j2']):
        text = environment.get_template(name).render(context)
        write_if_changed(options.out / name.removesuffix('.j2'), text.encode())


if __name__ == '__main__':
    main()
