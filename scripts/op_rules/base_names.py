"""Names of the operators that an installed Paddle already has.

They are read from the headers in its wheel: Paddle generates these from its own
YAML, and what this project builds into a Paddle never touches them. The C++ API
has each operator that can be called; the PIR dialect has the gradients too.
"""

from __future__ import annotations

import re
from pathlib import Path

FUNCTION = re.compile(r'^PADDLE_API [^(]*?(\w+)\(', re.M)
HEADERS = {
    'phi/api/include/api.h': FUNCTION,
    'phi/api/include/fused_api.h': FUNCTION,
    'fluid/pir/dialect/operator/ir/pd_op.h': re.compile(r'"pd_op\.(\w+)"'),
}


def plain(name: str) -> str:
    """The name without the `_` of an operator's in-place form."""
    return name[:-1] if name.endswith('_') else name


def base_names(folder: Path) -> dict[str, str]:
    """Operator -> the header that has it, for headers below a folder."""
    names: dict[str, str] = {}
    for header, pattern in HEADERS.items():
        path = Path(folder) / header
        if path.is_file():
            found = pattern.findall(path.read_text(encoding='utf-8'))
            if not found:
                raise ValueError(f'{path}: expected operators, got none')
            for name in found:
                names.setdefault(plain(name), header)
    if not names:
        raise ValueError(
            f'{folder}: expected one of {", ".join(HEADERS)}, got none of them'
        )
    return names
