"""Build variants of the module with changed headers and flags."""

import re
import shutil
from pathlib import Path

from scripts.common.programs import check_output
from scripts.series.patch_repo import write_tree
from scripts.series.tree_edits import get_upstream_path, read_source

ROOT = Path(__file__).resolve().parents[2]
MODULE = '_native_lib.so'
RULE = """rule VARIANT
  depfile = $DEP_FILE
  deps = gcc
  command = {compiler} $DEFINES $INCLUDES $FLAGS -MD -MF $DEP_FILE $
    -o $out -c $in"""


def revert_edits(patches):
    """Return {include path: text} of headers without edits of the patches."""
    sources = [path for patch in patches for path in patch.edits]
    return {
        get_upstream_path(x): read_source(ROOT, x, patches) for x in sources
    }


def build_variant(build, folder, texts, flags, link, compiler='g++'):
    """Build a variant in `folder`, from which paddle can be imported.

    Sources that include headers of `texts`, {include path: text}, are
    recompiled with these texts, additional `flags` and `compiler`, and the
    module is linked with the flags `link`. Other files are those of `build`.
    Returns the module.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(build / 'CMakeFiles', folder / 'CMakeFiles')
    for name in ('.ninja_log', '.ninja_deps'):
        shutil.copy2(build / name, folder)
    write_tree(folder / 'include', texts)
    ninja = build / 'venv/bin/ninja'
    deps = check_output(ninja, '-C', build, '-t', 'deps').split('\n\n')
    paths = tuple(texts)
    nodes = [x for x in deps if any(y.endswith(paths) for y in x.split('\n'))]
    objects = tuple(f'build {x.partition(":")[0]}:' for x in nodes)
    parts = (build / 'build.ninja').read_text('utf-8').split('\n\n')
    for i, part in enumerate(parts):
        if part.startswith(objects):
            includes = f'INCLUDES = -I{folder}/include '
            part = part.replace('INCLUDES = ', includes)
            part = re.sub(r'( FLAGS = .*)', rf'\1 {flags}', part)
            parts[i] = re.sub(r': CXX_COMPILER\S*', ': VARIANT', part, count=1)
    parts.insert(0, RULE.format(compiler=compiler))
    libraries = f' LINK_LIBRARIES = {link} '
    text = '\n\n'.join(parts).replace(' LINK_LIBRARIES = ', libraries)
    # Sanitizers need the symbols to report locations: do not strip them.
    text = re.sub(r'(POST_BUILD =) .*', r'\1 :', text)
    # The rule that runs CMake again is for build.ninja, not for this name.
    (folder / 'variant.ninja').write_text(text, 'utf-8')
    check_output(ninja, '-C', folder, '-f', 'variant.ninja', MODULE)
    (folder / 'paddle').mkdir()
    for entry in (build / 'site-packages/paddle').iterdir():
        target = folder / MODULE if entry.name == MODULE else entry
        (folder / 'paddle' / entry.name).symlink_to(target)
    return folder / 'paddle' / MODULE
