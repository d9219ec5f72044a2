"""Install the compiled operators into the Paddle of a venv.

The module, its Python wrapper and what that imports go in first; the lines at the
end of files of the wheel that load them go in last, so an interrupted run
leaves a Paddle that still imports.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_if_changed
from scripts.wheel.build_record import build_record
from scripts.wheel.site_files import SiteFiles, SiteFilesError, run_on_site

ROOT = Path(__file__).resolve().parents[2]
OWNER = 'native'
SOURCES = ROOT / 'native'
# What is put behind files of the wheel.
TAILS = {
    'paddle/_C_ops.py': SOURCES / 'c_ops_tail.py',
    'paddle/tensor/__init__.py': SOURCES / 'tensor_tail.py',
}


def new_files(build):
    """Where each added file comes from, by its place in site-packages."""
    record = build / '_native_build.json'
    write_if_changed(record, build_record(ROOT))
    return {
        'paddle/_native_lib.so': build / '_native_lib.so',
        **{
            f'paddle/_{path.name}': path
            for path in sorted(SOURCES.glob('native_*.py'))
        },
        'paddle/_native_ops.py': build / 'glue/_native_ops.py',
        'paddle/_native_build.json': record,
        'paddle_scatter_info.py': SOURCES / 'paddle_scatter_info.py',
    }


def tails():
    """What is put behind files of the wheel, by their names."""
    return {name: path.read_bytes() for name, path in TAILS.items()}


def install(site_files, added, behind):
    """Bring site-packages up to date; returns a report.

    added: where each added file comes from; behind: as tails() says it.
    """
    contents = {name: path.read_bytes() for name, path in added.items()}
    for name, tail in behind.items():
        original = site_files.pristine(name)
        if original is None:
            raise SiteFilesError(f'{name}: not in the installed wheel.')
        contents[name] = original.rstrip(b'\n') + b'\n\n' + tail
    return site_files.bring(contents, OWNER)


def main():
    def action(site, build):
        site_files = SiteFiles(site, build / 'originals')
        return install(site_files, new_files(build), tails())

    run_on_site(__doc__, action)


if __name__ == '__main__':
    main()
