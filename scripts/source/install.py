"""Installs the wheel that a Paddle build made into the running environment.

Replaces an earlier one of the same build; checks afterwards, in a new process,
that the new operators are there.
"""

import argparse
import subprocess
import sys
from pathlib import Path

CHECK = """
import paddle
from paddle import _C_ops
names = {names!r}
missing = [n for n in names if not hasattr(_C_ops, n)]
print('paddle', paddle.__version__, 'commit', paddle.version.commit[:10])
raise SystemExit(f'missing in _C_ops: {{missing}}' if missing else 0)
"""


def find_wheel(build):
    """The newest wheel of a build folder."""
    wheels = sorted(
        (build / 'python' / 'dist').glob('*.whl'),
        key=lambda path: path.stat().st_mtime,
    )
    if not wheels:
        sys.exit(f'{build / "python/dist"}: no wheel; has the build finished?')
    return wheels[-1]


def operators(root):
    """Names of the forward operators of the series."""
    return sorted(path.stem for path in (root / 'ops_yaml').glob('*.yaml'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', type=Path, required=True)
    build = parser.parse_args().build
    wheel = find_wheel(build)
    pip = [sys.executable, '-m', 'pip', 'install', '--no-input']
    pip += ['--disable-pip-version-check']
    # The dependencies first and on their own: a forced install would fetch
    # all of them again.
    for flags in ([], ['--no-deps', '--force-reinstall']):
        done = subprocess.run([*pip, *flags, str(wheel)])
        if done.returncode:
            sys.exit(f'{wheel.name}: pip failed with {done.returncode}')
    names = operators(Path(__file__).resolve().parents[2])
    check = CHECK.format(names=names)
    # Not from the checkout: `import paddle` would find its sources there.
    done = subprocess.run([sys.executable, '-I', '-c', check], cwd='/')
    if done.returncode:
        sys.exit(f'{wheel.name}: installed, but the operators are not there')
    print(f'{wheel.name} is installed in {sys.prefix}')


if __name__ == '__main__':
    main()
