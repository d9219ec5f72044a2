"""What a case is: everything that makes a call again, as one line of JSON."""

import dataclasses
import json

APIS = (
    'masked_scatter',
    'masked_fill',
    'select_scatter',
    'diagonal_scatter',
    'scatter',
)
INPLACE_APIS = ('masked_scatter', 'masked_fill', 'scatter')
WAYS = ('call', 'grad', 'static', 'invalid')

# The Tensor that is written into x; masked_fill has one or a number.
SOURCES = {
    'masked_scatter': 'value',
    'masked_fill': 'value',
    'select_scatter': 'values',
    'diagonal_scatter': 'y',
    'scatter': 'updates',
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One call.

    `attrs` holds what only one API has: shapes of its other Tensors, axis,
    how index or mask are spread. `values` is the kind of numbers in x and the
    source, `guard` the end of each buffer that lies at an unreadable page,
    `fault` what is wrong with the arguments of an invalid call.
    """

    api: str
    way: str
    dtype: str
    shape: list
    attrs: dict
    values: str = 'any'
    layouts: dict = dataclasses.field(default_factory=dict)
    grads_of: list = dataclasses.field(default_factory=list)
    inplace: bool = False
    method: bool = False
    known_dims: bool = True
    threads: int = 1
    guard: str = ''
    fault: str = ''
    seed: int = 0

    @property
    def source(self):
        return SOURCES[self.api]

    @property
    def fails_in_backward(self):
        return self.fault == 'second_order'

    @property
    def is_plain_scatter(self):
        """Whether Paddle's own scatter operator serves the call."""
        attrs = self.attrs
        return (
            self.api == 'scatter'
            and attrs['axis'] in (0, -len(self.shape))
            and attrs['reduce'] == 'sum'
            and not attrs['include_self']
        )

    def changed(self, **fields):
        return dataclasses.replace(self, **fields)


def to_line(case):
    """The case as JSON without the fields that have their default."""
    fields = {}
    for field in dataclasses.fields(case):
        value = getattr(case, field.name)
        if field.default is dataclasses.MISSING or value != field.default:
            if value not in ({}, []) or field.name in ('shape', 'attrs'):
                fields[field.name] = value
    return json.dumps(fields)


def from_line(line):
    """A case from JSON, or from the whole line that reported it."""
    start, end = line.find('{"api"'), line.rfind('}') + 1
    if start < 0 or end <= start:
        raise ValueError(f"no case, which is JSON with an api, in: {line}")
    return Case(**json.loads(line[start:end]))
