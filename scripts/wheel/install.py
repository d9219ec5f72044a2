"""Install the operators into the Paddle of a build's environment.

The release stays as installed by pip. `<build>/site-packages`, which precedes
it on sys.path, contains the release's Python files, which the patches change,
links to its other files, and the module with its Python wrapper. The folder is
replaced when it is complete. With --pack, that Paddle is packed as a wheel that
replaces the release.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.programs import run
from scripts.series.manifest import MANIFEST
from scripts.series.patch_repo import git

NAME = 'paddlepaddle'
ROOT = Path(__file__).resolve().parents[2]
STUB, LOADER = 'paddle/tensor/tensor.pyi', 'paddle/_C_ops.py'
RECORD = 'paddle/_native_build.json'
# Files that Python and pip generate when a wheel is installed or imported.
IGNORE = shutil.ignore_patterns('__pycache__', 'INSTALLER', 'REQUESTED')


def copy_or_link(source, target):
    """Copy a Python file, which may be changed; link any other file."""
    is_python = source.endswith(('.py', '.pyi'))
    (shutil.copyfile if is_python else os.symlink)(source, target)


def add_tensor_methods(stub, paths):
    """Add methods to Tensor, the stub's last class, as Paddle's build does."""
    text = stub.read_text('utf-8')
    nodes = [n for p in paths for n in ast.parse(p.read_text('utf-8')).body]
    for name in sorted(n.name for n in nodes if isinstance(n, ast.FunctionDef)):
        if f'    def {name}(' in text:
            text += f'    {name} = paddle.tensor.manipulation.{name}\n'
    stub.write_text(text, 'utf-8')


def add_module(root, build, folder, base):
    """Add the module, its Python wrapper, and a record of their origin."""
    native = root / 'native'
    for path in native.glob('**/native_*.py'):
        shutil.copy(path, folder / f'paddle/_{path.name}')
    shutil.copy(build / '_native_lib.so', folder / 'paddle')
    shutil.copy(native / 'paddle_scatter_info.py', folder)
    with (folder / LOADER).open('a', encoding='utf-8') as loader:
        loader.write('\n\n' + (native / 'c_ops_tail.py').read_text('utf-8'))
    manifest = yaml.safe_load((root / MANIFEST).read_text('utf-8'))
    process = run('git', '-C', root, 'describe', '--always', '--dirty')
    record = {
        'base': base,
        'series': str(manifest['day']),  # such as 2026-11-22
        'commit': process.stdout.strip() or 'unknown',
        'operators': sorted(x.stem for x in root.glob('ops_yaml/*.yaml')),
    }
    (folder / RECORD).write_text(json.dumps(record, indent=2), 'utf-8')


def install(root, build, wheel):
    """Replace <build>/site-packages; return the folder.

    Raises SeriesError if a patch does not apply, as to a patched Paddle.
    """
    site, new = build / 'site-packages', build / 'site-packages.new'
    shutil.rmtree(new, ignore_errors=True)
    paddle = wheel.locate_file('paddle')
    shutil.copytree(
        paddle, new / 'paddle', ignore=IGNORE, copy_function=copy_or_link
    )
    patches = sorted(root.glob('patches/*.patch'))
    # In a tree, Python files are in python/.
    git(new, 'apply', '-p2', '--include=paddle/*', *patches)
    add_tensor_methods(new / STUB, root.glob('python_api/*.py'))
    add_module(root, build, new, wheel.version)
    shutil.rmtree(site, ignore_errors=True)
    return new.rename(site)


def pack(build, release):
    """Pack the only wheel in <build>/dist, with the release's metadata."""
    site, dist = build / 'site-packages', build / 'dist'
    record = json.loads((site / RECORD).read_text('utf-8'))
    old = release.version
    # A newer version for pip.
    new = f'{old}+scatter.{record["series"].replace("-", "")}'
    tree = dist / 'tree'
    info = tree / f'{NAME}-{new}.dist-info'
    scripts = tree / f'{NAME}-{new}.data/scripts'
    shutil.rmtree(dist, ignore_errors=True)
    shutil.copytree(site, tree, symlinks=True, ignore=IGNORE)
    old_info = release.locate_file(f'{NAME}-{old}.dist-info')
    shutil.copytree(old_info, info, ignore=IGNORE)
    text = release.read_text('METADATA')
    text = text.replace(f'\nVersion: {old}\n', f'\nVersion: {new}\n', 1)
    (info / 'METADATA').write_text(text, 'utf-8')
    scripts.mkdir(parents=True)
    # pip makes the other program, an entry point.
    (program,) = (x for x in release.files if x.match('../bin/paddle'))
    shutil.copy(program.locate(), scripts)
    command = [sys.executable, '-m', 'wheel', 'pack', tree, '-d', dist]
    subprocess.run(command, check=True)
    shutil.rmtree(tree)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--pack', action='store_true')
    args = parser.parse_args()
    build, wheel = args.build_dir.resolve(), metadata.distribution(NAME)
    if args.pack:
        pack(build, wheel)
        return
    place = repr(str(install(ROOT, build, wheel)))
    # Inserted before the last entry, the release's: this file sorts before all
    # other .pth files. A virtual environment reads them twice.
    line = f'import sys; {place} in sys.path or sys.path.insert(-1, {place})\n'
    pth = Path(wheel.locate_file('0_scatter_operators.pth'))
    pth.write_text(line, 'utf-8')


if __name__ == '__main__':
    main()
