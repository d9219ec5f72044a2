"""The built Paddle once more, in a folder of its own, with some headers changed."""

import re
import shutil
from pathlib import Path

from scripts.common.programs import check_output
from scripts.series.patch_repo import write_tree
from scripts.series.tree_edits import source_text, upstream_path

ROOT = Path(__file__).resolve().parents[2]
MODULE = '_native_lib.so'
RULE = """rule VARIANT
  depfile = $DEP_FILE
  deps = gcc
  command = {compiler} $DEFINES $INCLUDES $FLAGS -MD -MF $DEP_FILE -o $out -c $in"""


def texts_without(patches):
    """{path that is included: text} of headers that ask one of these patches first,
    by lines that the patch adds, without them."""
    sources = [path for patch in patches for path in patch.edits]
    return {upstream_path(x): source_text(ROOT, x, patches) for x in sources}


def build_variant(build, folder, texts, flags='', link='', compiler=''):
    """Makes `folder`, to import paddle from, out of a build folder: what includes
    one of the headers `texts`, {path that is included: text}, finds that text first
    and is compiled with more flags, by `compiler` if one is named, and the module is
    linked with more. All else is what the build has made. Returns the module."""
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
    for place, part in enumerate(parts):
        if part.startswith(objects):
            first = f'INCLUDES = -I{folder}/include '
            part = part.replace('INCLUDES = ', first)
            part = re.sub(r'( FLAGS = .*)', rf'\1 {flags}', part)
            if compiler:
                part = re.sub(r': CXX_COMPILER\S*', ': VARIANT', part, count=1)
            parts[place] = part
    parts.insert(0, RULE.format(compiler=compiler))
    linked = f' LINK_LIBRARIES = {link} '
    text = '\n\n'.join(parts).replace(' LINK_LIBRARIES = ', linked)
    # What is stripped off tells a sanitizer where it is.
    text = re.sub(r'(POST_BUILD =) .*', r'\1 :', text)
    # by a name for which ninja has no rule that runs CMake
    (folder / 'variant.ninja').write_text(text, 'utf-8')
    check_output(ninja, '-C', folder, '-f', 'variant.ninja', MODULE)
    (folder / 'paddle').mkdir()
    for entry in (build / 'site-packages/paddle').iterdir():
        target = folder / MODULE if entry.name == MODULE else entry
        (folder / 'paddle' / entry.name).symlink_to(target)
    return folder / 'paddle' / MODULE
