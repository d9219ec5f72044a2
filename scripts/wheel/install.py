"""Put the operators into the Paddle of the build's own environment.

Its Python files get what the patches do to Paddle's: the functions of python_api/
and the edits of series.yaml. The compiled module, its Python wrapper and what that
imports are added. The lines at the end of files of the wheel that load them go in
last, so an interrupted run leaves a Paddle that still imports.

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

from scripts.common.command_line import exit_status
from scripts.common.files import write_if_changed
from scripts.common.programs import run
from scripts.series.manifest import read_manifest
from scripts.series.patch_series import SeriesError
from scripts.series.tree_edits import patch_python
from scripts.wheel.site_files import SiteFiles
from scripts.wheel.stub_methods import STUB, assign_methods, defined_functions
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


def patched_files(root, site_files):
    """{place in site-packages: bytes} of the files that the series changes."""
    series = read_manifest(root)
    tree = {
        path: site_files.text(path[len(PREFIX) :])
        for path in series.wheel_files
        if path.startswith(PREFIX)
    }
    patched = patch_python(tree, series, root)
    return {
        path[len(PREFIX) :]: text.encode()
        for path, text in patched.items()
        if text != tree[path]
    }


def changed_stub(root, site_files):
    """The type stub of Tensor, which learns the functions of python_api."""
    names = defined_functions(root.glob('python_api/*.py'))
    stub = assign_methods(site_files.text(STUB), names)
    return {STUB: stub.encode()}


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


def install(root, site_files, added, tails=TAILS):
    """Bring site-packages to this state; returns a report."""
    contents = {name: path.read_bytes() for name, path in added.items()}
    contents.update(patched_files(root, site_files))
    contents.update(changed_stub(root, site_files))
    for name, tail in tails.items():
        before = contents.pop(name, site_files.text(name).encode())
        contents[name] = before.rstrip(b'\n') + b'\n\n' + tail.read_bytes()
    return site_files.bring(contents)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    build = parser.parse_args().build_dir.resolve()
    site_files = SiteFiles(
        sysconfig.get_paths()['purelib'], build / 'originals'
    )
    changes = install(ROOT, site_files, new_files(build))
    print('\n'.join(changes) or 'Nothing had to be changed.')


if __name__ == '__main__':
    sys.exit(exit_status(main, SeriesError))
