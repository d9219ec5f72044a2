"""Generate the operator tables of the wheel's runtime from ops_yaml/.

Writes native_ops.cc, which is compiled with native/, if the YAML has no faults.
No operator is special-cased.
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

import jinja2

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.op_rules.schema import load_dir

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = Path(__file__).with_name('native_ops.cc.j2')


def camel(name):
    return name.title().replace('_', '')


def table_row(entry):
    """Return the template values of an entry."""
    names = [t.name for t in entry.tensors]
    metas = {name: f'in[{i}]' for i, name in enumerate(names)}
    tensors = {
        t.name: f'Optional(in[{i}])' if t.optional else f'*in[{i}]'
        for i, t in enumerate(entry.tensors)
    }
    # Paddle treats a custom operator x_grad as the gradient of x.
    vjp = entry.name.removesuffix('_grad') + '_vjp'
    return {
        'custom_op': vjp if entry.is_backward else entry.name,
        'dtype_input': names.index(entry.data_type),
        'reused_inputs': {out: names.index(x) for x, out in entry.inplace},
        'infer_args': arguments(entry, metas, entry.infer_meta.param),
        'kernel_args': arguments(entry, tensors),
    }


def arguments(entry, tensors, param=None):
    """Return the C++ arguments of a function: those in `param`, or all."""
    texts = dict(tensors)
    for i, attr in enumerate(entry.attrs):
        texts[attr.name] = f'std::get<{attr.type}>(attrs[{i}])'
    outputs = [f'out[{i}]' for i in range(len(entry.outputs))]
    return ', '.join([*(texts[name] for name in param or texts), *outputs])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', type=Path, default=ROOT / 'build/glue')
    options = parser.parse_args()
    series = load_dir(ROOT / 'ops_yaml')
    template = jinja2.Template(
        TEMPLATE.read_text('utf-8'),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    headers = (ROOT / 'kernels/infermeta').glob('*.h')
    text = template.render(
        camel=camel,
        table_row=table_row,
        headers=sorted(path.name for path in headers),
        series=series,
        entries=series | load_dir(ROOT / 'native/kernels/base_ops'),
        paddle_version=version('paddlepaddle'),
    )
    write_if_changed(options.out / TEMPLATE.stem, text.encode())


if __name__ == '__main__':
    main()
