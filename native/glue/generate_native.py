"""Generate the operator tables of the wheel's runtime from ops_yaml/.

Writes native_ops.cc (the tables) and spmd_rules.cc (registrations of SPMD rules),
which are compiled with native/. No operator is special-cased by name.
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

import jinja2

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from native.glue.entry import EntryView, GlueError, camel
from scripts.common.files import write_if_changed
from scripts.common.wheel_headers import default_include
from scripts.op_rules import schema
from scripts.op_rules.check_ops_yaml import base_names, check_folder

FILES = ('native_ops.cc', 'spmd_rules.cc')
ROOT = Path(__file__).resolve().parents[2]
BASE_OPS = ROOT / 'native/kernels/base_ops'


def render(yaml_dir, paddle_version):
    """Return {file name: text}. Raises GlueError for invalid entries."""
    taken = base_names(default_include(ROOT) / 'paddle')
    faults = check_folder(yaml_dir, taken)
    if faults:
        raise GlueError('\n'.join(faults))
    return render_files(schema.load_dir(yaml_dir), paddle_version)


def views(files, is_base=False):
    return [
        EntryView(op_file, entry, is_base)
        for op_file in files
        for entry in EntryView(op_file, op_file.forward).chain
    ]


def render_files(files, paddle_version):
    """Return {file name: text} for parsed entries and Paddle's own operators."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT / 'native/glue'),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters['camel'] = camel
    series = views(files)
    context = {
        'stems': [f.path.stem for f in files],
        'series': series,
        'entries': series + views(schema.load_dir(BASE_OPS), is_base=True),
        'paddle_version': paddle_version,
    }
    return {
        name: environment.get_template(f'{name}.j2').render(context)
        for name in FILES
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--yaml-dir', type=Path, default=ROOT / 'ops_yaml')
    parser.add_argument('--out', type=Path, default=ROOT / 'build/glue')
    parser.add_argument(
        '--paddle-version',
        help='the Paddle to build for (default: the installed one)',
    )
    args = parser.parse_args()
    paddle_version = args.paddle_version or version('paddlepaddle')
    try:
        texts = render(args.yaml_dir, paddle_version)
    except GlueError as error:
        sys.exit(f'generate_native: {error}')
    for name, text in texts.items():
        write_if_changed(args.out / name, text.encode())


if __name__ == '__main__':
    main()
