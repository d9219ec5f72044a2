"""Names that the series defines and does not use.

A maintainer merges no function that nothing calls: at the end of each pull request
every function, type and constant at the top level of a new C++ file or of a Python
function's source has to be named once more than it is defined, in what the series
has added until then. What Paddle itself calls (kernels that are registered, symbolic
shapes, InferMeta functions, rules) is named by the registration; what is not, by
CALLED.
"""

from __future__ import annotations

import ast
import re

CPP = ('.h', '.cc', '.cu')
# A function's name, with its type in front of it at the beginning of a line; a
# type; an alias or a constant.
DEFINED = re.compile(
    r'^(?=\w)(?:(?:inline|static|constexpr|__global__|__device__|__host__|HOSTDEVICE'
    r'|PADDLE_API|[A-Z_]+_TARGET|[A-Z_]+_INLINE) )*'
    r'(?!return|using|namespace|typedef|else|case|class|struct|enum|template)'
    r'[\w:<>, \*&]+[ \*&](?P<function>[A-Z]\w+)\('
    r'|^(?:class|struct|enum class|union) (?:\w+\((?:[^)]*)\) )?(?P<type>\w+)'
    r'|^using (?P<alias>\w+) ='
    r'|^(?:inline |static )?constexpr [\w:]+ (?P<constant>k\w+)'
    r'|^#define (?P<macro>\w+)',
    re.MULTILINE,
)
# Called by code that Paddle generates.
CALLED = re.compile(r'\w+(InferSymbolicShape|InferMeta|InferSpmdReverse)$')
WORD = re.compile(r'\w+')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)


def defined_in_cpp(text):
    return [
        next(name for name in found.groups() if name)
        for found in DEFINED.finditer(text)
    ]


def defined_in_python(text):
    """Functions; a name without underscore in front is an API."""
    return [
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith('_')
    ]


def counts(words):
    found = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found


def unused(texts, callers=''):
    """Names of `texts`, {path: text}, that occur where they are defined only,
    and not in `callers`, a text that defines nothing of ours."""
    plain = {
        path: COMMENT.sub('', text) if path.endswith(CPP) else text
        for path, text in texts.items()
    }
    defined = counts(
        name
        for path, text in plain.items()
        for name in (
            defined_in_cpp(text)
            if path.endswith(CPP)
            else defined_in_python(text)
            if path.endswith('.py')
            else ()
        )
    )
    everywhere = (*plain.values(), callers)
    named = counts(w for text in everywhere for w in WORD.findall(text))
    return sorted(
        name
        for name, times in defined.items()
        if named[name] <= times and not CALLED.match(name)
    )
