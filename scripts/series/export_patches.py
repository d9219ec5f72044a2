"""Exports patches/ from ops_yaml, kernels, python_api and unittests.

scripts/series/series.yaml says what goes into which patch. The patches are a function of
the sources, the manifest and the wheel's own files: the same input gives the same
bytes. With --check nothing is written; differences are shown instead.

Exit status: 0 done or no drift; 1 drift, or faults in the sources or the patch
set; 2 wrong usage.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.common.programs import verdict
from scripts.series import patch_repo
from scripts.series.manifest import PLACEHOLDER_AUTHOR, load_series
from scripts.series.patch_repo import git
from scripts.series.patch_series import SeriesError, refuse, split_diffs
from scripts.series.tree_edits import apply_patch, upstream_path
from scripts.series.upstream_tree import base_tree, wheel_dirs

ROOT = Path(__file__).resolve().parents[2]
SHOWN_DIFF_LINES = 20
REMEDY = (
    'patches/ is generated: run scripts/series/export_patches.py and keep '
    'its result'
)
AUTHOR = re.compile(r'^[^<>\n]*[^<>\s] <[^<>\s]+@[^<>\s]+>$')


def make_files(series, root, folders):
    """{file name: text} of everything that stands in patches/."""
    ours = {upstream_path(x) for patch in series.patches for x in patch.sources}
    refuse(
        f'{patch.name}: edit of {path}: name it by its source'
        for patch in series.patches
        for path in ours & patch.edits.keys()
    )
    tree, recorded = base_tree(series, folders), series.recorded_files
    files = {
        'BASE': ''.join(f'{k}: {v}\n' for k, v in series.base.items()),
        'series': ''.join(f'{p.file_name}\n' for p in series.patches),
    }
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder) / 'tree'
        patch_repo.init_repo(repo, tree, series.author)
        for patch in series.patches:
            apply_patch(tree, patch, root)
            patch_repo.write_tree(repo, tree)
            signed = f'Signed-off-by: {series.author}'
            message = f'{patch.message}\n\n{signed}\n'
            patch_repo.commit(repo, message, series.author, patch.day)
            # refuses blanks at the end of a line or of a file
            git(repo, 'diff', '--check', 'HEAD~', 'HEAD')
            files[patch.file_name] = patch_repo.last_patch(repo, recorded)
    return files


def drift(folder, files):
    """What git sees between a patch folder and the files that it should hold."""
    if not folder.is_dir():
        return [f'{folder}: missing', REMEDY]
    with tempfile.TemporaryDirectory() as place:
        wanted = Path(place, 'exported_now')
        patch_repo.write_tree(wanted, files)
        words = ('diff', '--no-index', '-U1', '--', str(folder), str(wanted))
        text = git(Path(place), *words, ok=(0, 1))
    shown = [part.splitlines() for _, part in split_diffs(text)[1]]
    faults = ['\n    '.join(lines[:SHOWN_DIFF_LINES]) for lines in shown]
    return [*faults, REMEDY] if faults else []


def write_files(folder, files):
    """Writes the patch folder; removes patches that are no longer made."""
    for path in folder.glob('*.patch'):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        write_if_changed(folder / name, text.encode('utf-8'))


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
    add('--output', type=Path, help='patch folder (default: ROOT/patches)')
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
    folder = options.output or options.root / 'patches'
    faults = []
    try:
        series = load_series(options.root)
        series.author = options.author
        places = wheel_dirs(options.root, options.paddle)
        files = make_files(series, options.root, places)
        if options.check:
            faults = drift(folder.resolve(), files)
        else:
            write_files(folder, files)
    except SeriesError as error:
        faults = error.faults
    good = 'up to date' if options.check else 'written'
    return verdict('export_patches', faults, good)


if __name__ == '__main__':
    sys.exit(main())
