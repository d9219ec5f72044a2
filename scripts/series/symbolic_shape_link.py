"""Every operator that asks for a symbolic shape has its function, by linking.

Paddle's generated code calls <Name>OpInferSymbolicShape for each entry of
ops.yaml whose `interfaces` name InferSymbolicShapeInterface, for a form in place
too. A caller like that is compiled with the headers of the replayed tree, and
the definitions that the patches add: what the caller lacks is found by the
compiler if it is not declared, by the symbols of the objects if it is only that.
"""

from __future__ import annotations

import subprocess

import yaml

from scripts.series.patch_repo import git
from scripts.series.symbolic_shape_edits import FOLDER

OPS_YAML = 'paddle/phi/ops/yaml/ops.yaml'
INTERFACE = 'InferSymbolicShapeInterface'
CALLER = 'symbolic_shape_caller.cc'
CALLER_TEXT = """\
#include "{header}"

using Infer = bool (*)(pir::Operation*, pir::InferSymbolicShapeContext*);
extern const Infer kCalled[];
const Infer kCalled[] = {{
{functions}}};
"""


def wanted_names(folder):
    """Names of the functions that the added entries of ops.yaml call for."""
    before = yaml.safe_load(git(folder, 'show', f'HEAD:{OPS_YAML}')) or []
    after = yaml.safe_load((folder / OPS_YAML).read_text(encoding='utf-8'))
    known = {entry['op'] for entry in before}
    names = []
    for entry in after:
        if entry['op'] in known or INTERFACE not in entry.get('interfaces', ''):
            continue
        name = ''.join(word.capitalize() for word in entry['op'].split('_'))
        names += [name, f'{name}_'] if 'inplace' in entry else [name]
    return names


def definitions(folder, added):
    """The sources among the added files that may define the functions."""
    return [
        folder / name
        for name in added
        if name.startswith(FOLDER) and name.endswith('.cc')
    ]


def write_caller(folder, names):
    functions = ''.join(
        f'    &paddle::dialect::{name}OpInferSymbolicShape,\n' for name in names
    )
    unit = folder / CALLER
    text = CALLER_TEXT.format(
        header=f'{FOLDER}infer_symbolic_shape.h', functions=functions
    )
    unit.write_text(text, encoding='utf-8')
    return unit


def symbols(path, kind):
    """Mangled names: `kind` is an option of nm."""
    done = subprocess.run(
        ['nm', '--format=posix', kind, str(path)],
        capture_output=True, check=True, encoding='utf-8',
    )  # fmt: skip
    return {line.split()[0] for line in done.stdout.splitlines()}


def link_faults(names, caller, objects):
    """One text for each function that is called and in no object."""
    called = symbols(caller, '--undefined-only')
    for path in objects:
        called -= symbols(path, '--defined-only')
    return [
        f'{name}OpInferSymbolicShape: ops.yaml asks for it and a header '
        'declares it, but no added file defines it: the link would fail'
        for name in names
        if any(_is(symbol, name) for symbol in called)
    ]


def _is(symbol, name):
    function = f'{name}OpInferSymbolicShape'
    return f'{len(function)}{function}' in symbol
