"""Pack the Paddle of a build as a wheel of its own: pack_wheel.py BUILD.

The wheel takes the place of paddlepaddle: pip installs it over the release, and
uninstalls it without leaving a file.
"""

import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.wheel.install import series_day
from scripts.wheel.versions import NAME


def pack(site, released, dist, day):
    """A wheel in `dist`, in place of older ones, of the files in `site`, under the
    metadata of the released distribution."""
    old = released.version
    new = f'{old}+scatter.{day.replace("-", "")}'  # pip counts that upwards
    by_pip = ('INSTALLER', 'RECORD', 'REQUESTED', '__pycache__')
    commands = {entry.name for entry in released.entry_points}  # pip makes them
    dist.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=dist) as folder:
        tree = Path(folder, 'tree')
        info, scripts = (
            tree / f'{NAME}-{new}.{part}'
            for part in ('dist-info', 'data/scripts')
        )
        ignore = shutil.ignore_patterns(*by_pip)
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
        command = [sys.executable, '-m', 'wheel', 'pack', tree, '-d', folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for older in dist.glob('*.whl'):
            older.unlink()
        (wheel,) = Path(folder).glob('*.whl')
        return wheel.rename(dist / wheel.name)


if __name__ == '__main__':
    build, paddle = Path(sys.argv[1]).resolve(), metadata.distribution(NAME)
    made = pack(build / 'site-packages', paddle, build / 'dist', series_day())
    print(f'{made} ({made.stat().st_size / 2**20:.0f} MiB)')
