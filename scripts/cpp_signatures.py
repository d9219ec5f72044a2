"""Reads function signatures and kernel registrations out of C++ text.

Not a C++ parser: it knows free functions that return void, written with their
name and parameters in brackets, which is what Paddle's kernels and InferMeta
functions are. Comments and strings are blanked first, so they cannot mislead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL
)
_FUNCTION = re.compile(r'\bvoid\s+(\w+)\s*\(')
_REGISTER = re.compile(r'\bPD_REGISTER_KERNEL\s*\(')
_UNUSED = re.compile(r'\b(?:UNUSED|maybe_unused)\b|\[\[[^\]]*\]\]')
_NAMED = re.compile(r'^(?P<type>.*[\s&*>])(?P<name>[A-Za-z_]\w*)$', re.DOTALL)
# A lone one of these is a type, not a parameter's name.
_TYPE_WORDS = {'bool', 'int', 'float', 'double', 'int64_t', 'const', 'char'}


@dataclass(frozen=True)
class Parameter:
    """One parameter; `name` is '' where it is left out."""

    type: str
    name: str

    def __str__(self):
        return f'{self.type} {self.name}'.strip()


@dataclass(frozen=True)
class Function:
    """A declaration, or a definition where `has_body`."""

    name: str
    parameters: tuple
    has_body: bool
    path: str
    line: int

    @property
    def where(self):
        return f'{self.path}:{self.line}'


@dataclass(frozen=True)
class Registration:
    """One PD_REGISTER_KERNEL."""

    kernel: str
    backend: str
    function: str
    path: str
    line: int

    @property
    def where(self):
        return f'{self.path}:{self.line}'


def blank_noise(text):
    """The text with comments and strings blanked; lines keep their numbers."""
    return _NOISE.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)


def closing(text, start):
    """Index of the bracket that closes the one at `start`; -1 if none."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] in '([{':
            depth += 1
        elif text[index] in ')]}':
            depth -= 1
            if depth == 0:
                return index
    return -1


def split_parameters(text):
    """Parts between commas that are outside brackets of any kind."""
    parts, depth, start = [], 0, 0
    for index, char in enumerate(text):
        if char in '([{<':
            depth += 1
        elif char in ')]}>':
            depth -= 1
        elif char == ',' and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def plain_type(text):
    """A type without the spellings that make no difference."""
    text = re.sub(r'\b(?:phi|::phi)::', '', text)
    text = re.sub(r'\s+', ' ', text).strip()
    return re.sub(r'\s*([&*<>,])\s*', r'\1', text).replace(',', ', ')


def read_parameter(text):
    """`const DenseTensor& x UNUSED = y` -> Parameter."""
    text = _UNUSED.sub('', text.split('=')[0]).strip()
    match = _NAMED.match(text)
    if match and match['name'] not in _TYPE_WORDS:
        if plain_type(match['type']) != 'const':
            return Parameter(plain_type(match['type']), match['name'])
    return Parameter(plain_type(text), '')


def read_functions(text, path=''):
    """Every declaration and definition of a void function."""
    text = blank_noise(text)
    found = []
    for match in _FUNCTION.finditer(text):
        end = closing(text, match.end() - 1)
        if end < 0:
            continue
        follows = re.match(r'\s*([;{])', text[end + 1 :])
        if follows:
            parameters = split_parameters(text[match.end() : end])
            found.append(
                Function(
                    match[1],
                    tuple(read_parameter(p) for p in parameters),
                    follows[1] == '{',
                    path,
                    text.count('\n', 0, match.start()) + 1,
                )
            )
    return found


def read_registrations(text, path=''):
    """Every PD_REGISTER_KERNEL."""
    text = blank_noise(text)
    found = []
    for match in _REGISTER.finditer(text):
        end = closing(text, match.end() - 1)
        parts = split_parameters(text[match.end() : end])
        if len(parts) < 4:
            continue
        function = parts[3].rpartition('::')[2]
        line = text.count('\n', 0, match.start()) + 1
        found.append(Registration(parts[0], parts[1], function, path, line))
    return found
