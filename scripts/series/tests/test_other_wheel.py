"""Exporting the series for another Paddle than its base."""

import pytest

from scripts.series.export_patches import main
from scripts.series.patch_repo import git
from scripts.series.tests.series_samples import (
    MANIPULATION,
    TERNARY_H,
    write_files,
    write_project,
)

COMMIT = 'c' * 40
OTHER = MANIPULATION.replace(
    'def fill(x):', 'def new_here(x):\n    return x\n\n\ndef fill(x):'
).replace('Old text', 'Older text')


@pytest.fixture
def project(tmp_path):
    site = {
        'paddle/version/__init__.py': (
            f"full_version  = '0.9.0'\ncommit = '{COMMIT}'\n"
        ),
        'paddle/tensor/manipulation.py': OTHER,
        'paddle/utils/__init__.py': 'alpha = beta = gamma = 1\n',
        'paddle/include/paddle/phi/infermeta/ternary.h': TERNARY_H,
    }
    write_files(tmp_path / 'site', site)
    return write_project(tmp_path / 'project')


def export(project, version='0.9.0', *more):
    site = project.parent / 'site'
    return main(
        ['--root', str(project), '--paddle', str(site),
         '--base-wheel', version, *more]
    )  # fmt: skip


def test_series_is_made_for_the_other_wheel(project):
    assert export(project) == 0
    folder = project / 'build/patches-0.9.0'
    assert (folder / 'BASE').read_text() == (
        f'tag: v0.9.0\ncommit: {COMMIT}\nwheel: 0.9.0\n'
    )
    patch = folder / '0002-phi-add-fill.patch'
    assert not (project / 'patches').exists()
    site = project.parent / 'site'
    git(site, 'apply', '-p2', '--include=paddle/*', str(patch))
    text = (site / 'paddle/tensor/manipulation.py').read_text()
    assert 'New text' in text
    assert 'Older text' not in text
    assert 'def new_here' in text


def test_wrong_version_is_refused(project, capsys):
    assert export(project, '0.8.0') == 1
    assert 'holds Paddle 0.9.0, expected 0.8.0' in capsys.readouterr().err


def test_file_that_the_other_wheel_lacks_is_named(project, capsys):
    path = project.parent / 'site/paddle/tensor/manipulation.py'
    path.unlink()
    assert export(project) == 1
    assert 'manipulation.py: not in Paddle 0.9.0' in capsys.readouterr().err


def test_name_that_the_other_wheel_lacks_is_told(project, capsys):
    """`beta` is imported by our function."""
    utils = project.parent / 'site/paddle/utils/__init__.py'
    utils.write_text('alpha = gamma = 1\n')
    assert export(project) == 1
    shown = capsys.readouterr().err
    assert 'Paddle 0.9.0 is too old: paddle.utils has no beta' in shown


def test_folder_without_paddle_is_refused(project, capsys):
    (project.parent / 'site/paddle/version/__init__.py').unlink()
    assert export(project) == 1
    assert 'no Paddle is installed there' in capsys.readouterr().err


def test_base_wheel_needs_the_wheel(project, capsys):
    with pytest.raises(SystemExit):
        main(['--root', str(project), '--base-wheel', '0.9.0'])
    assert '--base-wheel needs --paddle' in capsys.readouterr().err
