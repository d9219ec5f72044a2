"""One YAML entry, as the templates of the wheel target's glue want it."""

from dataclasses import dataclass

from native.python_entry import GlueError, PythonSide
from scripts.op_rules import schema

# YAML type -> (C++ type in a kernel's signature, C++ type held, AttrType)
ATTR_TYPES = {
    'bool': ('bool', 'bool', 'kBool'),
    'int': ('int', 'int', 'kInt'),
    'int64_t': ('int64_t', 'int64_t', 'kInt64'),
    'float': ('float', 'float', 'kFloat'),
    'str': ('const std::string&', 'std::string', 'kString'),
}


def attr_type(entry, attr):
    """The row of ATTR_TYPES for an attribute."""
    if attr.type not in ATTR_TYPES:
        known = ', '.join(ATTR_TYPES)
        raise GlueError(
            f'{entry.where}: attribute `{attr.name}` has type `{attr.type}`; '
            f'the glue knows {known}'
        )
    return ATTR_TYPES[attr.type]


def cpp_bool(value):
    return 'true' if value else 'false'


def camel(name):
    return ''.join(part.capitalize() for part in name.split('_'))


def custom_name(name, forward):
    """What a backward entry's Tensor is called in a custom operator.

    `forward` is the entry's own forward signature: its outputs' gradients
    come in as <name>_grad, its inputs' gradients go out as <name>_grad, and a
    second-order entry sees first-order gradients as grad_<name>.
    """
    if forward is None:
        return name
    seen = [t.name for t in (*forward.tensors, *forward.outputs)]
    suffix = ''
    if name not in seen and name.endswith('_grad'):
        name, suffix = name[: -len('_grad')], '@GRAD'
    if name.startswith('grad_'):
        name, suffix = name[len('grad_') :], '@GRAD' + suffix
    return name + suffix


@dataclass
class EntryView(PythonSide):
    """One entry as the templates want it."""

    op_file: schema.OpFile
    entry: schema.Entry

    @property
    def name(self):
        return self.entry.name

    @property
    def camel(self):
        return camel(self.name)

    @property
    def forward_camel(self):
        return camel(self.op_file.forward.name)

    @property
    def chain(self):
        """The forward entry, its gradient, the gradient's gradient."""
        chain = [self.op_file.forward]
        while chain[-1].backward:
            following = self.op_file.entry(chain[-1].backward)
            if following is None or following in chain:
                raise GlueError(
                    f'{chain[-1].where}: backward `{chain[-1].backward}` is '
                    f'not an entry of {self.op_file.path.name}'
                )
            chain.append(following)
        return chain

    @property
    def order(self):
        if self.entry not in self.chain[:3]:
            raise GlueError(f'{self.entry.where}: no entry leads to it')
        return self.chain.index(self.entry)

    @property
    def infer_meta(self):
        if not self.entry.infer_meta:
            raise GlueError(f'{self.entry.where}: infer_meta func is missing')
        return self.entry.infer_meta

    @property
    def infer_args(self):
        args = self._args(self.entry.infer_meta_param, 'in[{}]')
        return args + [f'out[{i}]' for i in range(len(self.entry.outputs))]

    @property
    def kernel(self):
        if not self.entry.kernel:
            raise GlueError(f'{self.entry.where}: kernel func is missing')
        return self.entry.kernel

    @property
    def infer_types(self):
        """C++: the types of what the InferMeta function takes."""
        types = [
            attr_type(self.entry, arg)[0]
            if isinstance(arg, schema.Attr)
            else 'const phi::MetaTensor&'
            for arg in self._selected(self.entry.infer_meta_param)
        ]
        return types + ['phi::MetaTensor*'] * len(self.entry.outputs)

    def kernel_types(self, backend):
        """C++: the types of what the kernel takes on a backend, CPU or GPU."""
        types = [f'const phi::{backend}Context&']
        for arg in self._selected(self.entry.kernel_param):
            if isinstance(arg, schema.Attr):
                types.append(attr_type(self.entry, arg)[0])
            elif arg.optional:
                types.append('const paddle::optional<phi::DenseTensor>&')
            else:
                types.append('const phi::DenseTensor&')
        return types + ['phi::DenseTensor*'] * len(self.entry.outputs)

    @property
    def kernel_function(self):
        return f'{camel(self.kernel)}Kernel'

    @property
    def kernel_args(self):
        args = self._args(self.entry.kernel_param, '*in[{}]')
        outputs = [f'out[{i}]' for i in range(len(self.entry.outputs))]
        return ['CpuContext()', *args, *outputs]

    def _selected(self, param):
        everything = (*self.entry.tensors, *self.entry.attrs)
        if param is None:
            return list(everything)
        by_name = {arg.name: arg for arg in everything}
        return [by_name[name] for name in param]

    def _args(self, param, tensor_format):
        args = []
        for arg in self._selected(param):
            if isinstance(arg, schema.Attr):
                i = self.entry.attrs.index(arg)
                held = attr_type(self.entry, arg)[1]
                args.append(f'std::get<{held}>(attrs[{i}])')
                continue
            i = self.entry.tensors.index(arg)
            if arg.optional and tensor_format.startswith('*'):
                args.append(f'Optional(in[{i}])')
            else:
                args.append(tensor_format.format(i))
        return args

    @property
    def dtype_input(self):
        name = self.entry.data_type or self.entry.tensors[0].name
        names = [t.name for t in self.entry.tensors]
        if name not in names:
            raise GlueError(
                f'{self.entry.where}: data_type `{name}` is not a Tensor'
            )
        return names.index(name)

    @property
    def inplace_input(self):
        if not self.entry.inplace or self.entry.is_backward:
            return -1
        if len(self.entry.outputs) != 1 or len(self.entry.inplace) != 1:
            raise GlueError(
                f'{self.entry.where}: in place needs one pair, one output'
            )
        names = [t.name for t in self.entry.tensors]
        return names.index(self.entry.inplace[0][0])

    @property
    def inputs(self):
        return [
            {
                'name': t.name,
                'optional': cpp_bool(t.optional),
                'needs_buffer': cpp_bool(not t.no_need_buffer),
                'custom_name': custom_name(t.name, self.entry.forward),
                **self._source(custom_name(t.name, self.entry.forward)),
            }
            for t in self.entry.tensors
        ]

    def _over(self, output):
        """The input over which an output may be written, or -1."""
        names = [t.name for t in self.entry.tensors]
        for source, target in self.entry.inplace:
            if target == output:
                return names.index(source)
        return -1

    @property
    def attrs(self):
        return [
            {
                'name': a.name,
                'enum': attr_type(self.entry, a)[2],
                'at': self._attr_source(a.name),
            }
            for a in self.entry.attrs
        ]

    @property
    def custom_op(self):
        """The custom operator that runs this entry. A gradient's ends in _vjp:
        in a name with _grad Paddle sees the gradient of the operator that is
        named before that."""
        if not self.entry.is_backward:
            return self.name
        return self.name.removesuffix('_grad') + '_vjp'

    @property
    def outputs(self):
        return [
            {
                'name': o.name,
                'custom_name': custom_name(o.name, self.entry.forward),
                'at': self._output_source(o.name),
                'over': self._over(o.name),
            }
            for o in self.entry.outputs
        ]

    @property
    def extra_outputs(self):
        """Paddle wants a second-order custom operator to have a gradient for
        every differentiable input that the first-order one reads."""
        if self.order != 2:
            return []
        first = self.chain[1]
        gradients = {o.name for o in first.outputs}
        there = [o['custom_name'] for o in self.outputs]
        return [
            f'{t.name}@GRAD'
            for t in first.tensors
            if f'{t.name}_grad' in gradients and f'{t.name}@GRAD' not in there
        ]

    @property
    def is_backward(self):
        return cpp_bool(self.entry.is_backward)

    @property
    def gradient(self):
        """C++: the function that returns the gradient's entry."""
        if not self.entry.backward:
            return 'nullptr'
        return f'{camel(self.entry.backward)}Spec'

    # ---- how a gradient hangs on the call that it is the gradient of

    @property
    def _call(self):
        """That call's entry, or None for a forward entry."""
        order = self.order
        return self.chain[order - 1] if order else None

    @property
    def called_op(self):
        """The custom operator that this entry is the gradient of."""
        return EntryView(self.op_file, self._call).custom_op

    def _call_names(self, arguments):
        return [custom_name(a.name, self._call.forward) for a in arguments]

    def _source(self, name):
        """The call's Tensor, or the incoming gradient, that an input is."""
        if self._call is None:
            return {'kind': 'kNowhere', 'at': -1}
        inputs = self._call_names(self._call.tensors)
        results = self._call_names(self._call.outputs)
        if name in inputs:
            return {'kind': 'kInput', 'at': inputs.index(name)}
        if name in results:
            return {'kind': 'kResult', 'at': results.index(name)}
        result = name.removesuffix('@GRAD')
        if result not in results:
            raise GlueError(
                f'{self.entry.where}: `{name}` is neither a Tensor of '
                f'`{self._call.name}` nor the gradient of a result'
            )
        return {'kind': 'kGradient', 'at': results.index(result)}

    def _output_source(self, name):
        """The call's input that an output is the gradient of."""
        if self._call is None:
            return -1
        inputs = self._call_names(self._call.tensors)
        found = custom_name(name, self.entry.forward).removesuffix('@GRAD')
        if found not in inputs:
            raise GlueError(
                f'{self.entry.where}: output `{name}` is the gradient of no '
                f'input of `{self._call.name}`'
            )
        return inputs.index(found)

    def _attr_source(self, name):
        """Which attribute of the call an attribute is."""
        if self._call is None:
            return -1
        names = [a.name for a in self._call.attrs]
        if name not in names:
            raise GlueError(
                f'{self.entry.where}: attribute `{name}` is not one of '
                f'`{self._call.name}`; the glue hands on those of the operator'
            )
        return names.index(name)


def check_entries(op_file):
    """Raise a GlueError for what the glue cannot express of an operator."""
    entry = op_file.forward
    if not entry.backward:
        return
    if len(entry.outputs) > 1:
        raise GlueError(
            f'{entry.where}: has {len(entry.outputs)} results and a gradient; '
            f'the glue knows gradients of one result'
        )
    absent = [t.name for t in entry.tensors if t.optional]
    if absent:
        raise GlueError(
            f'{entry.where}: `{absent[0]}` is optional; the glue knows '
            f'optional Tensors in gradients only'
        )
