"""Export patches/ from ops_yaml, kernels, python_api and unittests.

series.yaml assigns the sources to patches, and edits/ changes Paddle's files.
The commit messages are those in patches/. The output is reproducible. With
--check, patches/ is compared with it instead of written.

Exit status: 0 success, 1 stale patches or a fault, 2 invalid usage.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import report
from scripts.series.manifest import SeriesError, load_series
from scripts.series.patch_repo import (
    commit,
    export_last_patch,
    git,
    init_repo,
    write_tree,
)
from scripts.series.tree_edits import apply_patch
from scripts.series.upstream_tree import make_base_tree

ROOT = Path(__file__).resolve().parents[2]
# Submitters replace it.
AUTHOR = 'Your Name <you@example.com>'


def make_files(series, root):
    """Return {name: text} of the files in patches/."""
    tree = make_base_tree(series)
    files = {
        'BASE': ''.join(f'{k}: {v}\n' for k, v in series.base.items()),
        'series': ''.join(f'{p.file_name}\n' for p in series.patches),
    }
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder) / 'tree'
        init_repo(repo, tree)
        for patch in series.patches:
            apply_patch(tree, patch, root)
            write_tree(repo, tree)
            message = f'{patch.message}\nSigned-off-by: {AUTHOR}\n'
            commit(repo, message, AUTHOR, series.day)
            # Rejects trailing whitespace and empty lines at the end of a file.
            git(repo, 'diff', '--check', 'HEAD~', 'HEAD')
            files[patch.file_name] = export_last_patch(repo)
    return files


def find_stale(folder, files):
    """Yield an error for each file in patches/ that differs from `files`."""
    current = {path.name: path.read_text('utf-8') for path in folder.iterdir()}
    for name in sorted(current.keys() | files.keys()):
        if current.get(name) != files.get(name):
            yield f'patches/{name} is stale: run export_patches.py'


def write_files(folder, files):
    for path in folder.glob('*.patch'):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, 'utf-8')


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true', help='write nothing')
    check = parser.parse_args(arguments).check
    folder, faults = ROOT / 'patches', []
    try:
        files = make_files(load_series(ROOT), ROOT)
        if check:
            faults = list(find_stale(folder, files))
        else:
            write_files(folder, files)
    except (SeriesError, TypeError, ValueError, OSError) as error:
        faults = [str(error)]
    success = 'up to date' if check else 'written'
    return report('export_patches', faults, success)


if __name__ == '__main__':
    sys.exit(main())
