"""Find the definitions of C++ and Python texts, and unused ones.

Maintainers don't merge unused code: after each pull request, every top-level
function, type and constant of a new C++ file or of python_api/ has to occur
more often than it is defined, in the code that the series has added so far.
Functions that Paddle calls (kernels, symbolic shapes, InferMeta functions, SPMD
rules) occur in their registration or match CALLEES.
"""

from __future__ import annotations

import ast
import re
from collections import Counter

CPP = ('.h', '.cc', '.cu')
# The name of a function, whose return type starts the line; a type; an alias; a
# constant; a macro.
DEFINITION = re.compile(
    r'^(?=\w)(?:(?:inline|static|constexpr|__global__|__device__|__host__'
    r'|HOSTDEVICE|PADDLE_API|[A-Z_]+_TARGET|[A-Z_]+_INLINE) )*'
    r'(?!return|using|namespace|typedef|else|case|class|struct|enum|template)'
    r'[\w:<>, \*&]+[ \*&]([A-Z]\w+)\('
    r'|^(?:class|struct|enum class|union) (?:\w+\((?:[^)]*)\) )?(\w+)'
    r'|^using (\w+) ='
    r'|^(?:inline |static )?constexpr [\w:]+ (k\w+)'
    r'|^#define (\w+)',
    re.MULTILINE,
)
# Functions that Paddle's generated code calls.
CALLEES = re.compile(r'\w+(InferSymbolicShape|InferMeta|InferSpmdReverse)$')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)


def list_definitions(path, text):
    """Return the names that a file defines, except the APIs of Python."""
    if path.endswith(CPP):
        return [''.join(groups) for groups in DEFINITION.findall(text)]
    names = [getattr(node, 'name', '') for node in ast.parse(text).body]
    return [name for name in names if name.startswith('_')]


def find_unused(texts, callers=''):
    """Return the names that `texts`, {path: text}, and `callers` never use."""
    code = {
        path: COMMENT.sub('', text) if path.endswith(CPP) else text
        for path, text in texts.items()
    }
    names = Counter(n for x in code.items() for n in list_definitions(*x))
    words = Counter(re.findall(r'\w+', '\n'.join([*code.values(), callers])))
    return sorted(
        name
        for name in names
        if words[name] <= names[name] and not CALLEES.match(name)
    )
