"""Our Paddle with one speed header left out, in build/without/HEADER.

A core header asks a speed header first, by lines that the patch of the latter
adds to it. Copies of the core headers without these lines come first on the
include path; what includes them is compiled again, and linked with the other
objects of the build.
"""

import filecmp
import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
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
        for patch in load_series(ROOT).pull_request(SPEED)
        for source in patch.sources
    }


def core_texts(patch):
    """{path that is included: text} of what asks a patch's header, without."""
    return {
        upstream_path(source): source_text(ROOT, source, [patch])
        for source in changed_sources(patch)
    }


def _run(command, **options):
    done = run(*command, cwd=BUILD, **options)
    if done.returncode:
        sys.exit(f'bench: {done.stdout[-2000:]}{done.stderr[-4000:]}')
    return done.stdout


def _objects(paths):
    """The objects of the build that are made with one of some headers."""
    parts = _run([NINJA, '-t', 'deps']).split('\n\n')
    return [
        part.split(':')[0]
        for part in parts
        if any(line.endswith(tuple(paths)) for line in part.splitlines())
    ]


def _compile(objects, folder):
    """Compiles objects again, with the headers of a folder in front."""
    listed = json.loads((BUILD / 'compile_commands.json').read_text())
    commands = []
    for entry in listed:
        words = entry['command'].split()
        if (place := words[words.index('-o') + 1]) in objects:
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            words[words.index('-o') + 1] = folder / place
            flags = ['-Wno-error', f'-I{folder}/include']
            commands.append([words[0], *flags, *words[1:]])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(_run, commands))


def _link(objects, folder, target):
    line = _run([NINJA, '-t', 'commands', MODULE]).splitlines()[-1]
    command = line.split(' && ')[1]  # after it the module is stripped
    for place in objects:
        command = command.replace(f' {place} ', f' {folder / place} ')
    _run(['sh', '-c', command.replace(f'-o {MODULE}', f'-o {target}')])


def build(header, site):
    """Builds it; the folder to import paddle from, the rest as in `site`."""
    folder = BUILD / 'without' / header
    shutil.rmtree(folder, ignore_errors=True)
    _run([NINJA])
    if not filecmp.cmp(BUILD / MODULE, site / MODULE, shallow=False):
        sys.exit('bench: first run scripts/apply_and_build.sh')
    texts = core_texts(headers()[header])
    for path, text in texts.items():
        target = folder / 'include' / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, 'utf-8')
    package = folder / 'paddle'
    package.mkdir()
    for entry in site.iterdir():
        if entry.name != MODULE:
            (package / entry.name).symlink_to(entry)
    objects = _objects(texts)
    _compile(objects, folder)
    _link(objects, folder, package / MODULE)
    return folder
