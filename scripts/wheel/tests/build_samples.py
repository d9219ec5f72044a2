"""A tiny installed wheel, and a tiny project to build into it."""

import base64
import hashlib

from scripts.series.tests.series_samples import (
    MANIPULATION,
    make_series,
    write_files,
    write_project,
)

OTHER = 'paddle/other.py'
WHEEL_FILES = {
    'paddle/tensor/manipulation.py': MANIPULATION,
    'paddle/_C_ops.py': '__all__ = []\n',
    OTHER: 'VALUE = 1\n',
}


def make_wheel(site):
    """A site-packages folder with a tiny installed paddlepaddle."""
    write_files(site, WHEEL_FILES)
    rows = []
    for name, text in WHEEL_FILES.items():
        digest = hashlib.sha256(text.encode()).digest()
        code = base64.urlsafe_b64encode(digest).rstrip(b'=').decode()
        rows.append(f'{name},sha256={code},{len(text)}\n')
    record = 'paddlepaddle-3.3.1.dist-info/RECORD'
    write_files(site, {record: ''.join(rows)})
    return site


def make_project(root, fill=True, other='2'):
    """A project that changes one function, and a number in another file."""
    series = make_series()
    if not fill:
        series['patches'][1].update(functions=[], edits={})
    series['wheel_files'][f'python/{OTHER}'] = 'not looked at'
    if other:
        hunk = f'-VALUE = 1\n+VALUE = {other}\n'
        series['patches'][0]['edits'][f'python/{OTHER}'] = hunk
    return write_project(root, series)


def contents(folder):
    """{relative path: bytes} of every file below a folder."""
    files = (path for path in folder.rglob('*') if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
