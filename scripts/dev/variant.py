"""Build variants of the module with changed sources and flags."""

import shutil
from pathlib import Path

from scripts.common.programs import check_output
from scripts.series.patch_repo import write_tree

ROOT = Path(__file__).resolve().parents[2]
MODULE = '_native_lib.so'


def build_variant(build, folder, texts, flags, compiler='g++'):
    """Build a variant in `folder`, from which paddle can be imported.

    The sources are copied, and `texts`, {path: text}, replace some of them. Files
    of Paddle other than the module are those of `build`. Returns the module.
    """
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / 'source'
    for name in ('kernels', 'native', 'scripts/series/stubs'):
        shutil.copytree(ROOT / name, source / name, symlinks=True)
    shutil.copy(ROOT / 'CMakeLists.txt', source)
    shutil.copytree(build / 'glue', folder / 'glue')
    (folder / 'venv').symlink_to(build / 'venv')
    write_tree(source, texts)
    check_output(
        *('cmake', '-S', source, '-B', folder, '-G', 'Ninja'),
        f'-DCMAKE_MAKE_PROGRAM={folder}/venv/bin/ninja',
        '-DCMAKE_BUILD_TYPE=Debug',
        f'-DCMAKE_CXX_COMPILER={compiler}',
        f'-DCMAKE_CXX_FLAGS_DEBUG={flags}',
        # Sanitizers need the symbols to report locations.
        '-DCMAKE_STRIP=/bin/true',
    )
    check_output('cmake', '--build', folder)
    (folder / 'paddle').mkdir()
    for entry in (build / 'site-packages/paddle').iterdir():
        target = folder / MODULE if entry.name == MODULE else entry
        (folder / 'paddle' / entry.name).symlink_to(target)
    return folder / 'paddle' / MODULE
