"""Put the project's Python functions, or its operators, into the Paddle of a venv.

`python`: the wheel's own files get what the patches do to Paddle's: the functions
of python_api/ and the edits of series.yaml. `native`: the compiled module, its
Python wrapper and what that imports go in first; the lines at the end of files of
the wheel that load them go in last, so an interrupted run leaves a Paddle that
still imports.

All is made before the first file is written, so that a fault changes nothing.
Running it again repairs whatever was cut off, takes back files that are no longer
changed, and is a no-op otherwise.
"""

import argparse
import json
import sys
import sysconfig
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.common.programs import run
from scripts.series.manifest import read_manifest
from scripts.series.patch_series import SeriesError
from scripts.series.tree_edits import patch_python
from scripts.wheel import stub_methods
from scripts.wheel.site_files import SiteFiles, SiteFilesError
from scripts.wheel.versions import BASE

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / 'native'
PREFIX = 'python/'  # of Paddle's tree; the rest is a place in site-packages
# What is put behind files of the wheel.
TAILS = {
    'paddle/_C_ops.py': NATIVE / 'c_ops_tail.py',
    'paddle/device/__init__.py': NATIVE / 'device_tail.py',
    'paddle/tensor/__init__.py': NATIVE / 'tensor_tail.py',
}


def original(site_files, path):
    """The wheel's own text of a file that it has to have."""
    data = site_files.pristine(path)
    if data is None:
        raise SiteFilesError(f'{path}: not in the installed wheel.')
    return data.decode('utf-8')


def patched_files(root, site_files):
    """{path in site-packages: new text} of the files that the series changes."""
    series = read_manifest(root)
    tree = {
        path: original(site_files, path[len(PREFIX) :])
        for path in series.wheel_files
        if path.startswith(PREFIX)
    }
    contents = {
        path[len(PREFIX) :]: text
        for path, text in patch_python(tree, series, root).items()
        if text != tree[path]
    }
    for path, text in contents.items():
        try:
            compile(text, path, 'exec', dont_inherit=True)
        except SyntaxError as error:
            fault = f'{path}: broken by the series: {error}'
            raise SeriesError(fault) from None
    stub = site_files.pristine(stub_methods.STUB)
    after = contents.get(stub_methods.MODULE)
    if stub and after:  # the type stub of Tensor learns the changed functions
        old, before = stub.decode(), original(site_files, stub_methods.MODULE)
        new = stub_methods.update_stub(old, before, after)
        contents.update({stub_methods.STUB: new} if new != old else {})
    return contents


def apply_series(root, site_files):
    """Bring site-packages to what the series says; returns a report."""
    contents = patched_files(root, site_files)
    data = {path: text.encode('utf-8') for path, text in contents.items()}
    return site_files.bring(data, 'patches')


def series_day():
    """The day of the newest patch, such as 2026-11-22."""
    return max(patch.day for patch in read_manifest(ROOT).patches)


def build_record():
    """What the build says of itself: the bytes of _native_build.json."""
    done = run('git', '-C', ROOT, 'describe', '--always', '--dirty')
    record = {
        'base': BASE,
        'series': series_day(),
        'commit': done.stdout.strip() or 'unknown',
        'operators': sorted(x.stem for x in ROOT.glob('ops_yaml/*.yaml')),
    }
    return (json.dumps(record, indent=2) + '\n').encode()


def new_files(build):
    """Where each added file comes from, by its place in site-packages."""
    record = build / '_native_build.json'
    write_if_changed(record, build_record())
    modules = sorted(NATIVE.glob('**/native_*.py'))
    return {
        'paddle/_native_lib.so': build / '_native_lib.so',
        **{f'paddle/_{path.name}': path for path in modules},
        'paddle/_native_ops.py': build / 'glue/_native_ops.py',
        'paddle/_native_build.json': record,
        'paddle_scatter_info.py': NATIVE / 'paddle_scatter_info.py',
    }


def add_files(site_files, added, tails=TAILS):
    """Bring site-packages to these files and tails; returns a report."""
    contents = {name: path.read_bytes() for name, path in added.items()}
    for name, tail in tails.items():
        text = original(site_files, name).rstrip('\n')
        contents[name] = f'{text}\n\n'.encode() + tail.read_bytes()
    return site_files.bring(contents, 'native')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add('what', choices=('python', 'native'))
    add('--build-dir', type=Path, default=ROOT / 'build')
    add('--site', type=Path, default=sysconfig.get_paths()['purelib'],
        help='site-packages to change (default: of this interpreter)')  # fmt: skip
    args = parser.parse_args()
    build = args.build_dir.resolve()
    try:
        site_files = SiteFiles(args.site.resolve(), build / 'originals')
        if args.what == 'python':
            report = apply_series(ROOT, site_files)
        else:
            report = add_files(site_files, new_files(build))
    except (SiteFilesError, SeriesError, OSError) as error:
        sys.exit(f'{parser.prog}: {error}')
    print('\n'.join(report))


if __name__ == '__main__':
    main()
