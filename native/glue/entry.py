"""A YAML entry, prepared for the templates of the operator tables.

Entries are valid: check_ops_yaml.py runs first.
"""

import re

from scripts.op_rules.schema import named

# YAML type -> (C++ type, AttrType)
ATTR_TYPES = {
    'bool': ('bool', 'kBool'),
    'int': ('int', 'kInt'),
    'int64_t': ('int64_t', 'kInt64'),
    'float': ('float', 'kFloat'),
    'str': ('std::string', 'kString'),
}
# The expression that passes a Tensor to a kernel, by whether it is optional.
KERNEL_TENSORS = {False: '*in[{}]', True: 'Optional(in[{}])'}


class GlueError(ValueError):
    """Invalid entries; the text lists every fault."""


def camel(name):
    return ''.join(part.capitalize() for part in name.split('_'))


def called(entry):
    """Return the names that a backward entry gives to the forward entry's Tensors
    and results."""
    arguments, results = entry.forward.split(' -> ')
    return re.findall(r'Tensor (\w+)', arguments), named(results)[1::2]


class EntryView:
    """One entry, prepared for the templates.

    chain: the forward entry, its gradient, the gradient's gradient and so on.
    in_paddle: one of Paddle's own operators.
    custom_op: the custom operator that runs the entry. Gradients end in _vjp: Paddle
    takes a name with _grad for the gradient of the operator before the suffix.
    gradient, recorded: C++ functions, of the gradient's entry and of
    base_kernels.h.
    """

    def __init__(self, op_file, entry, in_paddle=False):
        self.chain = [op_file.forward]
        while self.chain[-1].backward:
            self.chain.append(op_file.entry(self.chain[-1].backward))
        self.entry, self.name, self.in_paddle = entry, entry.name, in_paddle
        self.camel = camel(entry.name)
        self.order = self.chain.index(entry)
        self.custom_op = entry.name
        if self.order:
            self.custom_op = entry.name.removesuffix('_grad') + '_vjp'
        self.input_names = [t.name for t in entry.tensors]
        self.dtype_input = self.input_names.index(
            entry.data_type or self.input_names[0]
        )
        self.over = {
            target: self.input_names.index(source)
            for source, target in entry.inplace
        }
        forward_over = () if entry.is_backward else self.over.values()
        self.inplace_input = next(iter(forward_over), -1)
        self.gradient = (
            f'{camel(entry.backward)}Spec' if entry.backward else 'nullptr'
        )
        self.recorded = entry.recorded
        self._hang_on(self.chain[self.order - 1] if self.order else None)

    def _hang_on(self, call):
        """Set inputs, attrs and outputs, with the argument of the forward entry
        `call` to which each corresponds (None: this is no gradient)."""
        inputs, results = called(self.entry) if call else ([], [])
        attrs = [a.name for a in call.attrs] if call else []
        sources = {
            name: {'kind': kind, 'at': at}
            for kind, names in (
                ('kGradient', [f'{name}_grad' for name in results]),
                ('kResult', results),
                ('kInput', inputs),
            )
            for at, name in enumerate(names)
        }
        nowhere = {'kind': 'kNowhere', 'at': -1}
        self.inputs = [
            {
                'name': t.name,
                'optional': t.optional,
                'needs_buffer': not t.no_need_buffer,
                **(sources[t.name] if call else nowhere),
            }
            for t in self.entry.tensors
        ]
        self.attrs = [
            {
                'name': a.name,
                'enum': ATTR_TYPES[a.type][1],
                'at': attrs.index(a.name) if call else -1,
            }
            for a in self.entry.attrs
        ]
        self.outputs = [
            {
                'name': o.name,
                'at': inputs.index(o.name.removesuffix('_grad'))
                if call
                else -1,
                'over': self.over.get(o.name, -1),
            }
            for o in self.entry.outputs
        ]

    @property
    def extra_outputs(self):
        """Inputs for which a gradient has to be declared in addition: Paddle requires
        one of a second-order custom operator for each differentiable input of
        the first-order one."""
        if self.order != 2:
            return []
        first = self.chain[1]
        gradients = {o.name for o in first.outputs}
        there = {o.name for o in self.entry.outputs}
        return [
            self.input_names.index(name)
            for t, name in zip(first.tensors, called(self.entry)[0])
            if f'{t.name}_grad' in gradients and f'{name}_grad' not in there
        ]

    def _arguments(self, param, tensor):
        """Return C++ expressions of the arguments in `param` (default: all) and the
        outputs; tensor(i, argument) is the expression of a Tensor."""
        said = {t.name: tensor(i, t) for i, t in enumerate(self.entry.tensors)}
        for i, attr in enumerate(self.entry.attrs):
            held, _ = ATTR_TYPES[attr.type]
            said[attr.name] = f'std::get<{held}>(attrs[{i}])'
        outputs = [f'out[{i}]' for i in range(len(self.entry.outputs))]
        return [said[name] for name in param or said] + outputs

    @property
    def infer_args(self):
        param = self.entry.infer_meta_param
        return self._arguments(param, lambda i, _: f'in[{i}]')

    @property
    def kernel_args(self):
        return ['CpuContext()'] + self._arguments(
            self.entry.kernel_param,
            lambda i, t: KERNEL_TENSORS[t.optional].format(i),
        )
