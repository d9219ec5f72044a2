"""Put the project's Python functions into the Paddle wheel in a venv.

The wheel's own files get what the patches do to Paddle's: the functions of
python_api/ and the edits of series.yaml. All is made before the first file is
written, so that a fault changes nothing. Running it again repairs whatever was
cut off, takes back files that are no longer changed, and is a no-op otherwise.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.series.manifest import read_manifest
from scripts.series.patch_series import SeriesError
from scripts.series.tree_edits import patch_python
from scripts.wheel import stub_methods
from scripts.wheel.site_files import SiteFiles, run_on_site

ROOT = Path(__file__).resolve().parents[2]
OWNER = 'patches'
PREFIX = 'python/'  # of Paddle's tree; the rest is a place in site-packages


def make_contents(root, site_files):
    """{path in site-packages: new text} of the files that the series changes."""
    series = read_manifest(root)
    paths = [p for p in series.wheel_files if p.startswith(PREFIX)]
    tree = {}
    for path in paths:
        original = site_files.pristine(path[len(PREFIX) :])
        if original is None:
            raise SeriesError(f'{path}: not in the installed wheel.')
        tree[path] = original.decode('utf-8')
    patched = patch_python(tree, series, root)
    contents = {
        path[len(PREFIX) :]: text
        for path, text in patched.items()
        if text != tree[path]
    }
    add_stub(contents, site_files)
    for path, text in contents.items():
        try:
            compile(text, path, 'exec', dont_inherit=True)
        except SyntaxError as error:
            raise SeriesError(
                f'{path}: broken by the series: {error}'
            ) from None
    return contents


def add_stub(contents, site_files):
    """Lets the type stub of Tensor know the changed functions."""
    after = contents.get(stub_methods.MODULE)
    stub = site_files.pristine(stub_methods.STUB)
    if after and stub:
        before = site_files.pristine(stub_methods.MODULE).decode('utf-8')
        old = stub.decode('utf-8')
        new = stub_methods.update_stub(old, before, after)
        if new != old:
            contents[stub_methods.STUB] = new


def apply_series(root, site, originals):
    """Bring site-packages to what the series says; returns a report."""
    site_files = SiteFiles(site, originals)
    contents = make_contents(root, site_files)
    data = {path: text.encode('utf-8') for path, text in contents.items()}
    return site_files.bring(data, OWNER)


def main():
    run_on_site(
        __doc__,
        lambda site, build: apply_series(ROOT, site, build / 'originals'),
        SeriesError,
    )


if __name__ == '__main__':
    main()
