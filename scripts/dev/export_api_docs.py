"""Writes docs/api/<api>.rst, the English API pages, from the docstrings.

Paddle makes its English pages from the docstrings; these are the same words in
the same order. The Chinese pages, <api>_cn.rst, are written by hand; --check
also compares their signature, parameters, errors, sections and the items of their
note with those of the English ones.

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
CHINESE = {
    'Parameters': '参数',
    'Returns': '返回',
    'Raises': '异常',
    'Note': '说明',
    'Examples': '代码示例',
    'Determinism': '确定性',
    'Empty': '空下标',
    'Gradient': '梯度',
    'Mean': '均值',
    'Precision': '精度',
    'Saved programs': '保存的程序',
    'Unknown lengths': '未知长度',
    'What is influenced': '影响范围',
    'Data types': '数据类型',
    'Zero-size': '零元素',
}
MODULES = {'compatible_ops_guard': 'paddle.static'}  # of those not in paddle
RULE = '-' * 31
COLONS = ':' * 12
HEAD = re.compile(rf'(?m)^({"|".join(SECTIONS)}):$')
# What both pages of a function have: its signature, what it takes and raises,
# the items of its note, the sections, and where the examples come from.
OUTLINE = re.compile(
    r'(?m)^(?:\.\. py:function:: (.+)|    - \*\*(\w+)\*\* |- ([^:：\n]+)[:：]'
    rf'|(\S+)\n{COLONS}$|(COPY-FROM: .+))'
)
FIELD = re.compile(r'^(\w+) ?(\([^)]*\))?: (.*)$')


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
    if path.stem not in last:
        raise ValueError(f'{path.name}: defines no function {path.stem}')
    node = last[path.stem]
    own = f'_{path.stem}_wrapper' if node.args.vararg else path.stem
    shown = last.get(own, node)
    text = ast.get_docstring(node) or ast.get_docstring(shown)
    if not text:
        raise ValueError(f'{path.name}: {path.stem} has no docstring')
    return shown, text


def signature(node):
    """`x, mask, name=None`: what a page shows, without annotations."""
    for argument in node.args.args:
        argument.annotation = None
    return ast.unparse(node.args)


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


def full_name(name):
    return f'{MODULES.get(name, "paddle")}.{name}'


def page(path):
    """The whole page of one function."""
    node, text = public_function(path)
    name = full_name(path.stem)
    label = name.replace('.', '_')
    lines = [f'.. _api_{label}:', '', path.stem, RULE, '']
    lines += [f'.. py:function:: {name}({signature(node)})', '']
    for title, body in split_sections(text):
        if title:
            lines += ['Parameters' if title == 'Args' else title, COLONS, '']
            body = textwrap.dedent('\n'.join(body)).split('\n')
        listed = title in ('Args', 'Raises')
        lines += [*(fields(body) if listed else body), '']
    return '\n'.join(lines)


def outline(text):
    return [''.join(groups) for groups in OUTLINE.findall(text)]


def chinese_faults(folder, name, english):
    """Where the Chinese page of a function first says another thing."""
    file = folder / f'{name}_cn.rst'
    if not file.is_file():
        yield f'{file.name}: missing'
        return
    wanted = [CHINESE.get(word, word) for word in outline(english)]
    wanted.append(f'COPY-FROM: {full_name(name)}')
    found = outline(file.read_text(encoding='utf-8'))
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
    try:
        files = api_files(options.root)
        pages = {folder / f'{path.stem}.rst': page(path) for path in files}
        faults = []
    except ValueError as error:
        pages, faults = {}, [str(error)]
    for path, text in pages.items():
        if options.check:
            faults += chinese_faults(folder, path.stem, text)
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
