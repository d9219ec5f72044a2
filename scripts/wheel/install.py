"""Install the operators into the Paddle of a build's environment.

The release stays as installed by pip. `<build>/site-packages`, which precedes
it on sys.path, contains links to its files, the Python files that the patches
change, and the module with its Python wrapper. The folder is replaced when it is
complete. With --pack, that Paddle is packed as a wheel that replaces the release.
"""

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.common.programs import run
from scripts.series.manifest import MANIFEST, SeriesError
from scripts.series.patch_repo import git

NAME = 'paddlepaddle'
ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / 'native'
STUB, LOADER = 'paddle/tensor/tensor.pyi', 'paddle/_C_ops.py'


def list_released_files(wheel):
    """Return {path in site-packages: file} of the modules of a distribution."""
    return {
        str(path): Path(path.locate())
        for path in wheel.files
        if path.parts[0] != '..'
        and not path.parts[0].endswith('.dist-info')
        and '__pycache__' not in path.parts
    }


def patch_files(patches, release):
    """Return {path in site-packages: bytes} of the patched Python files."""
    text = ''.join(path.read_text('utf-8') for path in patches)
    names = dict.fromkeys(re.findall(r'(?m)^--- a/python/(.*)', text))
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, 'python')
        for name in names:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(release[name], tree / name)
        for path in patches:
            git(Path(folder), 'apply', '--include=python/*', path)
        return {name: (tree / name).read_bytes() for name in names}


def add_tensor_methods(stub, paths):
    """Add methods to Tensor, the stub's last class, as Paddle's build does."""
    if re.findall(r'(?m)^class (\w+)', stub)[-1:] != ['Tensor']:
        raise SeriesError(f'{STUB}: the last class should be Tensor.')
    nodes = [n for p in paths for n in ast.parse(p.read_text('utf-8')).body]
    for name in sorted(n.name for n in nodes if isinstance(n, ast.FunctionDef)):
        if f'    def {name}(' in stub:
            stub += f'    {name} = paddle.tensor.manipulation.{name}\n'
    return stub


def read_day():
    """Return the day of the series, such as 2026-11-22."""
    return str(yaml.safe_load((ROOT / MANIFEST).read_text('utf-8'))['day'])


def read_new_files(build, release):
    """Return {path in site-packages: bytes} of the module and its wrapper."""
    sources = {f'paddle/_{p.name}': p for p in NATIVE.glob('**/native_*.py')}
    sources['paddle/_native_lib.so'] = build / '_native_lib.so'
    sources['paddle_scatter_info.py'] = NATIVE / 'paddle_scatter_info.py'
    files = {name: path.read_bytes() for name, path in sources.items()}
    process = run('git', '-C', ROOT, 'describe', '--always', '--dirty')
    record = {
        'base': release,
        'series': read_day(),
        'commit': process.stdout.strip() or 'unknown',
        'operators': sorted(x.stem for x in ROOT.glob('ops_yaml/*.yaml')),
    }
    files['paddle/_native_build.json'] = json.dumps(record, indent=2).encode()
    return files


def install(root, site, release, new_files):
    """Replace `site` by links to the release, changed files and new files."""
    contents = {
        **new_files,
        **patch_files(sorted(root.glob('patches/*.patch')), release),
    }
    stub = release[STUB].read_text('utf-8')
    stub = add_tensor_methods(stub, root.glob('python_api/*.py'))
    contents[STUB] = stub.encode()
    tail = (root / 'native/c_ops_tail.py').read_bytes()
    contents[LOADER] = release[LOADER].read_bytes().rstrip() + b'\n\n' + tail
    new = site.with_name('site-packages.new')
    shutil.rmtree(new, ignore_errors=True)
    for name in {**release, **contents}:
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        if name in contents:
            (new / name).write_bytes(contents[name])
        else:
            (new / name).symlink_to(release[name])
    shutil.rmtree(site, ignore_errors=True)
    new.rename(site)


def pack(site, release, dist, day):
    """Pack `site` as the only wheel in `dist`, with the release's metadata."""
    old = release.version
    new = f'{old}+scatter.{day.replace("-", "")}'  # a newer version for pip
    generated = ('INSTALLER', 'RECORD', 'REQUESTED', '__pycache__')
    ignore = shutil.ignore_patterns(*generated)
    commands = {entry.name for entry in release.entry_points}  # of pip
    tree = dist / 'tree'
    info = tree / f'{NAME}-{new}.dist-info'
    scripts = tree / f'{NAME}-{new}.data/scripts'
    shutil.rmtree(dist, ignore_errors=True)
    shutil.copytree(site, tree, symlinks=True, ignore=ignore)
    old_info = release.locate_file(f'{NAME}-{old}.dist-info')
    shutil.copytree(old_info, info, ignore=ignore)
    text = release.read_text('METADATA')
    text = text.replace(f'\nVersion: {old}\n', f'\nVersion: {new}\n', 1)
    (info / 'METADATA').write_text(text, 'utf-8')
    scripts.mkdir(parents=True)
    for path in release.files:
        if path.parts[0] == '..' and path.name not in commands:
            shutil.copy(path.locate(), scripts)
    command = [sys.executable, '-m', 'wheel', 'pack', tree, '-d', dist]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return next(dist.glob('*.whl'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--pack', action='store_true')
    args = parser.parse_args()
    build = args.build_dir.resolve()
    site, wheel = build / 'site-packages', metadata.distribution(NAME)
    if args.pack:
        path = pack(site, wheel, build / 'dist', read_day())
        print(f'{path} ({path.stat().st_size / 2**20:.0f} MiB)')
        return
    # Raises SeriesError if a patch does not apply, as to a patched Paddle.
    release = list_released_files(wheel)
    install(ROOT, site, release, read_new_files(build, wheel.version))
    # Inserted before the last entry, the release's: this file sorts before all
    # other .pth files. A virtual environment reads them twice.
    place = repr(str(site))
    line = f'import sys; {place} in sys.path or sys.path.insert(-1, {place})\n'
    pth = Path(wheel.locate_file('0_scatter_operators.pth'))
    write_if_changed(pth, line.encode())


if __name__ == '__main__':
    main()
