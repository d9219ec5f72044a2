"""The series for another released Paddle than its base.

Files that a wheel ships are taken from that wheel, so functions are found by
name and their hunks are made anew. Of files that it does not ship the recorded
lines are those of the base; whether they are the same at the other version can
only be seen on a checkout of it.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import re
from pathlib import Path

from scripts.series.patch_series import SeriesError

VERSION_FILE = 'paddle/version/__init__.py'


def read_version(site):
    """(version, commit) of the Paddle in a site-packages folder."""
    path = Path(site) / VERSION_FILE
    if not path.is_file():
        raise SeriesError(f'{path}: no Paddle is installed there')
    text = path.read_text(encoding='utf-8')
    found = {
        key: re.search(rf"(?m)^{key}\s*=\s*'([^']*)'", text)
        for key in ('full_version', 'commit')
    }
    if not all(found.values()):
        raise SeriesError(f'{path}: names no version and commit')
    return found['full_version'][1], found['commit'][1]


def missing_imports(root, site):
    """Names that our functions import and that wheel's modules lack."""
    sources = sorted((Path(root) / 'python_api').glob('*.py'))
    trees = [ast.parse(s.read_text(encoding='utf-8')) for s in sources]
    ours = {getattr(n, 'name', None) for tree in trees for n in tree.body}
    faults = set()
    for tree in trees:
        for node in ast.walk(tree):
            module = getattr(node, 'module', None) or ''
            if not module.startswith('paddle.'):
                continue
            path = Path(site, *module.split('.')).with_suffix('.py')
            if not path.is_file():
                path = path.with_suffix('') / '__init__.py'
            text = path.read_text(encoding='utf-8') if path.is_file() else ''
            for alias in node.names:
                found = re.search(rf'\b{alias.name}\b', text)
                if not found and alias.name not in ours:
                    faults.add(f'{module} has no {alias.name}')
    return sorted(faults)


def rebase(series, site, wanted, dirs):
    """The series with the wheel at `site` as its base. Its files are looked
    for in `dirs`, of which the first may hold untouched copies."""
    version, commit = read_version(site)
    if version != wanted:
        raise SeriesError(f'{site}: holds Paddle {version}, expected {wanted}')
    files, missing = {}, []
    for path, info in series.wheel_files.items():
        copies = [Path(folder) / info['path'] for folder in dirs]
        copy = next((c for c in copies if c.is_file()), copies[-1])
        if copy.is_file():
            digest = hashlib.sha256(copy.read_bytes()).hexdigest()
            files[path] = {**info, 'sha256': digest}
        else:
            missing.append(f'{copy}: not in Paddle {version}')
    if missing:
        raise SeriesError(missing)
    base = {'tag': f'v{version}', 'commit': commit, 'wheel': version}
    return dataclasses.replace(series, base=base, wheel_files=files)
