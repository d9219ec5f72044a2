"""Compile a C++ file of this folder against the kernels and a Paddle."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / 'build' / 'bench'
KERNELS = ROOT / 'kernels' / 'funcs'


def _include_root():
    """A folder in which the kernels stand where Paddle has them."""
    link = FOLDER / 'include' / 'paddle' / 'phi' / 'kernels'
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(ROOT / 'kernels', link.parent))
    return FOLDER / 'include'


def _commands(paddle, source, flags, target):
    libs = paddle / 'libs'
    compiler = os.environ.get('CXX', 'g++')
    return [
        compiler, *flags, '-fPIC', '-fopenmp', '-DPADDLE_WITH_DISTRIBUTE',
        '-I', str(_include_root()),
        '-isystem', str(paddle / 'include'),
        '-isystem', str(paddle / 'include' / 'third_party'),
        '-c', str(source), '-o', f'{target}.o',
    ], [
        compiler, f'{target}.o', '-o', f'{target}.tmp',
        '-Wl,--as-needed', f'-L{libs}',
        '-lphi_core', '-lphi', '-l:libiomp5.so', '-lcommon',
        f'-Wl,-rpath,{libs}',
    ]  # fmt: skip


def build(paddle, source, flags):
    """The path of the program made from `source`."""
    digest = hashlib.sha256(str((paddle, flags)).encode())
    for path in [source, *sorted(KERNELS.rglob('*.h'))]:
        digest.update(path.read_bytes())
    target = FOLDER / f'{source.stem}-{digest.hexdigest()[:12]}'
    if target.exists():
        return target
    FOLDER.mkdir(parents=True, exist_ok=True)
    for command in _commands(Path(paddle), source, flags, target):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.stderr.write(done.stderr[-3000:])
            raise RuntimeError(f'bench: could not compile {source.name}')
    os.replace(f'{target}.tmp', target)
    Path(f'{target}.o').unlink()
    return target
