"""Put the operators into the Paddle of a build's own environment; with --pack, pack
that as a wheel, which takes the place of paddlepaddle: pip installs it over the
release, and uninstalls it without leaving a file.

The released Paddle stays as pip has installed it. Beside it, in
`<build>/site-packages`, stands a second one, which that Python finds first: links to
the files of the release, but for those that the build changes or adds. Python files
are patched. The compiled module, its Python wrapper and what that imports are added.
The lines at the end of files of the wheel that load them go in last, so an
interrupted run leaves a Paddle that still imports.

All is made before the first file is written, so that a fault changes nothing.
Running it again repairs whatever was cut off, and is a no-op otherwise.
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
# What is put behind files of the wheel.
TAILS = {
    'paddle/_C_ops.py': NATIVE / 'c_ops_tail.py',
}


def released_files(wheel):
    """{place in site-packages: file} of an installed distribution, without its
    metadata, its commands and what Python has compiled."""
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
    """{place in site-packages: bytes} of what is added."""
    sources = {f'paddle/_{p.name}': p for p in NATIVE.glob('**/native_*.py')}
    sources['paddle/_native_lib.so'] = build / '_native_lib.so'
    sources['paddle_scatter_info.py'] = NATIVE / 'paddle_scatter_info.py'
    added = {name: path.read_bytes() for name, path in sources.items()}
    return {**added, 'paddle/_native_build.json': build_record()}


def bring(site, released, contents):
    """Makes `site` the released files but for these contents, which go in last
    and in this order; the places that changed. What Python has compiled stays."""
    links = {k: path for k, path in released.items() if k not in contents}
    changes = []
    for path in [p for p in site.rglob('*') if p.is_symlink() or p.is_file()]:
        name = str(path.relative_to(site))
        kept = path.is_symlink() if name in links else name in contents
        if not kept and '__pycache__' not in path.parts:
            path.unlink()
            changes.append(name)
    for name, path in links.items():
        if not (site / name).is_symlink():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).symlink_to(path)
    for name, data in contents.items():
        if write_if_changed(site / name, data):
            changes.append(name)
    return changes


def install(root, site, released, added, tails=TAILS):
    """Brings `site` to the state that it should have; the places that changed."""
    contents = {**added, **patched_files(patches_of(root), released)}
    stub = released[STUB].read_text('utf-8')
    contents[STUB] = tensor_methods(stub, root.glob('python_api/*.py')).encode()
    for name, tail in tails.items():
        before = contents.pop(name, None) or released[name].read_bytes()
        contents[name] = before.rstrip(b'\n') + b'\n\n' + tail.read_bytes()
    return bring(site, released, contents)


def pack(site, released, dist, day):
    """A wheel, all that `dist` then holds, of the files in `site`, under the
    metadata of the released distribution."""
    old = released.version
    new = f'{old}+scatter.{day.replace("-", "")}'  # pip counts that upwards
    by_pip = ('INSTALLER', 'RECORD', 'REQUESTED', '__pycache__')
    ignore = shutil.ignore_patterns(*by_pip)
    commands = {entry.name for entry in released.entry_points}  # pip makes them
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
    (wheel,) = dist.glob('*.whl')
    return wheel


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(';')[0])
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument('--pack', action='store_true')
    args = parser.parse_args()
    build = args.build_dir.resolve()
    site, wheel = build / 'site-packages', metadata.distribution(NAME)
    if args.pack:
        made = pack(site, wheel, build / 'dist', series_day())
        print(f'{made} ({made.stat().st_size / 2**20:.0f} MiB)')
        return
    pip_site = Path(wheel.locate_file(''))
    if (pip_site / 'paddle/_native_lib.so').exists():
        sys.exit(f'{pip_site}: holds no released Paddle. Use --clean.')
    try:
        changes = install(ROOT, site, released_files(wheel), new_files(build))
    except (SeriesError, FileNotFoundError) as error:
        sys.exit(str(error))
    if changes:
        site.touch()  # its time is that of the last change
    # The last is pip_site, for this is read before any other such file; a virtual
    # environment's are read twice.
    place = repr(str(site))
    line = f'import sys; {place} in sys.path or sys.path.insert(-1, {place})\n'
    write_if_changed(pip_site / '0_scatter_operators.pth', line.encode())
    print(f'{site}: {", ".join(changes) or "unchanged"}')


if __name__ == '__main__':
    main()
