"""The READMEs of scripts/ and native/ list the dependencies of packages."""

import graphlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'^\| `([\w/]+)` \|.*\| ([^|]+) \|$', re.M)
DEPENDENCY = re.compile(
    r'^#include "(\w+)/\w+\.h"'
    r'|^ *(?:from|import) (scripts\.\w+|native\.\w+)'
    r'|^ *from paddle(?:\._(native_\w+) import| import (_native_.*))',
    re.M,
)
PACKAGES = {
    path: path.parent.relative_to(ROOT).as_posix()
    for pattern in ('native/*', 'native/*/*', 'scripts/*/*')
    for path in ROOT.glob(pattern)
    if path.suffix in ('.cc', '.h', '.j2', '.py')
    and path.parent.name != 'tests'
}
MODULES = {path.stem: package for path, package in PACKAGES.items()}


def list_dependencies(text):
    """Yield the packages on which a source depends."""
    for folder, module, *modules in DEPENDENCY.findall(text):
        yield from (f'native/{folder}', module.replace('.', '/'))
        names = re.findall(r'native_\w+', ' '.join(modules))
        yield from (MODULES[name] for name in names if name in MODULES)


def test_readmes_list_exactly_the_dependencies_without_cycles():
    listed = {}
    for place in ('scripts', 'native'):
        text = (ROOT / place / 'README.md').read_text()
        for package, cell in ROW.findall(text):
            names = re.findall(r'`([\w/]+)`', cell)
            listed.setdefault(package, set()).update(names)
    graphlib.TopologicalSorter(listed).prepare()
    actual = {package: set() for package in PACKAGES.values()}
    for path, package in PACKAGES.items():
        dependencies = list_dependencies(path.read_text())
        actual[package].update({*dependencies} & {*listed} - {package})
    assert actual == listed
