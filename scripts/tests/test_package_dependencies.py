"""The READMEs of scripts/ and native/ list all dependencies of packages."""

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


def test_readmes_list_all_dependencies_without_cycles():
    allowed = {}  # {package: packages on which it may depend}
    for place in ('scripts', 'native'):
        text = (ROOT / place / 'README.md').read_text()
        for package, cell in ROW.findall(text):
            names = re.findall(r'`([\w/]+)`', cell)
            allowed.setdefault(package, set()).update(names)
    graphlib.TopologicalSorter(allowed).prepare()
    assert set(PACKAGES.values()) == set(allowed)
    for path, package in PACKAGES.items():
        dependencies = set(list_dependencies(path.read_text())) - {package}
        assert dependencies & set(allowed) <= allowed[package], path


def test_list_dependencies_recognizes_includes_and_imports():
    text = """
#include "dygraph/grad_node.h"
#include "paddle/phi/core/kernel_factory.h"
    from paddle import _native_lib, _native_distributed
from paddle._native_static import run_static
from native.glue.generate_native import camel
import scripts.wheel.target
"""
    packages = ('native/dygraph', 'native/distributed', 'native/static',
                'native/glue', 'scripts/wheel')  # fmt: skip
    assert set(packages) <= set(list_dependencies(text))
