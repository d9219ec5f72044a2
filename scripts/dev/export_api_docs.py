"""Write docs/api/<api>.rst, the English API pages, from the docstrings.

The Chinese pages, <api>_cn.rst, are written by hand; their outline is compared with
that of the English pages.
"""

import argparse
import ast
import re
import sys
import textwrap
from difflib import unified_diff
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = """\
.. _api_paddle_{api}:

{api}
-------------------------------

.. py:function:: paddle.{api}({arguments})

{text}
"""
SECTION = re.compile(r'(?m)^([A-Z]\w+):\n((?: .*\n?|\n)*)')
FIELD = re.compile(r'(?m)^(\w+)( \([^)]*\))?: ')
# Both pages of a function have the same signature, parameters, errors, numbers
# of sections and notes, and source of the examples.
OUTLINE = re.compile(
    r'(?m)^(?:\.\. py:f.+| +- \*\*\w+\*\* |- (?=.+[:：])|:{12}$|COPY-FROM: .+)'
)


def format_section(match):
    """Format a section; parameters and exceptions become a list."""
    title, body = match[1].replace('Args', 'Parameters'), match[2]
    body = textwrap.dedent(body)
    if title in ('Parameters', 'Raises'):
        body = re.sub('(?m)^ +', ' ' * 6, body)
        body = FIELD.sub(r'    - **\1**\2 - ', body)
    return f'{title}\n{":" * 12}\n\n{body}'


def render_page(api, source):
    """Render a function's page; with *args, its wrapper has the signature."""
    nodes = {getattr(n, 'name', ''): n for n in ast.parse(source).body}
    wrapper = nodes.get(f'_{api}_wrapper', nodes[api])
    for argument in wrapper.args.args:
        argument.annotation = None
    text = ast.get_docstring(nodes[api]) or ast.get_docstring(wrapper)
    text = SECTION.sub(format_section, text)
    return PAGE.format(api=api, arguments=ast.unparse(wrapper.args), text=text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true', help='write nothing')
    options = parser.parse_args()
    faults = []
    for source in sorted((ROOT / 'python_api').glob('*.py')):
        api, text = source.stem, source.read_text('utf-8')
        if f'\ndef {api}(' not in text:
            continue  # helpers only
        page, chinese = (ROOT / f'docs/api/{api}{x}.rst' for x in ('', '_cn'))
        text = render_page(api, text)
        if not options.check:
            page.write_text(text, encoding='utf-8')
        elif page.read_text('utf-8') != text:
            faults.append(f'{page.name}: differs from the docstring')
        expected = [*OUTLINE.findall(text), f'COPY-FROM: paddle.{api}']
        actual = OUTLINE.findall(chinese.read_text('utf-8'))
        faults += unified_diff(expected, actual, api, chinese.name, lineterm='')
    sys.exit('\n'.join(faults) or None)


if __name__ == '__main__':
    main()
