"""One YAML entry, as the templates of the wheel target's glue want it.

That it can be expressed is known: check_ops_yaml.py has found no fault.
"""

import re
from dataclasses import dataclass

from scripts.op_rules import schema

# YAML type -> (C++ type in a kernel's signature, C++ type held, AttrType)
ATTR_TYPES = {
    'bool': ('bool', 'bool', 'kBool'),
    'int': ('int', 'int', 'kInt'),
    'int64_t': ('int64_t', 'int64_t', 'kInt64'),
    'float': ('float', 'float', 'kFloat'),
    'str': ('const std::string&', 'std::string', 'kString'),
}


class GlueError(ValueError):
    """Entries that no glue can be made of; the text has all faults."""


def camel(name):
    return ''.join(part.capitalize() for part in name.split('_'))


def custom_name(name, bases):
    """What an entry's Tensor is called in a custom operator.

    `bases` are the Tensors of the forward entry. Their gradients are called
    <name>_grad, or grad_<name> in the gradient of a gradient, and those of
    higher order have more of either.
    """
    found = re.fullmatch(rf'((?:grad_)*)({"|".join(bases)})((?:_grad)*)', name)
    before, base, after = found.groups()
    return base + '@GRAD' * (before + after).count('grad')


@dataclass
class EntryView:
    """One entry as the templates want it."""

    op_file: schema.OpFile
    entry: schema.Entry
    in_paddle: bool = False  # an operator that Paddle has

    @property
    def name(self):
        return self.entry.name

    @property
    def camel(self):
        return camel(self.name)

    @property
    def chain(self):
        """The forward entry, its gradient, the gradient's gradient and so on."""
        chain = [self.op_file.forward]
        while chain[-1].backward:
            chain.append(self.op_file.entry(chain[-1].backward))
        return chain

    @property
    def order(self):
        return self.chain.index(self.entry)

    def _custom_name(self, name):
        forward = self.op_file.forward
        bases = [t.name for t in (*forward.tensors, *forward.outputs)]
        return custom_name(name, bases)

    @property
    def infer_args(self):
        args = self._args(self.entry.infer_meta_param, 'in[{}]')
        return args + [f'out[{i}]' for i in range(len(self.entry.outputs))]

    @property
    def infer_types(self):
        """C++: the types of what the InferMeta function takes."""
        types = [
            ATTR_TYPES[arg.type][0]
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
                types.append(ATTR_TYPES[arg.type][0])
            elif arg.optional:
                types.append('const paddle::optional<phi::DenseTensor>&')
            else:
                types.append('const phi::DenseTensor&')
        return types + ['phi::DenseTensor*'] * len(self.entry.outputs)

    def spmd_types(self, reverse=False):
        """C++: the types of what the SPMD rule takes, or that from the result.
        Python hands it every whole number as an int."""
        count = len(self.entry.tensors)
        count += len(self.entry.outputs) if reverse else 0
        types = {**ATTR_TYPES, 'int64_t': ATTR_TYPES['int']}
        attrs = [types[a.type][0] for a in self.entry.attrs]
        return ['const DistMetaTensor&'] * count + attrs

    @property
    def kernel_function(self):
        return f'{camel(self.entry.kernel)}Kernel'

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
                held = ATTR_TYPES[arg.type][1]
                args.append(f'std::get<{held}>(attrs[{i}])')
                continue
            i = self.entry.tensors.index(arg)
            if arg.optional and tensor_format.startswith('*'):
                args.append(f'Optional(in[{i}])')
            else:
                args.append(tensor_format.format(i))
        return args

    @property
    def input_names(self):
        return tuple(t.name for t in self.entry.tensors)

    @property
    def dtype_input(self):
        name = self.entry.data_type or self.entry.tensors[0].name
        return self.input_names.index(name)

    @property
    def inplace_input(self):
        if not self.entry.inplace or self.entry.is_backward:
            return -1
        return self.input_names.index(self.entry.inplace[0][0])

    @property
    def inputs(self):
        return [
            {
                'name': t.name,
                'optional': t.optional,
                'needs_buffer': not t.no_need_buffer,
                **self._source(self._custom_name(t.name)),
            }
            for t in self.entry.tensors
        ]

    def _over(self, output):
        """The input over which an output may be written, or -1."""
        for source, target in self.entry.inplace:
            if target == output:
                return self.input_names.index(source)
        return -1

    @property
    def attrs(self):
        return [
            {
                'name': a.name,
                'enum': ATTR_TYPES[a.type][2],
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
                'at': self._output_source(o.name),
                'over': self._over(o.name),
            }
            for o in self.entry.outputs
        ]

    @property
    def extra_outputs(self):
        """Paddle wants a second-order custom operator to have a gradient for
        every differentiable input that the first-order one reads: which inputs
        have none else."""
        if self.order != 2:
            return []
        first = self.chain[1]
        gradients = {o.name for o in first.outputs}
        there = self._call_names(self.entry.outputs)
        return [
            self.input_names.index(t.name)
            for t in first.tensors
            if f'{t.name}_grad' in gradients and f'{t.name}@GRAD' not in there
        ]

    @property
    def has_header(self):
        """Whether one declares the kernel: of gradients, Paddle's own have one."""
        return self.order == 0 or (self.in_paddle and self.order == 1)

    @property
    def recorded(self):
        """C++: a function of base_kernels.h."""
        return self.entry.raw.get('recorded', 'nullptr')

    @property
    def gradient(self):
        """C++: the function that returns the gradient's entry."""
        backward = self.entry.backward
        return f'{camel(backward)}Spec' if backward else 'nullptr'

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
        return [self._custom_name(a.name) for a in arguments]

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
        return {'kind': 'kGradient', 'at': results.index(result)}

    def _output_source(self, name):
        """The call's input that an output is the gradient of."""
        if self._call is None:
            return -1
        inputs = self._call_names(self._call.tensors)
        found = self._custom_name(name).removesuffix('@GRAD')
        return inputs.index(found)

    def _attr_source(self, name):
        """Which attribute of the call an attribute is."""
        if self._call is None:
            return -1
        return [a.name for a in self._call.attrs].index(name)
