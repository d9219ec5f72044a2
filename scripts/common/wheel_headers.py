"""The folder with the headers of a Paddle wheel."""

import sysconfig
from pathlib import Path


def find_include(root):
    """Return the headers of this Python's Paddle, or else of the build's."""
    own = Path(sysconfig.get_paths()['purelib'], 'paddle/include')
    pattern = 'build/venv/lib/python3*/site-packages/paddle/include'
    paths = [p for p in (own, *sorted(Path(root).glob(pattern))) if p.is_dir()]
    return paths[0] if paths else own
