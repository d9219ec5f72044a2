"""The kernels without what the pull request `speed` brings.

A core header asks a speed header first, by lines that the patch of the latter
adds. Whoever puts the folder that this writes in front of the sources on the
include path compiles the core alone.
"""

from __future__ import annotations

from scripts.series.manifest import load_series
from scripts.series.patch_series import split_hunks
from scripts.series.tree_edits import source_text, upstream_path

SPEED = 'speed'


def core_texts(root):
    """{upstream path: text} of the kernels without the speed patches."""
    series = load_series(root)
    dropped, hunks = set(), {}
    for patch in series.pull_request(SPEED):
        dropped |= set(patch.sources)
        for path, text in patch.edits.items():
            hunks.setdefault(path, []).extend(h for _, h in split_hunks(text))
    found = {}
    for patch in series.patches:
        for source in set(patch.sources) - dropped:
            path = upstream_path(source)
            if source.startswith('kernels/') and path:
                found[path] = source_text(root, source, hunks.get(path, []))
    return found


def write(root, folder):
    for path, text in core_texts(root).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding='utf-8')
