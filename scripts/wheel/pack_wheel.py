"""Pack the released Paddle with the operators in it as a wheel of its own.

The wheel takes the place of paddlepaddle: pip installs it over the release,
and uninstalls it without leaving a file. Unpacked and packed by `wheel`.
"""

import argparse
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common import programs
from scripts.series.patch_series import SeriesError
from scripts.wheel import install
from scripts.wheel.site_files import SiteFiles, SiteFilesError
from scripts.wheel.versions import NAME

ROOT = Path(__file__).resolve().parents[2]


class PackError(Exception):
    """The wheel can't be made."""


def run(*command):
    """Run a tool; a PackError with what it said if it fails."""
    done = programs.run(*command)
    if done.returncode:
        shown = ' '.join(str(part) for part in command)
        raise PackError(f'{shown}\n{done.stdout}{done.stderr}'.rstrip())


def only(paths, what):
    """The one path that is expected."""
    found = sorted(paths)
    if len(found) != 1:
        raise PackError(f'expected one {what}, found {len(found)}')
    return found[0]


def download(version, folder):
    """The released wheel, which pip takes from its cache if it is there."""
    folder.mkdir(parents=True)
    run(
        *(sys.executable, '-m', 'pip', 'download', '--no-deps', '--no-input'),
        *('--disable-pip-version-check', '--only-binary', ':all:'),
        *('--dest', folder, f'{NAME}=={version}'),
    )
    return only(folder.glob('*.whl'), f'wheel of {NAME} {version}')


def unpack(wheel, folder):
    """The folder that becomes site-packages."""
    run(sys.executable, '-m', 'wheel', 'unpack', '--dest', folder, wheel)
    return only(folder.iterdir(), 'folder in the wheel')


def add_operators(root, build, originals):
    """Do to the unpacked wheel what the build does to its venv."""
    install.apply_series(ROOT, SiteFiles(root, originals))
    added = install.new_files(build)
    install.add_files(SiteFiles(root, originals), added)
    for cache in root.rglob('__pycache__'):
        shutil.rmtree(cache)


def set_field(path, name, value):
    """Give METADATA or WHEEL one header of a name; headers come first."""
    old, new = rf'(?m)(^{name}: .*\n)+', f'{name}: {value}\n'
    text, found = re.subn(old, new, path.read_text('utf-8'), count=1)
    if not found:
        raise PackError(f'{path.name} of the released wheel has no {name}')
    path.write_text(text, encoding='utf-8')


def rename(root, old, new, tag):
    """Make it the wheel of another version. `tag`: of the released wheel's
    name, such as cp311-cp311-manylinux1_x86_64; inside it says less."""
    for kind in ('dist-info', 'data'):
        found = root / f'{NAME}-{old}.{kind}'
        if found.is_dir():
            found.rename(root / f'{NAME}-{new}.{kind}')
    info = root / f'{NAME}-{new}.dist-info'
    set_field(info / 'METADATA', 'Version', new)
    set_field(info / 'WHEEL', 'Tag', tag)


def pack(root, folder):
    """RECORD is written anew for the files that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    run(sys.executable, '-m', 'wheel', 'pack', '--dest-dir', folder, root)


def local_version(base):
    """The release's, and the day of the series: pip counts that upwards."""
    return f'{base}+scatter.{install.series_day().replace("-", "")}'


def make_wheel(build, version):
    """The wheel's path; what is packed lies in build/dist/work meanwhile."""
    dist, work = build / 'dist', build / 'dist/work'
    shutil.rmtree(work, ignore_errors=True)
    released = download(version, work / 'released')
    root = unpack(released, work / 'unpacked')
    add_operators(root, build, work / 'originals')
    new = local_version(version)
    rename(root, version, new, released.stem.split('-', 2)[2])
    for old in dist.glob('*.whl'):
        old.unlink()
    pack(root, dist)
    shutil.rmtree(work)
    return only(dist.glob('*.whl'), 'wheel in build/dist')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    args = parser.parse_args()
    try:
        wheel = make_wheel(args.build_dir.resolve(), metadata.version(NAME))
    except (PackError, SeriesError, SiteFilesError, OSError) as error:
        sys.exit(f'pack_wheel: {error}')
    size = wheel.stat().st_size / 2**20
    print(f'{wheel} ({size:.0f} MiB)')
    print(f'Install it with: python -m pip install --no-deps "{wheel}"')


if __name__ == '__main__':
    main()
