"""Our Paddle with one speed header left out, in build/without/HEADER.

A core header asks a speed header first, by lines that the patch of the latter
adds to it. Copies of the core headers without these lines come first on the
include path of what includes them.
"""

import filecmp
import sys
from pathlib import Path

from bench.run.processes import ROOT
from scripts.common.programs import made
from scripts.dev.variant import MODULE, build_variant, texts_without
from scripts.series.manifest import load_series

SPEED = 'speed'  # the pull request of the headers
BUILD = ROOT / 'build'


def headers():
    """{speed header: its patch}"""
    return {
        Path(source).name: patch
        for patch in load_series(ROOT).pull_requests[SPEED]
        for source in patch.sources
    }


def build(header, site):
    """Builds it; the folder to import paddle from, the rest as in `site`."""
    made(BUILD / 'venv/bin/ninja', '-C', BUILD)
    if not filecmp.cmp(BUILD / MODULE, site / MODULE, shallow=False):
        sys.exit('bench: first run scripts/apply_and_build.sh')
    folder = BUILD / 'without' / header
    # what only the header calls is not used
    build_variant(
        BUILD, folder, texts_without([headers()[header]]), '-Wno-error'
    )
    return folder
