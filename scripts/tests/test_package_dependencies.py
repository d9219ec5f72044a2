"""Includes and imports between packages are those that the READMEs of scripts/ and
native/ allow."""

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
# {package: packages that it may depend on}
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


def package_of(path):
    return path.parent.relative_to(ROOT).as_posix()


INSTALLED = {path.stem: package_of(path) for path in SOURCES}


def dependencies_of(text):
    """The packages that a source depends on."""
    for folder, module, *installed in DEPENDENCY.findall(text):
        packages = [f'native/{folder}', module.replace('.', '/')]
        yield from (package for package in packages if package in ALLOWED)
        names = re.findall(r'native_\w+', ' '.join(installed))
        yield from (INSTALLED[name] for name in names if name in INSTALLED)


def forbidden(package, text):
    return sorted(set(dependencies_of(text)) - {package} - ALLOWED[package])


@pytest.mark.parametrize('package', ALLOWED)
def test_dependencies_are_allowed(package):
    paths = [path for path in SOURCES if package_of(path) == package]
    faults = {p.name: forbidden(package, p.read_text()) for p in paths}
    assert faults
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_every_folder_is_listed_and_there_is_no_cycle():
    assert {package_of(path) for path in SOURCES} == set(ALLOWED)
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


def test_forbidden_dependencies_are_reported():
    packages = ('distributed', 'dygraph', 'glue', 'python', 'static')
    expected = [*(f'native/{package}' for package in packages), 'scripts/wheel']
    assert forbidden('native/kernels', FORBIDDEN) == expected
