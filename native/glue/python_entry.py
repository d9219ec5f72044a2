"""What the generated Python module says of one YAML entry."""

_CPP_DEFAULT = {'true': 'True', 'false': 'False'}


class PythonSide:
    """The Python source that an EntryView, which this is a part of, gives."""

    @property
    def vjp(self):
        """Python source: a _native_static.Vjp for a gradient entry."""
        kinds = {'kInput': 'input', 'kResult': 'result'}
        inputs = tuple(
            (kinds.get(i['kind'], 'gradient'), i['at']) for i in self.inputs
        )
        outputs = tuple(o['at'] for o in self.outputs)
        attrs = tuple(a.name for a in self.entry.attrs)
        optional = tuple(
            i for i, t in enumerate(self.entry.tensors) if t.optional
        )
        return (
            f'op={self.custom_op!r}, inputs={inputs!r}, '
            f'optional={optional!r}, outputs={outputs!r}, attrs={attrs!r}'
        )

    @property
    def python_inputs(self):
        return tuple(t.name for t in self.entry.tensors)

    @property
    def python_outputs(self):
        return tuple(o.name for o in self.entry.outputs)

    @property
    def differentiable(self):
        """Positions of a forward entry's inputs that have a gradient."""
        if self.entry.is_backward or not self.entry.backward:
            return ()
        gradients = [o.name for o in self.chain[1].outputs]
        return tuple(
            i
            for i, name in enumerate(self.python_inputs)
            if f'{name}_grad' in gradients
        )

    @property
    def backward_reads_inplace(self):
        """A gradient needs the values that the in-place form overwrites."""
        if self.inplace_input < 0:
            return False
        name = self.python_inputs[self.inplace_input]
        return any(
            t.name == name and not t.no_need_buffer
            for entry in self.chain[1:]
            for t in entry.tensors
        )

    @property
    def first(self):
        return self.python_inputs[0]

    @property
    def parameters(self):
        found = list(self.python_inputs)
        for attr in self.entry.attrs:
            if attr.default is None:
                found.append(attr.name)
            else:
                default = _CPP_DEFAULT.get(attr.default, attr.default)
                found.append(f'{attr.name}={default}')
        return ', '.join(found)

    @property
    def no_grad_test(self):
        """Python source: no input's gradient can be asked for."""
        tests = [
            f'{self.python_inputs[i]}.stop_gradient'
            for i in self.differentiable
        ]
        return ' and '.join(tests) or 'True'

    @property
    def call_args(self):
        return ', '.join(
            [*self.python_inputs, *(a.name for a in self.entry.attrs)]
        )

    @property
    def bundle(self):
        def bundle(names):
            return '(' + ''.join(f'{name}, ' for name in names).strip() + ')'

        attrs = [a.name for a in self.entry.attrs]
        return f'{bundle(self.python_inputs)}, {bundle(attrs)}'
