"""Exports patches/ from ops_yaml, kernels, python_api and unittests.

scripts/series/series.yaml says what goes into which patch, edits/ has what changes in
files of Paddle, the pages of pull requests have the messages. The patches, and the tables of docs/review_guide.md, are a function
of these and of the wheel's own files: the same input gives the same bytes. With
--check nothing is written; differences are shown instead.

Exit status: 0 done or no drift; 1 drift, or faults in the sources or the patch
set; 2 wrong usage.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from difflib import unified_diff
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.common.programs import verdict
from scripts.series import patch_repo
from scripts.series.manifest import PLACEHOLDER_AUTHOR, load_series
from scripts.series.patch_repo import git
from scripts.series.patch_series import SeriesError, refuse
from scripts.series.patch_tables import GUIDE, size_of, with_tables
from scripts.series.tree_edits import apply_patch, upstream_path
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[2]
SHOWN_DIFF_LINES = 20
REMEDY = 'run scripts/series/export_patches.py and keep its result'
AUTHOR = re.compile(r'^[^<>\n]*[^<>\s] <[^<>\s]+@[^<>\s]+>$')


def make_files(series, root, folders):
    """{path: text} of everything that stands in patches/, and of the review guide."""
    ours = {upstream_path(x) for patch in series.patches for x in patch.sources}
    refuse(
        f'{patch.name}: edit of {path}: name it by its source'
        for patch in series.patches
        for path in ours & patch.edits.keys()
    )
    tree, recorded = base_tree(series, folders), series.recorded_files
    files = {
        'patches/BASE': ''.join(f'{k}: {v}\n' for k, v in series.base.items()),
        'patches/series': ''.join(f'{p.file_name}\n' for p in series.patches),
    }
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder) / 'tree'
        patch_repo.init_repo(repo, tree, series.author)
        for patch in series.patches:
            apply_patch(tree, patch, root)
            patch_repo.write_tree(repo, tree)
            message = f'{patch.message}\n\nSigned-off-by: {series.author}\n'
            patch_repo.commit(repo, message, series.author, patch.day)
            # refuses blanks at the end of a line or of a file
            git(repo, 'diff', '--check', 'HEAD~', 'HEAD')
            path = f'patches/{patch.file_name}'
            files[path] = patch_repo.last_patch(repo, recorded)
            numstat = git(repo, 'diff', '--numstat', '--no-renames', 'HEAD~')
            sizes[patch.name] = size_of(numstat)
    guide = (root / GUIDE).read_text(encoding='utf-8')
    return {**files, GUIDE: with_tables(guide, series, sizes)}


def drift(root, files):
    """How files differ from what they should hold, and patches that are too many."""
    there = {f'patches/{path.name}' for path in root.glob('patches/*')}
    for path in sorted(there | files.keys()):
        old = (
            (root / path).read_text('utf-8') if (root / path).is_file() else ''
        )
        sides = [text.splitlines() for text in (old, files.get(path, ''))]
        lines = unified_diff(
            *sides, path, f'{path} exported now', n=1, lineterm=''
        )
        if shown := [*islice(lines, SHOWN_DIFF_LINES)]:
            yield '\n    '.join(shown)


def write_files(root, files):
    """Writes what has changed; removes patches that are no longer made."""
    for path in root.glob('patches/*.patch'):
        if f'patches/{path.name}' not in files:
            path.unlink()
    for path, text in files.items():
        write_if_changed(root / path, text.encode('utf-8'))


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--check', action='store_true', help='write nothing, fail on drift')
    add(
        '--paddle',
        metavar='DIR',
        help='site-packages with an untouched wheel of the base '
        '(default: that of build/venv)',
    )
    add('--root', type=Path, default=ROOT, help='project folder')
    add(
        '--author',
        metavar="'NAME <MAIL>'",
        default=PLACEHOLDER_AUTHOR,
        help='author and sign-off of the patches (default: a placeholder)',
    )
    options = parser.parse_args(arguments)
    if not AUTHOR.match(options.author):
        parser.error(f"--author: expected 'NAME <MAIL>', got {options.author}")
    return options


def main(arguments=None):
    options = parse_arguments(arguments)
    root, faults = options.root, []
    try:
        series = load_series(root)
        series.author = options.author
        files = make_files(series, root, wheel_dirs(root, options.paddle))
        if not options.check:
            write_files(root, files)
        elif faults := [*drift(root, files)]:
            faults.append(REMEDY)
    except (SeriesError, ValueError) as error:
        faults = getattr(error, 'faults', [str(error)])
    good = 'up to date' if options.check else 'written'
    return verdict('export_patches', faults, good)


if __name__ == '__main__':
    sys.exit(main())
