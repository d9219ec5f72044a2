"""Apply the Python hunks of patches/ to the Paddle wheel in a venv.

The patches are replayed on copies of the wheel's own files in a staging
folder and then moved into site-packages file by file, so a fault in any
patch changes nothing. Running it again repairs whatever was cut off, takes
back files that the series no longer touches, and is a no-op otherwise.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.common.files import write_atomic
from scripts.series.patch_series import SeriesError, read_series
from scripts.wheel import stub_methods
from scripts.wheel.site_files import SiteFiles, SiteFilesError

ROOT = Path(__file__).resolve().parents[2]
OWNER = 'patches'


def git_apply(patch, stage):
    """Apply the Python part of one patch inside the staging folder."""
    env = {k: v for k, v in os.environ.items() if not k.startswith('GIT_')}
    # Inside a git work tree, git apply silently skips paths outside it.
    env['GIT_CEILING_DIRECTORIES'] = str(stage.parent)
    command = ['git', 'apply', '-p2', '--include=paddle/*', str(patch.path)]
    done = subprocess.run(
        command, cwd=stage, env=env, capture_output=True, text=True
    )
    if done.returncode:
        raise SeriesError(
            f'{patch.path.name}: does not apply to the wheel:\n'
            f'{done.stderr.rstrip()}\n'
            'Export the patches again: scripts/series/export_patches.py.'
        )


def check_applied(patch, stage, before):
    """Raise unless every Python file of the patch really changed."""
    for path in patch.wheel_paths:
        file = stage / path
        if not file.is_file() or file.read_bytes() == before.get(path):
            raise SeriesError(
                f'{patch.path.name}: git apply left {path} as it was.'
            )


def stage_series(series, site_files, stage):
    """Replay the series on pristine copies; returns {path: new bytes}."""
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    paths = {path for patch in series for path in patch.wheel_paths}
    for path in sorted(paths):
        original = site_files.pristine(path)
        if original is not None:
            write_atomic(stage / path, original)
    for patch in series:
        if patch.wheel_paths:
            before = {
                path: (stage / path).read_bytes()
                for path in patch.wheel_paths
                if (stage / path).is_file()
            }
            git_apply(patch, stage)
            check_applied(patch, stage, before)
    return {path: (stage / path).read_bytes() for path in sorted(paths)}


def add_stub(contents, site_files):
    """Lets the type stub of Tensor know the changed functions."""
    before = site_files.pristine(stub_methods.MODULE)
    stub = site_files.pristine(stub_methods.STUB)
    after = contents.get(stub_methods.MODULE)
    if before and stub and after:
        texts = (data.decode('utf-8') for data in (stub, before, after))
        updated = stub_methods.update_stub(*texts).encode('utf-8')
        if updated != stub:
            contents[stub_methods.STUB] = updated


def check_python(contents):
    """Raise when a patched file is no longer valid Python."""
    for path, data in contents.items():
        if path.endswith(('.py', '.pyi')):
            try:
                compile(data, path, 'exec', dont_inherit=True)
            except SyntaxError as error:
                raise SeriesError(
                    f'{path}: broken by the patches: {error}'
                ) from error


def apply_series(patches, site, originals, stage):
    """Bring site-packages to what the series says; returns a report."""
    series = read_series(patches)
    site_files = SiteFiles(site, originals)
    contents = stage_series(series, site_files, stage)
    add_stub(contents, site_files)
    check_python(contents)
    report = []
    for path in site_files.owned_by(OWNER):
        if path not in contents:
            site_files.restore(path)
            report.append(f'restored  {path}')
    for path, data in contents.items():
        changed = site_files.put(path, data, OWNER)
        report.append(f'{"patched " if changed else "unchanged"} {path}')
    for patch in series:
        for path in patch.source_only:
            report.append(f'source target only: {path} ({patch.path.name})')
    shutil.rmtree(stage, ignore_errors=True)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--patches', type=Path, default=ROOT / 'patches')
    parser.add_argument('--build-dir', type=Path, default=ROOT / 'build')
    parser.add_argument(
        '--site',
        type=Path,
        default=Path(sysconfig.get_paths()['purelib']),
        help='site-packages to change (default: of this interpreter)',
    )
    args = parser.parse_args()
    build = args.build_dir.resolve()
    try:
        report = apply_series(
            args.patches.resolve(),
            args.site.resolve(),
            build / 'originals',
            build / 'patch_stage',
        )
    except (SeriesError, SiteFilesError) as error:
        sys.exit(f'apply_python_patches: {error}')
    print('\n'.join(report))


if __name__ == '__main__':
    main()
