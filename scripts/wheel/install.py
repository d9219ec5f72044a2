"""Installs the operators into the Paddle of a build's environment; with --pack, packs
that Paddle as a wheel, which pip installs in place of the release.

The release stays as pip installed it. `<build>/site-packages`, which the environment's
Python searches first, has links to its files, the Python files that the patches
change, and the module with its Python wrapper. All contents are computed before the
first file is written, and the lines that load the module are written last: an
interrupted run leaves a Paddle that imports, and another run completes it.
"""

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from email.utils import parsedate_to_datetime
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.common.programs import run
from scripts.series.manifest import SeriesError
from scripts.series.patch_repo import git
from scripts.wheel.steps import BASE, NAME

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / 'native'
STUB = 'paddle/tensor/tensor.pyi'
# {file of the wheel: lines that are appended to it}
TAILS = {'paddle/_C_ops.py': NATIVE / 'c_ops_tail.py'}


def released_files(wheel):
    """{place in site-packages: file} of an installed distribution, without metadata,
    commands and bytecode."""
    return {
        str(path): Path(path.locate())
        for path in wheel.files
        if path.parts[0] != '..'
        and not path.parts[0].endswith('.dist-info')
        and '__pycache__' not in path.parts
    }


def patched_files(patches, released):
    """{place in site-packages: bytes} of Paddle's Python files that the patches
    change."""
    text = ''.join(path.read_text('utf-8') for path in patches)
    names = dict.fromkeys(re.findall(r'(?m)^--- a/python/(.*)', text))
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, 'python')
        for name in names:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(released[name], tree / name)
        for path in patches:
            git(Path(folder), 'apply', '--include=python/*', path)
        return {name: (tree / name).read_bytes() for name in names}


def tensor_methods(stub, paths):
    """The type stub of Tensor with the methods that python_api/ adds or replaces,
    which Paddle's build would write into this last class of the file."""
    nodes = [n for p in paths for n in ast.parse(p.read_text('utf-8')).body]
    names = {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    if re.findall(r'(?m)^class (\w+)', stub)[-1:] != ['Tensor']:
        raise SeriesError(f'{STUB}: does not end with the class Tensor.')
    for name in sorted(names):
        if f'    def {name}(' in stub:
            stub += f'    {name} = paddle.tensor.manipulation.{name}\n'
    return stub


def patches_of(root):
    return sorted(root.glob('patches/*.patch'))


def series_day():
    """The day of the newest patch, such as 2026-11-22."""
    texts = [path.read_text('utf-8') for path in patches_of(ROOT)]
    dates = [re.search('(?m)^Date: (.*)', text)[1] for text in texts]
    return max(f'{parsedate_to_datetime(date):%Y-%m-%d}' for date in dates)


def build_record():
    """The bytes of _native_build.json, which paddle_scatter_info prints."""
    done = run('git', '-C', ROOT, 'describe', '--always', '--dirty')
    record = {
        'base': BASE,
        'series': series_day(),
        'commit': done.stdout.strip() or 'unknown',
        'operators': sorted(x.stem for x in ROOT.glob('ops_yaml/*.yaml')),
    }
    return (json.dumps(record, indent=2) + '\n').encode()


def new_files(build):
    """{place in site-packages: bytes} of the module and its Python files."""
    sources = {f'paddle/_{p.name}': p for p in NATIVE.glob('**/native_*.py')}
    sources['paddle/_native_lib.so'] = build / '_native_lib.so'
    sources['paddle_scatter_info.py'] = NATIVE / 'paddle_scatter_info.py'
    added = {name: path.read_bytes() for name, path in sources.items()}
    return {**added, 'paddle/_native_build.json': build_record()}


def install(root, site, released, added, tails=TAILS):
    """Writes what changed in `site`; the places of these files, in order."""
    contents = {**added, **patched_files(patches_of(root), released)}
    stub = released[STUB].read_text('utf-8')
    contents[STUB] = tensor_methods(stub, root.glob('python_api/*.py')).encode()
    for name, tail in tails.items():
        text = contents.pop(name, None) or released[name].read_bytes()
        contents[name] = text.rstrip(b'\n') + b'\n\n' + tail.read_bytes()
    links = {k: path for k, path in released.items() if k not in contents}
    changes = remove_stale(site, links, contents)
    for name, path in links.items():
        if not (site / name).is_symlink():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).symlink_to(path)
    for name, data in contents.items():
        if write_if_changed(site / name, data):
            changes.append(name)
    return changes


def remove_stale(site, links, contents):
    """Removes files that are neither links nor contents, except bytecode."""
    removed = []
    for path in [p for p in site.rglob('*') if p.is_symlink() or p.is_file()]:
        name = str(path.relative_to(site))
        is_current = path.is_symlink() if name in links else name in contents
        if not is_current and '__pycache__' not in path.parts:
            path.unlink()
            removed.append(name)
    return removed


def pack(site, released, dist, day):
    """A wheel of `site` with the metadata of the release, alone in `dist`."""
    old = released.version
    new = f'{old}+scatter.{day.replace("-", "")}'  # newer to pip
    by_pip = ('INSTALLER', 'RECORD', 'REQUESTED', '__pycache__')
    ignore = shutil.ignore_patterns(*by_pip)
    commands = {entry.name for entry in released.entry_points}  # made by pip
    tree = dist / 'tree'
    info = tree / f'{NAME}-{new}.dist-info'
    scripts = tree / f'{NAME}-{new}.data/scripts'
    shutil.rmtree(dist, ignore_errors=True)
    shutil.copytree(site, tree, symlinks=True, ignore=ignore)
    from_pip = released.locate_file(f'{NAME}-{old}.dist-info')
    shutil.copytree(from_pip, info, ignore=ignore)
    text = released.read_text('METADATA')
    text = text.replace(f'\nVersion: {old}\n', f'\nVersion: {new}\n', 1)
    (info / 'METADATA').write_text(text, 'utf-8')
    scripts.mkdir(parents=True)
    for path in released.files:
        if path.parts[0] == '..' and path.name not in commands:
            shutil.copy(path.locate(), scripts)
    command = [sys.executable, '-m', 'wheel', 'pack', tree, '-d', dist]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return packed_wheel(dist)


def packed_wheel(dist):
    """The wheel in a folder, or None; one that was not completed has its tree."""
    return (
        next(dist.glob('*.whl'), None) if not (dist / 'tree').exists() else None
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(';')[0])
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--pack', action='store_true')
    args = parser.parse_args()
    build = args.build_dir.resolve()
    site, wheel = build / 'site-packages', metadata.distribution(NAME)
    if args.pack:
        packed = packed_wheel(build / 'dist')
        if not packed or packed.stat().st_mtime < site.stat().st_mtime:
            packed = pack(site, wheel, build / 'dist', series_day())
        print(f'{packed} ({packed.stat().st_size / 2**20:.0f} MiB)')
        return
    pip_site = Path(wheel.locate_file(''))
    if (pip_site / 'paddle/_native_lib.so').exists():
        sys.exit(f'{pip_site}: holds no released Paddle. Use --clean.')
    try:
        changes = install(ROOT, site, released_files(wheel), new_files(build))
    except (SeriesError, FileNotFoundError) as error:
        sys.exit(str(error))
    if changes:
        site.touch()  # the time of the last change
    # Inserted before the last, pip_site: this file sorts before any other .pth. A
    # virtual environment reads them twice.
    place = repr(str(site))
    line = f'import sys; {place} in sys.path or sys.path.insert(-1, {place})\n'
    write_if_changed(pip_site / '0_scatter_operators.pth', line.encode())
    print(f'{site}: {", ".join(changes) or "unchanged"}')


if __name__ == '__main__':
    main()
