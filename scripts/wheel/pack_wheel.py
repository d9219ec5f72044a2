"""Pack the Paddle of the build's environment as a wheel of its own.

The wheel takes the place of paddlepaddle: pip installs it over the release, and
uninstalls it without leaving a file.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.wheel.install import series_day
from scripts.wheel.versions import NAME

ROOT = Path(__file__).resolve().parents[2]


def pack(site, released, dist, day):
    """A wheel in `dist`, in place of older ones, of the files in `site`, under the
    metadata of the released distribution."""
    version = (
        f'{released.version}+scatter.{day.replace("-", "")}'  # pip counts it up
    )
    stem = f'{NAME}-{version}'
    dist.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=dist) as folder:
        tree = Path(folder, 'tree')
        compiled = shutil.ignore_patterns('__pycache__')
        shutil.copytree(site, tree, symlinks=True, ignore=compiled)
        info = tree / f'{stem}.dist-info'
        by_pip = shutil.ignore_patterns('INSTALLER', 'RECORD', 'REQUESTED')
        shutil.copytree(
            released.locate_file(f'{NAME}-{released.version}.dist-info'),
            info,
            ignore=by_pip,
        )
        text = released.read_text('METADATA')
        before, after = (
            f'\nVersion: {released.version}\n',
            f'\nVersion: {version}\n',
        )
        (info / 'METADATA').write_text(text.replace(before, after, 1), 'utf-8')
        commands = {
            entry.name for entry in released.entry_points
        }  # pip makes them
        for path in released.files:
            if path.parts[0] == '..' and path.name not in commands:
                scripts = tree / f'{stem}.data/scripts'
                scripts.mkdir(parents=True, exist_ok=True)
                shutil.copy(path.locate(), scripts)
        command = [sys.executable, '-m', 'wheel', 'pack', tree, '-d', folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for older in dist.glob('*.whl'):
            older.unlink()
        (wheel,) = Path(folder).glob('*.whl')
        return wheel.rename(dist / wheel.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    build = parser.parse_args().build_dir.resolve()
    released = metadata.distribution(NAME)
    wheel = pack(
        build / 'site-packages', released, build / 'dist', series_day()
    )
    print(f'{wheel} ({wheel.stat().st_size / 2**20:.0f} MiB)')


if __name__ == '__main__':
    main()
