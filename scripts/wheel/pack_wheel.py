"""Pack the Paddle of the build's environment as a wheel of its own.

The wheel takes the place of paddlepaddle: pip installs it over the release, and
uninstalls it without leaving a file. It holds the files that RECORD lists and
those that the build has added.
"""

import argparse
import sys
import sysconfig
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

from wheel.wheelfile import WheelFile

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.command_line import exit_status
from scripts.common.files import read_json
from scripts.wheel.install import series_day
from scripts.wheel.site_files import SiteFiles
from scripts.wheel.versions import NAME

ROOT = Path(__file__).resolve().parents[2]
# What pip has written, and what is written anew.
NOT_PACKED = ('INSTALLER', 'RECORD', 'REQUESTED', 'METADATA')


def packed_files(site_files, stem):
    """{place in the wheel: file}, metadata last. `stem`: name and version."""
    info = metadata.Distribution.at(site_files.info)
    commands = {entry.name for entry in info.entry_points}  # pip makes them
    packed, last = {}, {}
    for name in [*site_files.record, *read_json(site_files.state_file)]:
        path = Path(name)
        if path.parts[0] == '..':
            if path.name not in commands:
                packed[f'{stem}.data/scripts/{path.name}'] = path
        elif path.parts[0] != site_files.info.name:
            packed[name] = path
        elif path.name not in NOT_PACKED:
            last[f'{stem}.dist-info/{"/".join(path.parts[1:])}'] = path
    return {
        name: site_files.site / path
        for name, path in {**packed, **last}.items()
    }


def make_wheel(site_files, dist, day):
    """The path of the wheel, which replaces older ones."""
    old = site_files.info.stem.partition('-')[2]
    new = f'{old}+scatter.{day.replace("-", "")}'  # pip counts that upwards
    stem = f'{NAME}-{new}'
    text = (site_files.info / 'METADATA').read_text('utf-8')
    before, after = f'\nVersion: {old}\n', f'\nVersion: {new}\n'
    tags = (site_files.info / 'WHEEL').read_text('utf-8')
    tag = tags.partition('\nTag: ')[2].split()[0]
    dist.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=dist) as folder:
        part = Path(folder, f'{stem}-{tag}.whl')
        with WheelFile(part, 'w', zipfile.ZIP_DEFLATED) as wheel:
            for name, path in packed_files(site_files, stem).items():
                wheel.write(path, name)
            changed = text.replace(before, after, 1)
            wheel.writestr(f'{stem}.dist-info/METADATA', changed)
        for older in dist.glob('*.whl'):
            older.unlink()
        return part.rename(dist / part.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    build = parser.parse_args().build_dir.resolve()
    site_files = SiteFiles(
        sysconfig.get_paths()['purelib'], build / 'originals'
    )
    wheel = make_wheel(site_files, build / 'dist', series_day())
    size = wheel.stat().st_size / 2**20
    print(f'{wheel} ({size:.0f} MiB)')
    print(f'Install it with: python -m pip install --no-deps "{wheel}"')


if __name__ == '__main__':
    sys.exit(exit_status(main))
