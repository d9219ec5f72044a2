"""What README.md shows is what happens, and its links lead somewhere."""

import re
import sys
from pathlib import Path

import pytest

from scripts.common.programs import run

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]
EXAMPLE = re.compile(r'```python\n(.*?)```.*?```\n(.*?)```', re.DOTALL)
LINK = re.compile(r'\]\((?!https?:)([^)#]*)(#[^)]*)?\)')
LINES = 130


def anchors(text):
    """The names by which GitHub knows the headings of a page."""
    heads = re.findall(r'^#+ (.*)$', text, re.MULTILINE)
    kept = (re.sub(r'[^\w\- ]', '', head.lower()) for head in heads)
    return {head.replace(' ', '-') for head in kept}


def dead_links(page):
    dead = []
    text = page.read_text(encoding='utf-8')
    for path, anchor in LINK.findall(text):
        target = page.parent / path if path else page
        if not target.exists():
            dead.append(path)
        elif anchor and anchor[1:] not in anchors(target.read_text('utf-8')):
            dead.append(path + anchor)
    return dead


def test_example_prints_what_the_readme_says(tmp_path):
    code, output = EXAMPLE.search(PAGES[0].read_text('utf-8')).groups()
    done = run(sys.executable, '-c', code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == output
    assert len([line for line in code.splitlines() if line]) <= 6


def test_readme_is_short():
    assert len(PAGES[0].read_text('utf-8').splitlines()) <= LINES


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    assert dead_links(page) == []


def test_dead_link_is_found(tmp_path):
    page = tmp_path / 'page.md'
    page.write_text('# One Head\n[a](b.md) [c](page.md#one-head) [d](#two)\n')
    assert dead_links(page) == ['b.md', '#two']
