"""What C++ and Python texts define, and names that nothing uses.

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
from collections import Counter

CPP = ('.h', '.cc', '.cu')
# A function's name, with its type in front of it at the beginning of a line; a
# type; an alias or a constant.
DEFINED = re.compile(
    r'^(?=\w)(?:(?:inline|static|constexpr|__global__|__device__|__host__|HOSTDEVICE'
    r'|PADDLE_API|[A-Z_]+_TARGET|[A-Z_]+_INLINE) )*'
    r'(?!return|using|namespace|typedef|else|case|class|struct|enum|template)'
    r'[\w:<>, \*&]+[ \*&]([A-Z]\w+)\('
    r'|^(?:class|struct|enum class|union) (?:\w+\((?:[^)]*)\) )?(\w+)'
    r'|^using (\w+) ='
    r'|^(?:inline |static )?constexpr [\w:]+ (k\w+)'
    r'|^#define (\w+)',
    re.MULTILINE,
)
# Called by code that Paddle generates.
CALLED = re.compile(r'\w+(InferSymbolicShape|InferMeta|InferSpmdReverse)$')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)


def defined(path, text):
    """What a file defines; of Python, a name without underscore is an API."""
    if path.endswith(CPP):
        return [''.join(groups) for groups in DEFINED.findall(text)]
    names = [getattr(node, 'name', '') for node in ast.parse(text).body]
    return [name for name in names if name.startswith('_')]


def unused(texts, callers=''):
    """Names of `texts`, {path: text} of C++ and Python, that occur where they are
    defined only, and not in `callers`, a text that defines nothing of ours."""
    plain = {
        path: COMMENT.sub('', text) if path.endswith(CPP) else text
        for path, text in texts.items()
    }
    times = Counter(n for path in plain for n in defined(path, plain[path]))
    named = Counter(re.findall(r'\w+', '\n'.join([*plain.values(), callers])))
    return sorted(
        name
        for name in times
        if named[name] <= times[name] and not CALLED.match(name)
    )
