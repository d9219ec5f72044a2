"""The kernels without what the pull request `speed` brings.

A core header asks a speed header first, by lines that the patch of the latter
adds. Whoever puts the folder that this writes in front of the sources on the
include path compiles the core alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.series.manifest import load_series
from scripts.series.patch_series import split_hunks
from scripts.series.tree_edits import source_text, upstream_path

ROOT = Path(__file__).resolve().parents[2]
SPEED = 'speed'


def core_texts(root, without=None):
    """{upstream path: text} of the kernels without the speed patches, or without
    those named."""
    series = load_series(root)
    left_out = [
        patch
        for patch in series.pull_request(SPEED)
        if without is None or patch.name in without
    ]
    dropped = {source for patch in left_out for source in patch.sources}
    hunks = {}
    for patch in left_out:
        for path, text in patch.edits.items():
            hunks.setdefault(path, []).extend(h for _, h in split_hunks(text))
    found = {}
    for patch in series.patches:
        for source in set(patch.sources) - dropped:
            path = upstream_path(source)
            if source.startswith('kernels/') and path:
                found[path] = source_text(root, source, hunks.get(path, []))
    return found


def write(root, folder, without=None):
    for path, text in core_texts(root, without).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding='utf-8')


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('folder', type=Path, help='an include folder')
    parser.add_argument(
        '--without', action='append', metavar='PATCH', help='only this one'
    )
    options = parser.parse_args(arguments)
    write(ROOT, options.folder, options.without)


if __name__ == '__main__':
    main()
