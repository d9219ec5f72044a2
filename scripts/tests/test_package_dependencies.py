"""The READMEs of scripts/ and native/ list all dependencies of packages."""

import graphlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'^\| `([\w/]+)` \|.*\| ([^|]+) \|$', re.M)
DEPENDENCY = re.compile(
    r'^#include "(\w+)/\w+\.h"'
    r'|^ *(?:from|import) (scripts\.\w+|native\.\w+)'
    r'|^ *from paddle(?:\._(native_\w+) import| import (_native_.*))',
    re.M,
)
# {package: packages on which it may depend}
ALLOWED = {}
for place in ('scripts', 'native'):
    for package, cell in ROW.findall((ROOT / place / 'README.md').read_text()):
        ALLOWED.setdefault(package, set()).update(
            re.findall(r'`([\w/]+)`', cell)
        )
SOURCES = [
    path
    for pattern in ('native/*', 'native/*/*', 'scripts/*/*')
    for path in ROOT.glob(pattern)
    if path.suffix in ('.cc', '.h', '.j2', '.py')
    and path.parent.name != 'tests'
]


def get_package(path):
    return path.parent.relative_to(ROOT).as_posix()


PACKAGES = {path.stem: get_package(path) for path in SOURCES}


def list_dependencies(text):
    """Yield the packages on which a source depends."""
    for folder, module, *modules in DEPENDENCY.findall(text):
        packages = [f'native/{folder}', module.replace('.', '/')]
        yield from (package for package in packages if package in ALLOWED)
        names = re.findall(r'native_\w+', ' '.join(modules))
        yield from (PACKAGES[name] for name in names if name in PACKAGES)


def find_forbidden(package, text):
    return sorted(set(list_dependencies(text)) - {package} - ALLOWED[package])


@pytest.mark.parametrize('package', ALLOWED)
def test_package_has_only_allowed_dependencies(package):
    paths = [path for path in SOURCES if get_package(path) == package]
    faults = {p.name: find_forbidden(package, p.read_text()) for p in paths}
    assert faults
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_readmes_list_every_package_without_cycles():
    assert {get_package(path) for path in SOURCES} == set(ALLOWED)
    graphlib.TopologicalSorter(ALLOWED).prepare()


FORBIDDEN = """
#include "dygraph/grad_node.h"
#include "python/python_args.h"
#include "paddle/phi/core/kernel_factory.h"
    from paddle import _native_lib, _native_distributed
from paddle._native_static import run_static
from native.glue.generate_native import camel
import scripts.wheel.target
"""


def test_find_forbidden_reports_includes_and_imports():
    packages = ('distributed', 'dygraph', 'glue', 'python', 'static')
    expected = [*(f'native/{package}' for package in packages), 'scripts/wheel']
    assert find_forbidden('native/kernels', FORBIDDEN) == expected
