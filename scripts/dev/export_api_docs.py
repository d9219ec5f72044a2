"""Writes docs/api/<api>.rst, the English API pages, from the docstrings.

Paddle makes its English pages from the docstrings; these are the same words in
the same order. The Chinese pages, <api>_cn.rst, are written by hand; their
signature, parameters and errors, and how many sections and items of the note they
have, are compared with those of the English ones. With --check it writes nothing.

Exit status: 0 done or no drift, 1 drift or a fault.
"""

import argparse
import ast
import re
import sys
import textwrap
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import report

ROOT = Path(__file__).resolve().parents[2]
COLONS = ':' * 12
HEAD = re.compile(r'(?m)^(Args|Returns|Raises|Note|Examples):$')
# What both pages of a function have: its signature, what it takes and raises,
# as many sections and items of the note, and where the examples come from.
OUTLINE = re.compile(
    r'(?m)^(?:\.\. py:function:: .+|    - \*\*\w+\*\* |- (?=[^\n]+[:：])'
    rf'|{COLONS}$|COPY-FROM: .+)'
)
FIELD = re.compile(r'(?m)^(\w+)( \([^)]*\))?: ')


def functions(path):
    """{name: node} of a file. The last one counts: overload stubs come before."""
    tree = ast.parse(path.read_text('utf-8'))
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}


def fields(text):
    """Parameters or exceptions as a list; continued lines stay indented."""
    text = re.sub('(?m)^ +', ' ' * 6, text)
    return FIELD.sub(r'    - **\1**\2 - ', text)


def page(api, nodes):
    """The whole page of one function. One that takes *args only chooses between
    two forms; its own form is that of its wrapper."""
    node = nodes[api]
    shown = nodes.get(f'_{api}_wrapper', node) if node.args.vararg else node
    name = f'paddle.{api}'
    lines = [f'.. _api_{name.replace(".", "_")}:', '', api, '-' * 31, '']
    for argument in shown.args.args:
        argument.annotation = None
    lines += [f'.. py:function:: {name}({ast.unparse(shown.args)})', '']
    text = ast.get_docstring(node) or ast.get_docstring(shown)
    head, *rest = HEAD.split(text)
    lines += [head.strip('\n'), '']
    for title, body in zip(rest[::2], rest[1::2]):
        lines += ['Parameters' if title == 'Args' else title, COLONS, '']
        body = textwrap.dedent(body.strip('\n'))
        lines += [fields(body) if title in ('Args', 'Raises') else body, '']
    return '\n'.join(lines)


def chinese_faults(file, api, english):
    """Where the Chinese page of a function first differs."""
    if not file.is_file():
        return [f'{file.name}: missing; write it by hand like the others there']
    expected = [*OUTLINE.findall(english), f'COPY-FROM: paddle.{api}']
    actual = OUTLINE.findall(file.read_text('utf-8'))
    pairs = zip_longest(expected, actual, fillvalue='the end')
    return [
        f'{file.name}: expected `{word}`, found `{there}`'
        for word, there in pairs
        if word != there
    ][:1]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true', help='write nothing')
    parser.add_argument('--root', type=Path, default=ROOT)
    options = parser.parse_args(arguments)
    folder = options.root / 'docs/api'
    faults = []
    for source in sorted((options.root / 'python_api').glob('*.py')):
        api, nodes = source.stem, functions(source)
        if all(name.startswith('_') for name in nodes):
            continue  # helpers only
        path, text = folder / f'{api}.rst', page(api, nodes)
        faults += chinese_faults(folder / f'{api}_cn.rst', api, text)
        if not options.check:
            path.write_text(text, encoding='utf-8')
        elif not path.is_file() or path.read_text('utf-8') != text:
            faults.append(f'{path.name}: differs from the docstring')
    return report('scripts/dev/export_api_docs.py', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
