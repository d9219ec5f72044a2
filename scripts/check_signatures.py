"""Compares what ops_yaml says with the C++ of kernels/, names and types.

For every entry, gradients included: the InferMeta declaration and definition,
the kernel's declaration, its definition for each backend, and its
registration. All faults are shown in one run. Exit status: 0 clean, 1 faults.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

from cpp_signatures import Parameter, read_functions, read_registrations
from op_schema import SchemaError, load_dir

ROOT = Path(__file__).resolve().parents[1]
BACKENDS = {'cpu': 'CPU', 'gpu': 'GPU'}
SUFFIXES = {'.h', '.cc', '.cu'}
ATTRIBUTES = {
    'str': 'const std::string&',
    'IntArray': 'const IntArray&',
    'Place': 'const Place&',
}
PLAIN = ('bool', 'int', 'int64_t', 'float', 'double', 'DataType', 'DataLayout')


@dataclass
class Sources:
    """What the C++ files declare, define and register."""

    declared: dict = field(default_factory=dict)
    infer_declared: dict = field(default_factory=dict)
    infer_defined: dict = field(default_factory=dict)
    # backend -> name -> functions, and backend -> registrations
    defined: dict = field(default_factory=dict)
    registered: dict = field(default_factory=dict)


def read_sources(kernels):
    """Sources below a kernels folder."""
    sources = Sources()
    for backend in BACKENDS:
        sources.defined[backend] = {}
        sources.registered[backend] = []
    for path in sorted(Path(kernels).rglob('*')):
        if path.suffix in SUFFIXES:
            _read_file(sources, path, path.relative_to(kernels).as_posix())
    return sources


def _read_file(sources, path, name):
    text = path.read_text(encoding='utf-8')
    top = name.split('/')[0] if '/' in name else ''
    functions = read_functions(text, f'kernels/{name}')
    if top == 'infermeta':
        for function in functions:
            place = sources.infer_declared
            if function.has_body:
                place = sources.infer_defined
            place.setdefault(function.name, []).append(function)
    elif top == '':
        for function in functions:
            if not function.has_body:
                sources.declared.setdefault(function.name, []).append(function)
    elif top in BACKENDS:
        for function in functions:
            if function.has_body and function.name.endswith('Kernel'):
                place = sources.defined[top]
                place.setdefault(function.name, []).append(function)
        sources.registered[top] += read_registrations(text, f'kernels/{name}')


def camel(name):
    return ''.join(word.capitalize() for word in name.split('_'))


def attribute_type(kind):
    """The C++ type of a YAML attribute."""
    if kind.startswith('Scalar') and not kind.endswith('[]'):
        return 'const Scalar&'
    if kind.endswith('[]'):
        inner = {'str': 'std::string'}.get(kind[:-2], kind[:-2])
        return f'const std::vector<{inner}>&'
    return kind if kind in PLAIN else ATTRIBUTES.get(kind, kind)


def input_type(tensor, cls):
    """The C++ type of a Tensor argument for kernels or InferMeta."""
    inner = f'const std::vector<const {cls}*>'
    if tensor.type == 'Tensor[]':
        if tensor.optional and cls == 'DenseTensor':
            return f'const paddle::optional<{inner[6:]}>&'
        return f'{inner}&'
    if tensor.optional and cls == 'DenseTensor':
        return f'const paddle::optional<{cls}>&'
    return f'const {cls}&'


def expected(entry, chosen, cls):
    """Parameters that the YAML asks for: inputs, attributes, outputs."""
    inputs = {t.name: input_type(t, cls) for t in entry.tensors}
    inputs.update({a.name: attribute_type(a.type) for a in entry.attrs})
    order = inputs if chosen is None else chosen
    result = [Parameter(inputs.get(n, '(unknown)'), n) for n in order]
    for output in entry.outputs:
        many = output.type == 'Tensor[]'
        kind = f'std::vector<{cls}*>' if many else f'{cls}*'
        result.append(Parameter(kind, output.name))
    return result


def compare(function, wanted, names=True):
    """Differences of a function from the parameters that are wanted."""
    present = list(function.parameters)
    if present and present[-1].type == 'MetaConfig':
        present.pop()
    if len(present) != len(wanted):
        return [
            f'{function.where}: {function.name} takes {len(present)} '
            f'parameters, expected {len(wanted)}: '
            f'{", ".join(map(str, wanted))}'
        ]
    faults = []
    for number, (has, want) in enumerate(zip(present, wanted), 1):
        same_name = not names or has.name == want.name
        if not has.name and function.has_body:
            same_name = True  # an unused parameter need not be named
        if has.type != want.type or not same_name:
            shown = has if names else has.type
            faults.append(
                f'{function.where}: {function.name}: parameter {number} is '
                f'`{shown}`, expected `{want if names else want.type}`'
            )
    return faults


def check_entry(entry, sources, upstream, backends):
    """Faults of one entry."""
    return check_infer_meta(entry, sources, upstream) + check_kernel(
        entry, sources, backends
    )


def check_infer_meta(entry, sources, upstream):
    name, where = entry.infer_meta, entry.where
    wanted = expected(entry, entry.infer_meta_param, 'MetaTensor')
    declared = sources.infer_declared.get(name, [])
    defined = sources.infer_defined.get(name, [])
    if not declared and not defined and name in upstream:
        return [f'{where}: {x}' for x in compare(upstream[name], wanted, False)]
    faults = _exactly_one(where, f'declaration of {name}', declared)
    faults += _exactly_one(where, f'definition of {name}', defined)
    for function in declared + defined:
        faults += [f'{where}: {x}' for x in compare(function, wanted)]
    return faults


def check_kernel(entry, sources, backends):
    where, name = entry.where, f'{camel(entry.kernel)}Kernel'
    context = Parameter('const Context&', 'dev_ctx')
    wanted = [context, *expected(entry, entry.kernel_param, 'DenseTensor')]
    declared = sources.declared.get(name, [])
    faults = _exactly_one(where, f'declaration of {name}', declared)
    functions = list(declared)
    for backend in backends:
        what = f'{BACKENDS[backend]} definition of {name}'
        defined = sources.defined[backend].get(name, [])
        faults += _exactly_one(where, what, defined)
        functions += defined
        faults += _check_registration(entry, name, sources, backend)
    for function in functions:
        faults += [f'{where}: {x}' for x in compare(function, wanted)]
    return faults


def _check_registration(entry, function, sources, backend):
    what = f'{BACKENDS[backend]} registration of {entry.kernel}'
    found = [r for r in sources.registered[backend] if r.kernel == entry.kernel]
    faults = _exactly_one(entry.where, what, found)
    for item in found:
        if item.function != function:
            faults.append(
                f'{entry.where}: {item.where}: {entry.kernel} is registered '
                f'with {item.function}, expected {function}'
            )
        if item.backend != BACKENDS[backend]:
            faults.append(
                f'{entry.where}: {item.where}: {entry.kernel} is registered '
                f'for {item.backend} in kernels/{backend}'
            )
    return faults


def _exactly_one(where, what, found):
    if len(found) == 1:
        return []
    places = ', '.join(item.where for item in found) or 'none'
    return [f'{where}: expected one {what}, found {len(found)}: {places}']


def check_left_over(entries, sources):
    """C++ that no YAML entry speaks of."""
    infer = {entry.infer_meta for entry in entries}
    kernels = {entry.kernel for entry in entries}
    faults = []
    for name, functions in sources.infer_declared.items():
        if name not in infer:
            faults.append(f'{functions[0].where}: no entry uses {name}')
    for backend in BACKENDS:
        for item in sources.registered[backend]:
            if item.kernel not in kernels:
                faults.append(f'{item.where}: no entry uses {item.kernel}')
    return faults


def backends_of(op_file, sources):
    """CPU, and GPU as soon as one kernel of the operator is there."""
    names = {entry.kernel for entry in op_file.entries}
    gpu = any(item.kernel in names for item in sources.registered['gpu'])
    return ['cpu', 'gpu'] if gpu else ['cpu']


def read_upstream(include):
    """{name: declaration} of Paddle's own InferMeta headers."""
    found = {}
    for path in sorted(Path(include).glob('paddle/phi/infermeta/*.h')):
        for function in read_functions(
            path.read_text(encoding='utf-8'), path.name
        ):
            found[function.name] = function
    return found


def check(root, include):
    """Faults of a project folder."""
    try:
        files = load_dir(Path(root) / 'ops_yaml')
    except SchemaError as error:
        return [str(error)]
    sources = read_sources(Path(root) / 'kernels')
    upstream = read_upstream(include)
    faults = []
    for op_file in files:
        backends = backends_of(op_file, sources)
        for entry in op_file.entries:
            faults += check_entry(entry, sources, upstream, backends)
    entries = [entry for op_file in files for entry in op_file.entries]
    return faults + check_left_over(entries, sources)


def default_include(root):
    """The headers of the Paddle of this Python, or of the build's."""
    own = Path(sysconfig.get_paths()['purelib'], 'paddle/include')
    pattern = 'build/venv/lib/python3*/site-packages/paddle/include'
    found = [p for p in (own, *sorted(Path(root).glob(pattern))) if p.is_dir()]
    return found[0] if found else own


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--root', type=Path, default=ROOT)
    parser.add_argument(
        '--include', type=Path, help="the wheel's paddle/include"
    )
    options = parser.parse_args(arguments)
    include = options.include or default_include(options.root)
    faults = check(options.root, include)
    for fault in faults:
        print(f'check_signatures: {fault}', file=sys.stderr)
    print(f'check_signatures: {"FAILED" if faults else "clean"}')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
