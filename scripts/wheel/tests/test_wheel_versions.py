"""Which released Paddles the wheel target takes, and what it says of others."""

import sys
from pathlib import Path

import pytest

from scripts.common import make_venv, programs
from scripts.wheel import target, versions

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments):
    return programs.run(sys.executable, ROOT / 'scripts/build.py', *arguments)


def test_the_base_is_the_one_that_the_patches_are_for():
    base = (ROOT / 'patches/BASE').read_text()
    assert f'wheel: {versions.BASE}\n' in base
    pinned = (ROOT / 'requirements.txt').read_text()
    assert f'\npaddlepaddle=={versions.BASE}\n' in pinned


@pytest.mark.parametrize(
    ('version', 'reason'), [*versions.REFUSED.items(), ('2.6.2', 'tried')]
)
def test_other_releases_are_refused_with_the_reason(version, reason, tmp_path):
    done = run('--paddle', version, '--build-dir', tmp_path / 'build')
    assert done.returncode == 2
    assert f'Paddle {version} is not served: ' in done.stderr
    assert reason in done.stderr
    assert not (tmp_path / 'build').exists()


def test_another_release_is_installed_and_expected(tmp_path):
    done = run('--paddle', '3.3.0', '--build-dir', tmp_path, '--dry-run')
    assert done.returncode == 0
    asked = [x for x in done.stdout.splitlines() if '--paddle 3.3.0' in x]
    assert ['make_venv' in x or 'smoke_test' in x for x in asked] == [True] * 2


def test_another_release_has_a_folder_of_its_own():
    other = target.parse_args(['--paddle', '3.3.0'])
    assert other.build_dir.name == 'build-3.3.0'
    assert target.parse_args([]).build_dir.name == 'build'


def test_another_release_replaces_the_pin(tmp_path):
    pins = tmp_path / 'requirements.txt'
    pins.write_text('# paddle\npaddlepaddle==1.0\nnumpy==2.0\n')
    made = make_venv.with_paddle(pins, '3.3.0', tmp_path)
    assert made.read_text() == '# paddle\npaddlepaddle==3.3.0\nnumpy==2.0\n'
