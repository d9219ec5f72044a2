"""Our Paddle with one speed header left out, in build/without/HEADER.

A core header asks a speed header first, by lines that the patch of the latter
adds to it. Copies of the core headers without these lines come first on the
include path of what includes them, in a copy of the build.
"""

import filecmp
import shutil
import sys
from pathlib import Path

from bench.run.processes import ROOT
from scripts.common.programs import run
from scripts.series.manifest import load_series
from scripts.series.tree_edits import (
    changed_sources,
    source_text,
    upstream_path,
)

SPEED = 'speed'  # the pull request of the headers
BUILD = ROOT / 'build'
NINJA = BUILD / 'venv/bin/ninja'
MODULE = '_native_lib.so'


def headers():
    """{speed header: its patch}"""
    return {
        Path(source).name: patch
        for patch in load_series(ROOT).pull_requests[SPEED]
        for source in patch.sources
    }


def core_texts(patch):
    """{path that is included: text} of what asks a patch's header, without."""
    return {
        upstream_path(source): source_text(ROOT, source, [patch])
        for source in changed_sources(patch)
    }


def _run(*command):
    done = run(*command)
    if done.returncode:
        sys.exit(f'bench: {done.stdout[-4000:]}{done.stderr[-4000:]}')
    return done.stdout


def _plan(paths, folder):
    """What ninja does in a folder: the same, but for what includes `paths`."""
    found = []
    for part in _run(NINJA, '-C', BUILD, '-t', 'deps').split('\n\n'):
        if any(line.endswith(tuple(paths)) for line in part.splitlines()):
            found.append(f'build {part.split(":")[0]}:')
    parts = (BUILD / 'build.ninja').read_text('utf-8').split('\n\n')
    for place, part in enumerate(parts):
        if part.startswith(tuple(found)):
            # what only the header calls is not used
            part = part.replace('-Werror', '-Wno-error')
            first = f'INCLUDES = -I{folder}/include '
            parts[place] = part.replace('INCLUDES = ', first)
    return '\n\n'.join(parts).replace(f'{BUILD / MODULE}', f'{folder / MODULE}')


def build(header, site):
    """Builds it; the folder to import paddle from, the rest as in `site`."""
    folder = BUILD / 'without' / header
    shutil.rmtree(folder, ignore_errors=True)
    _run(NINJA, '-C', BUILD)
    if not filecmp.cmp(BUILD / MODULE, site / MODULE, shallow=False):
        sys.exit('bench: first run scripts/apply_and_build.sh')
    shutil.copytree(BUILD / 'CMakeFiles', folder / 'CMakeFiles')
    for name in ('.ninja_log', '.ninja_deps'):
        shutil.copy2(BUILD / name, folder)
    texts = core_texts(headers()[header])
    for path, text in texts.items():
        target = folder / 'include' / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, 'utf-8')
    # by a name for which ninja has no rule that runs CMake
    (folder / 'without.ninja').write_text(_plan(texts, folder), 'utf-8')
    _run(NINJA, '-C', folder, '-f', 'without.ninja', MODULE)
    package = folder / 'paddle'
    package.mkdir()
    for entry in site.iterdir():
        source = folder if entry.name == MODULE else site
        (package / entry.name).symlink_to(source / entry.name)
    return folder
