"""Test the example of README.md, and the links of all pages."""

import re
import sys
from pathlib import Path

import pytest

from scripts.common.programs import run

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]
EXAMPLE = re.compile(r'```python\n(.*?)```.*?```\n(.*?)```', re.DOTALL)
LINK = re.compile(r'\]\((?!https?:)([^)#]*)#?([^)]*)?\)')


def list_anchors(page):
    """Return GitHub's anchors of the headings of a page."""
    heads = re.findall(r'^#+ (.*)$', page.read_text('utf-8'), re.MULTILINE)
    slugs = (re.sub(r'[^\w\- ]', '', head.lower()) for head in heads)
    return {head.replace(' ', '-') for head in slugs}


def test_readme_example_prints_the_documented_output(tmp_path):
    readme = PAGES[0].read_text('utf-8')
    assert len(readme.splitlines()) <= 130
    code, output = EXAMPLE.search(readme).groups()
    process = run(sys.executable, '-c', code, cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    assert process.stdout == output


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_links_resolve(page):
    for path, anchor in LINK.findall(page.read_text('utf-8')):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in list_anchors(target), f'{path}#{anchor}'
