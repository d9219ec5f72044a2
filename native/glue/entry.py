"""One YAML entry, as the templates of the wheel target's glue want it.

That it can be expressed is known: check_ops_yaml.py has found no fault.
"""

import re

# YAML type -> (C++ type in a kernel's signature, C++ type held, AttrType)
ATTR_TYPES = {
    'bool': ('bool', 'bool', 'kBool'),
    'int': ('int', 'int', 'kInt'),
    'int64_t': ('int64_t', 'int64_t', 'kInt64'),
    'float': ('float', 'float', 'kFloat'),
    'str': ('const std::string&', 'std::string', 'kString'),
}
# By whether a Tensor is optional: its type in a kernel's signature, and what the
# glue gives the kernel.
KERNEL_TENSORS = {
    False: ('const phi::DenseTensor&', '*in[{}]'),
    True: ('const paddle::optional<phi::DenseTensor>&', 'Optional(in[{}])'),
}


class GlueError(ValueError):
    """Entries that no glue can be made of; the text has all faults."""


def camel(name):
    return ''.join(part.capitalize() for part in name.split('_'))


def custom_op(entry):
    """The custom operator that runs an entry. A gradient's ends in _vjp: in a
    name with _grad Paddle sees the gradient of the operator that is named
    before that."""
    if not entry.is_backward:
        return entry.name
    return entry.name.removesuffix('_grad') + '_vjp'


def custom_names(arguments, forward):
    """What Tensors of an entry are called in a custom operator.

    Gradients of the Tensors of the forward entry are called <name>_grad, or
    grad_<name> in the gradient of a gradient, and those of higher order have
    more of either.
    """
    bases = '|'.join(t.name for t in (*forward.tensors, *forward.outputs))
    names = []
    for argument in arguments:
        found = re.fullmatch(
            rf'((?:grad_)*)({bases})((?:_grad)*)', argument.name
        )
        before, base, after = found.groups()
        names.append(base + '@GRAD' * (before + after).count('grad'))
    return names


class EntryView:
    """One entry as the templates want it.

    chain: the forward entry, its gradient, the gradient's gradient and so on.
    in_paddle: an operator that Paddle has.
    called_op: the custom operator that the entry is the gradient of.
    has_header: whether one declares the kernel.
    gradient, recorded: functions in C++, for the gradient's entry and out of
    base_kernels.h.
    """

    def __init__(self, op_file, entry, in_paddle=False):
        self.forward = op_file.forward
        self.chain = [self.forward]
        while self.chain[-1].backward:
            self.chain.append(op_file.entry(self.chain[-1].backward))
        self.entry, self.name, self.in_paddle = entry, entry.name, in_paddle
        self.camel = camel(entry.name)
        self.order = self.chain.index(entry)
        # of gradients, Paddle's own have one
        self.has_header = self.order <= in_paddle
        self.custom_op = custom_op(entry)
        self.input_names = tuple(t.name for t in entry.tensors)
        self.dtype_input = self.input_names.index(
            entry.data_type or self.input_names[0]
        )
        self.over = {
            target: self.input_names.index(source)
            for source, target in entry.inplace
        }
        forward_over = () if entry.is_backward else self.over.values()
        self.inplace_input = next(iter(forward_over), -1)
        self.kernel_function = f'{camel(entry.kernel)}Kernel'
        self.gradient = (
            f'{camel(entry.backward)}Spec' if entry.backward else 'nullptr'
        )
        self.recorded = entry.recorded
        self._hang_on(self.chain[self.order - 1] if self.order else None)

    def _hang_on(self, call):
        """The arguments, and which of the entry of the `call` that this is the
        gradient of, if it is one, they are."""
        inputs, outputs, attrs, self.called_op = [], [], [], None
        if call:
            self.called_op = custom_op(call)
            inputs = custom_names(call.tensors, self.forward)
            outputs = custom_names(call.outputs, self.forward)
            attrs = [a.name for a in call.attrs]
        sources = {
            name: {'kind': kind, 'at': at}
            for kind, names in (
                ('kGradient', [f'{name}@GRAD' for name in outputs]),
                ('kResult', outputs),
                ('kInput', inputs),
            )
            for at, name in enumerate(names)
        }
        nowhere = {'kind': 'kNowhere', 'at': -1}
        names = custom_names(self.entry.tensors, self.forward)
        self.inputs = [
            {
                'name': t.name,
                'optional': t.optional,
                'needs_buffer': not t.no_need_buffer,
                **(sources[name] if call else nowhere),
            }
            for t, name in zip(self.entry.tensors, names)
        ]
        self.attrs = [
            {
                'name': a.name,
                'enum': ATTR_TYPES[a.type][2],
                'at': attrs.index(a.name) if call else -1,
            }
            for a in self.entry.attrs
        ]
        names = custom_names(self.entry.outputs, self.forward)
        self.outputs = [
            {
                'name': o.name,
                'at': inputs.index(name.removesuffix('@GRAD')) if call else -1,
                'over': self.over.get(o.name, -1),
            }
            for o, name in zip(self.entry.outputs, names)
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
        there = custom_names(self.entry.outputs, self.forward)
        return [
            self.input_names.index(t.name)
            for t in first.tensors
            if f'{t.name}_grad' in gradients and f'{t.name}@GRAD' not in there
        ]

    def _each(self, param, tensor, attr, output):
        """What these say of each argument that `param` names, or of all, and of
        each output: tensor(i, argument), attr(i, argument), output(i)."""
        everything = (*self.entry.tensors, *self.entry.attrs)
        count = len(self.entry.tensors)
        said = {
            arg.name: tensor(i, arg) if i < count else attr(i - count, arg)
            for i, arg in enumerate(everything)
        }
        found = [said[name] for name in (said if param is None else param)]
        return found + [output(i) for i in range(len(self.entry.outputs))]

    def _arguments(self, param, tensor):
        """C++: what a function is called with."""
        return self._each(
            param,
            tensor,
            lambda i, a: f'std::get<{ATTR_TYPES[a.type][1]}>(attrs[{i}])',
            'out[{}]'.format,
        )

    def _types(self, param, tensor, output):
        """C++: the types of what a function takes."""
        return self._each(
            param,
            tensor,
            lambda _, a: ATTR_TYPES[a.type][0],
            lambda _: output,
        )

    @property
    def infer_args(self):
        param = self.entry.infer_meta_param
        return self._arguments(param, lambda i, _: f'in[{i}]')

    @property
    def infer_types(self):
        return self._types(
            self.entry.infer_meta_param,
            lambda *_: 'const phi::MetaTensor&',
            'phi::MetaTensor*',
        )

    @property
    def kernel_args(self):
        return ['CpuContext()'] + self._arguments(
            self.entry.kernel_param,
            lambda i, t: KERNEL_TENSORS[t.optional][1].format(i),
        )

    def kernel_types(self, backend):
        """What the kernel takes on a backend, CPU or GPU."""
        return [f'const phi::{backend}Context&'] + self._types(
            self.entry.kernel_param,
            lambda _, t: KERNEL_TENSORS[t.optional][0],
            'phi::DenseTensor*',
        )

    def spmd_types(self, reverse=False):
        """C++: the types of what the SPMD rule takes, or that from the result.
        Python hands it every whole number as an int."""
        count = len(self.entry.tensors)
        count += len(self.entry.outputs) if reverse else 0
        types = {**ATTR_TYPES, 'int64_t': ATTR_TYPES['int']}
        attrs = [types[a.type][0] for a in self.entry.attrs]
        return ['const DistMetaTensor&'] * count + attrs
