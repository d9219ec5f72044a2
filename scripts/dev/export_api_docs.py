"""Write docs/api/<api>.rst, the English API pages, from the docstrings.

The text is unchanged: Paddle also generates its pages from the docstrings. The
Chinese pages, <api>_cn.rst, are written by hand; their signatures, parameters,
errors and numbers of sections and notes are compared with the English pages.
With --check, nothing is written.

Exit status: 0 success, 1 stale pages or a fault.
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
SECTION = re.compile(r'(?m)^(Args|Returns|Raises|Note|Examples):$')
# Both pages of a function have the same signature, parameters, errors, numbers
# of sections and notes, and source of the examples.
OUTLINE = re.compile(
    r'(?m)^(?:\.\. py:function:: .+|    - \*\*\w+\*\* |- (?=[^\n]+[:：])'
    rf'|{COLONS}$|COPY-FROM: .+)'
)
FIELD = re.compile(r'(?m)^(\w+)( \([^)]*\))?: ')


def parse_functions(path):
    """Return {name: node}; a definition follows its overload stubs."""
    tree = ast.parse(path.read_text('utf-8'))
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}


def format_fields(text):
    """Format parameters or exceptions as a list with continuation lines."""
    text = re.sub('(?m)^ +', ' ' * 6, text)
    return FIELD.sub(r'    - **\1**\2 - ', text)


def render_page(api, nodes):
    """Render a function's page; with *args, its wrapper has the signature."""
    node = nodes[api]
    form = nodes.get(f'_{api}_wrapper', node) if node.args.vararg else node
    name = f'paddle.{api}'
    lines = [f'.. _api_{name.replace(".", "_")}:', '', api, '-' * 31, '']
    for argument in form.args.args:
        argument.annotation = None
    lines += [f'.. py:function:: {name}({ast.unparse(form.args)})', '']
    text = ast.get_docstring(node) or ast.get_docstring(form)
    head, *rest = SECTION.split(text)
    lines += [head.strip('\n'), '']
    for title, body in zip(rest[::2], rest[1::2]):
        lines += ['Parameters' if title == 'Args' else title, COLONS, '']
        body = textwrap.dedent(body.strip('\n'))
        if title in ('Args', 'Raises'):
            body = format_fields(body)
        lines += [body, '']
    return '\n'.join(lines)


def check_chinese_page(file, api, english):
    """Return the first difference of the Chinese page in a list, if any."""
    if not file.is_file():
        return [f'{file.name}: missing; write it by hand, like the other pages']
    expected = [*OUTLINE.findall(english), f'COPY-FROM: paddle.{api}']
    actual = OUTLINE.findall(file.read_text('utf-8'))
    pairs = zip_longest(expected, actual, fillvalue='the end')
    return [
        f'{file.name}: expected `{word}`, found `{other}`'
        for word, other in pairs
        if word != other
    ][:1]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true', help='write nothing')
    options = parser.parse_args(arguments)
    folder, faults = ROOT / 'docs/api', []
    for source in sorted((ROOT / 'python_api').glob('*.py')):
        api, nodes = source.stem, parse_functions(source)
        if all(name.startswith('_') for name in nodes):
            continue  # helpers only
        path, text = folder / f'{api}.rst', render_page(api, nodes)
        faults += check_chinese_page(folder / f'{api}_cn.rst', api, text)
        if not options.check:
            path.write_text(text, encoding='utf-8')
        elif not path.is_file() or path.read_text('utf-8') != text:
            faults.append(f'{path.name}: differs from the docstring')
    return report('scripts/dev/export_api_docs.py', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
