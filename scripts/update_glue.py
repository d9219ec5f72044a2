"""Generate the glue code into a folder without touching unchanged files.

Compilers go by modification times: the generator writes into a new folder,
and only files that differ from the old ones are moved over.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from build_files import files_below, write_if_changed

ROOT = Path(__file__).resolve().parent.parent


def sync(new, old):
    """Make `old` hold exactly the files of `new`; returns what changed."""
    wanted = {path.relative_to(new) for path in files_below(new)}
    if not wanted:
        raise SystemExit(f'update_glue: nothing was generated in {new}')
    changed = []
    for name in sorted(wanted):
        if write_if_changed(old / name, (new / name).read_bytes()):
            changed.append(f'written   {name}')
    for path in files_below(old):
        if path.relative_to(old) not in wanted:
            path.unlink()
            changed.append(f'removed   {path.relative_to(old)}')
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--yaml-dir', type=Path, default=ROOT / 'ops_yaml')
    parser.add_argument('--out', type=Path, default=ROOT / 'build/glue')
    args = parser.parse_args()
    new = args.out.with_name(args.out.name + '.new')
    shutil.rmtree(new, ignore_errors=True)
    command = [sys.executable, str(ROOT / 'scripts/generate_native.py')]
    command += ['--yaml-dir', str(args.yaml_dir), '--out', str(new)]
    code = subprocess.run(command).returncode
    if code:
        sys.exit(code)
    changed = sync(new, args.out)
    shutil.rmtree(new)
    print('\n'.join(changed) or f'{args.out}: unchanged')


if __name__ == '__main__':
    main()
