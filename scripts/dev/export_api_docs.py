"""Writes docs/api/<api>.rst, the English API pages, from the docstrings.

Paddle makes its English pages from the docstrings; these are the same words in
the same order. The Chinese pages, <api>_cn.rst, are written by hand; --check
also compares their signature, parameters, sections and the items of their note
with the function's.

Exit status: 0 done or no drift, 1 drift or a fault.
"""

from __future__ import annotations

import argparse
import ast
import copy
import re
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import verdict

ROOT = Path(__file__).resolve().parents[2]
# What the English and the Chinese pages call the sections of a docstring.
SECTIONS = {
    'Args': ('Parameters', '参数'),
    'Returns': ('Returns', '返回'),
    'Raises': ('Raises', '异常'),
    'Note': ('Note', '说明'),
    'Examples': ('Examples', '代码示例'),
}
CHINESE_ITEMS = {
    'Determinism': '确定性',
    'Duplicates': '重复的下标',
    'Empty': '空下标',
    'Gradient': '梯度',
    'Mean': '均值',
    'NaN': 'NaN',
    'Precision': '精度',
    'Saved programs': '保存的程序',
    'Zero-size': '零元素',
}
RULE = '-' * 31
COLONS = ':' * 12
HEAD = re.compile(rf'(?m)^({"|".join(SECTIONS)}):$')
FIELD = re.compile(r'^(\w+) ?(\([^)]*\))?: (.*)$')


def api_files(root):
    """The python_api files; one of helpers only has no page."""
    return [
        path
        for path in sorted((root / 'python_api').glob('*.py'))
        if re.search(r'(?m)^def [a-z]', path.read_text(encoding='utf-8'))
    ]


def public_function(path):
    """The function that a python_api file is named after.

    The last one counts: overload stubs come before it. One that takes *args
    only chooses between two forms; its own form is that of its wrapper.
    """
    tree = ast.parse(path.read_text(encoding='utf-8'))
    last = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    if path.stem not in last:
        raise ValueError(f'{path.name}: defines no function {path.stem}')
    node = last[path.stem]
    shown = (
        last.get(f'_{path.stem}_wrapper', node) if node.args.vararg else node
    )
    text = ast.get_docstring(node) or ast.get_docstring(shown)
    if not text:
        raise ValueError(f'{path.name}: {path.stem} has no docstring')
    return shown, text


def signature(node):
    """`x, mask, name=None`: what a page shows, without annotations."""
    plain = copy.deepcopy(node.args)
    for argument in plain.args:
        argument.annotation = None
    return ast.unparse(plain)


def split_sections(text):
    """[(title, lines)]; the first title is ''."""
    parts = HEAD.split(text)
    bodies = [part.strip('\n').split('\n') for part in parts[::2]]
    return list(zip(['', *parts[1::2]], bodies))


def fields(lines):
    """Parameters or exceptions as a list; continued lines stay indented."""
    result = []
    for line in lines:
        match = FIELD.match(line)
        if match:
            name, kind, rest = match.groups()
            shown = f'    - **{name}** {kind or ""}'.rstrip()
            result.append(f'{shown} - {rest}')
        elif line.strip():
            result.append(f'      {line.strip()}')
    return result


def page(path):
    """The whole page of one function."""
    node, text = public_function(path)
    name = path.stem
    lines = [f'.. _api_paddle_{name}:', '', name, RULE, '']
    lines += [f'.. py:function:: paddle.{name}({signature(node)})', '']
    for title, body in split_sections(text):
        if title:
            lines += [SECTIONS[title][0], COLONS, '']
            body = textwrap.dedent('\n'.join(body)).split('\n')
        listed = title in ('Args', 'Raises')
        lines += [*(fields(body) if listed else body), '']
    return '\n'.join(lines)


def chinese_faults(root):
    """Faults of the Chinese pages against the functions."""
    faults = []
    for path in api_files(root):
        (node, docstring), name = public_function(path), path.stem
        file = root / 'docs/api' / f'{name}_cn.rst'
        if not file.is_file():
            faults.append(f'{file.name}: missing')
            continue
        text = file.read_text(encoding='utf-8')
        wanted = f'.. py:function:: paddle.{name}({signature(node)})'
        if wanted not in text:
            faults.append(f'{file.name}: expected `{wanted}`')
        listed = re.findall(r'(?m)^    - \*\*(\w+)\*\* \(', text)
        arguments = [argument.arg for argument in node.args.args]
        if listed != arguments:
            faults.append(
                f'{file.name}: lists {", ".join(listed)}, the function takes '
                f'{", ".join(arguments)}'
            )
        if f'COPY-FROM: paddle.{name}\n' not in text:
            faults.append(f'{file.name}: no `COPY-FROM: paddle.{name}`')
        wanted, found = chinese_outline(docstring), outline(text)
        if found != wanted:
            faults.append(
                f'{file.name}: expected {", ".join(wanted)}; '
                f'found {", ".join(found)}'
            )
    return faults


def chinese_outline(docstring):
    """The sections and the items of the note that a Chinese page has to have.

    A name that is not known stays as it is, and so is not found in the page.
    """
    wanted = []
    for title, lines in split_sections(docstring):
        if title:
            wanted.append(SECTIONS[title][1])
        if title == 'Note':
            items = re.findall(r'(?m)^    - ([^:\n]+):', '\n'.join(lines))
            wanted += [CHINESE_ITEMS.get(item, item) for item in items]
    return wanted


def outline(text):
    """Those that it has: titles, each followed by what its items begin with."""
    parts = re.split(rf'(?m)^(\S+)\n{COLONS}$', text)[1:]
    found = []
    for title, body in zip(parts[::2], parts[1::2]):
        found += [title, *re.findall(r'(?m)^- ([^：\n]+)：', body)]
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true', help='write nothing')
    parser.add_argument('--root', type=Path, default=ROOT)
    options = parser.parse_args(arguments)
    folder = options.root / 'docs/api'
    try:
        pages = {
            folder / f'{p.stem}.rst': page(p) for p in api_files(options.root)
        }
        faults = chinese_faults(options.root) if options.check else []
    except ValueError as error:
        pages, faults = {}, [str(error)]
    for path, text in pages.items():
        if not options.check:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding='utf-8')
        elif not path.is_file() or path.read_text('utf-8') != text:
            faults.append(
                f'{path.name}: not what the docstring says; run '
                'scripts/dev/export_api_docs.py'
            )
    return verdict('export_api_docs', faults, 'clean')


if __name__ == '__main__':
    sys.exit(main())
