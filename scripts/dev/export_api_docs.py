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

from scripts.common.programs import verdict

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = ('Args', 'Returns', 'Raises', 'Note', 'Examples')  # of a docstring
MODULES = {'compatible_ops_guard': 'paddle.static'}  # of those not in paddle
COLONS = ':' * 12
HEAD = re.compile(rf'(?m)^({"|".join(SECTIONS)}):$')
# What both pages of a function have: its signature, what it takes and raises,
# as many sections and items of the note, and where the examples come from.
OUTLINE = re.compile(
    r'(?m)^(?:\.\. py:function:: .+|    - \*\*\w+\*\* |- (?=[^\n]+[:：])'
    rf'|{COLONS}$|COPY-FROM: .+)'
)
FIELD = re.compile(r'(?m)^(\w+)( \([^)]*\))?: ')


def api_files(root):
    """The python_api files; one of helpers only has no page."""
    public = re.compile(r'(?m)^def [a-z]').search
    files = sorted((root / 'python_api').glob('*.py'))
    return [path for path in files if public(path.read_text('utf-8'))]


def public_function(path):
    """The function that a python_api file is named after.

    The last one counts: overload stubs come before it. One that takes *args
    only chooses between two forms; its own form is that of its wrapper.
    """
    tree = ast.parse(path.read_text(encoding='utf-8'))
    last = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    node = last[path.stem]
    own = f'_{path.stem}_wrapper' if node.args.vararg else path.stem
    shown = last.get(own, node)
    return shown, ast.get_docstring(node) or ast.get_docstring(shown)


def fields(text):
    """Parameters or exceptions as a list; continued lines stay indented."""
    text = re.sub('(?m)^ +', ' ' * 6, text)
    return FIELD.sub(r'    - **\1**\2 - ', text)


def full_name(name):
    return f'{MODULES.get(name, "paddle")}.{name}'


def page(path):
    """The whole page of one function."""
    node, text = public_function(path)
    name = full_name(path.stem)
    lines = [f'.. _api_{name.replace(".", "_")}:', '', path.stem, '-' * 31, '']
    for argument in node.args.args:
        argument.annotation = None
    lines += [f'.. py:function:: {name}({ast.unparse(node.args)})', '']
    head, *rest = HEAD.split(text)
    lines += [head.strip('\n'), '']
    for title, body in zip(rest[::2], rest[1::2]):
        lines += ['Parameters' if title == 'Args' else title, COLONS, '']
        body = textwrap.dedent(body.strip('\n'))
        lines += [fields(body) if title in ('Args', 'Raises') else body, '']
    return '\n'.join(lines)


def chinese_faults(folder, name, english):
    """Where the Chinese page of a function first says another thing."""
    file = folder / f'{name}_cn.rst'
    if not file.is_file():
        yield f'{file.name}: missing; write it by hand like the others there'
        return
    chinese = file.read_text('utf-8')
    wanted = OUTLINE.findall(english) + [f'COPY-FROM: {full_name(name)}']
    found = OUTLINE.findall(chinese)
    for word, there in zip_longest(wanted, found, fillvalue='the end'):
        if word != there:
            yield f'{file.name}: expected `{word}`, found `{there}`'
            return


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true', help='write nothing')
    parser.add_argument('--root', type=Path, default=ROOT)
    options = parser.parse_args(arguments)
    folder = options.root / 'docs/api'
    faults = []
    for source in api_files(options.root):
        path, text = folder / f'{source.stem}.rst', page(source)
        faults += chinese_faults(folder, source.stem, text)
        if not options.check:
            path.write_text(text, encoding='utf-8')
        elif not path.is_file() or path.read_text('utf-8') != text:
            faults.append(f'{path.name}: not what the docstring says')
    return verdict('scripts/dev/export_api_docs.py', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
