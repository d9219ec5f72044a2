"""The page in a browser: nothing is cut off, on a phone or a wide screen."""

import json
import re
import shutil
import subprocess
from html import escape, unescape

import pytest
from bench.report import page
from bench_samples import whole_run

BROWSER = shutil.which('chromium') or shutil.which('google-chrome')
WIDTHS = (360, 1000, 1400)
FRAME = '<iframe width="{width}" height="800" srcdoc="{page}"></iframe>'
# What sticks out of its frame: of each frame, the names of elements.
SCRIPT = """
<script>onload = () => {
  const found = [...document.querySelectorAll('iframe')].map(frame => {
    const all = [...frame.contentDocument.body.querySelectorAll('*')];
    return all.filter(one => one.getClientRects().length)
      .filter(one => one.getBoundingClientRect().right > frame.clientWidth + 1
        || one.scrollWidth > one.clientWidth + 1 && one.clientWidth)
      .map(one => one.tagName + ': ' + one.textContent.slice(0, 40));
  });
  document.body.innerHTML = '<pre>' + JSON.stringify(found) + '</pre>';
}</script>"""

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason='Chromium is not installed (apt install chromium)'
)


def browse(tmp_path, *options):
    command = [BROWSER, '--headless', '--no-sandbox', '--disable-gpu']
    command += [f'--user-data-dir={tmp_path / "profile"}', *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def sticking_out(tmp_path, text):
    """[[element, ...]] for each width."""
    frames = (FRAME.format(width=w, page=escape(text)) for w in WIDTHS)
    path = tmp_path / 'frames.html'
    path.write_text(f'<!doctype html>{"".join(frames)}{SCRIPT}')
    shown = browse(tmp_path, '--dump-dom', path.as_uri())
    return json.loads(unescape(re.search('<pre>(.*)</pre>', shown)[1]))


def test_nothing_is_cut_off_at_any_width(tmp_path):
    text = page.render(whole_run())
    assert sticking_out(tmp_path, text) == [[] for _ in WIDTHS]
    wide = text.replace('</h1>', '</h1><p style="width: 1200px">wide</p>')
    found = sticking_out(tmp_path, wide)
    assert [bool(names) for names in found] == [True, True, False]


def test_printing_takes_a_few_pages(tmp_path):
    path, printed = tmp_path / 'page.html', tmp_path / 'page.pdf'
    page.write(path, whole_run())
    browse(tmp_path, f'--print-to-pdf={printed}', path.as_uri())
    pages = len(re.findall(rb'/Type\s*/Page\b', printed.read_bytes()))
    assert 1 < pages < 6
