"""The build part of --source, with stand-ins for cmake, ninja and the rest."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from scripts.source.checks import look_at_machine
from scripts.source.tests.source_samples import Toy

PYTHON = f'{sys.version_info[0]}.{sys.version_info[1]}'


@pytest.fixture(scope='module')
def template(tmp_path_factory):
    return Toy.make(tmp_path_factory.mktemp('template'))


@pytest.fixture
def toy(template, tmp_path):
    return template.copy(tmp_path / 'toy')


def test_whole_run_applies_configures_builds_installs_and_tests(toy):
    status, text = toy.run('--jobs', '3')
    assert status == 0, text
    build = toy.tree / 'build'
    venv = build / 'scatter_operators/venv'
    assert toy.called('cmake') == [
        [
            '-S', str(toy.tree), '-B', str(build), '-G', 'Ninja',
            '-DCMAKE_BUILD_TYPE=Release', '-DWITH_TESTING=ON',
            f'-DPY_VERSION={PYTHON}',
            f'-DPYTHON_EXECUTABLE={venv}/bin/python', '-DWITH_GPU=OFF',
        ]
    ]  # fmt: skip
    assert toy.called('ninja') == [['-j', '3']]
    ((flag, tests, *_),) = toy.called('ctest')
    assert flag == '-R'
    assert {'masked_scatter', 'index_reduce'} <= set(tests.split('|'))
    wheel = 'python/dist/paddle.whl'
    installs = [c for c in toy.called('python') if wheel in c]
    assert [c[3:-1] for c in installs] == [
        ['--no-input'], ['--no-input', '--no-deps', '--force-reinstall'],
    ]  # fmt: skip
    (check,) = (c for c in toy.called('python') if c[0] == '-I')
    assert 'masked_scatter' in check[2]
    assert (toy.tree / 'build/scatter_operators/logs').is_dir()
    assert toy.status() == ''


def test_gpu_and_further_options_reach_cmake(toy):
    status, text = toy.run('--gpu', '--cmake=-DWITH_DISTRIBUTE=ON')
    assert status == 0, text
    (command,) = toy.called('cmake')
    assert command[-3:] == [
        '-DWITH_GPU=ON', '-DCUDA_ARCH_NAME=Auto', '-DWITH_DISTRIBUTE=ON',
    ]  # fmt: skip


@pytest.mark.parametrize(
    'part, programs',
    [
        ('apply', []),
        ('configure', ['cmake']),
        ('build', ['ninja']),
        ('test', ['ctest']),
    ],
)
def test_only_runs_one_part(toy, part, programs):
    if part != 'apply':
        assert toy.run('--only', 'apply')[0] == 0
    status, text = toy.run('--only', part)
    assert status == 0, text
    names = ('cmake', 'ninja', 'ctest')
    assert [name for name in names if toy.called(name)] == programs


def test_parts_after_apply_need_the_series(toy):
    status, text = toy.run('--only', 'build')
    assert status == 1
    assert 'The series is not applied yet' in text
    assert not toy.calls.exists()


@pytest.mark.parametrize('program', ['cmake', 'ninja', 'ctest'])
def test_failed_program_stops_the_run_and_the_next_goes_on(toy, program):
    status, text = toy.run(FAIL=program)
    assert status == 1
    assert 'failed with exit code 3' in text
    assert 'planted failure' in text
    assert 'What to try' in text
    order = ['cmake', 'ninja', 'ctest']
    later = order[order.index(program) + 1 :]
    assert not any(toy.called(name) for name in later)
    status, text = toy.run()
    assert status == 0, text
    assert 'already applied' in text
    assert len(toy.called('cmake')) == (2 if program == 'cmake' else 1)
    assert toy.called('ctest')


def test_configure_is_repeated_after_a_change_of_options(toy):
    assert toy.run('--only', 'apply')[0] == 0
    for options in ([], [], ['--gpu']):
        assert toy.run('--only', 'configure', *options)[0] == 0
    calls = toy.called('cmake')
    assert len(calls) == 2
    assert '-DWITH_GPU=ON' in calls[1]


def test_dry_run_shows_every_command_and_runs_none(toy):
    status, text = toy.run('--dry-run', '--gpu')
    assert status == 0, text
    shown = [' am ', 'cmake -S', '-DWITH_GPU=ON', 'ninja -j', 'ctest -R',
             '--force-reinstall', 'make_venv.py', 'pip install']  # fmt: skip
    assert [word for word in shown if word not in text] == []
    assert not toy.calls.exists()
    assert toy.head() == toy.start
    assert not (toy.tree / 'build/scatter_operators/logs').exists()


def test_machine_and_tree_findings_come_together(toy):
    (toy.tree / 'CMakeLists.txt').write_text('changed\n')
    for name in ('ninja', 'patchelf'):
        (toy.bin / name).unlink()
    real = {'git', 'sh', 'env'}
    only = toy.folder / 'tools'
    only.mkdir()
    for folder in os.environ['PATH'].split(os.pathsep):
        for name in real:
            if Path(folder, name).exists() and not (only / name).exists():
                (only / name).symlink_to(Path(folder, name))
    status, text = toy.run(
        PATH=f'{toy.bin}{os.pathsep}{only}',
        VERSION_gxx='g++ 7.5.0',
        VERSION_cmake='cmake version 3.10.2',
    )
    assert status == 1
    for found in ('uncommitted changes', '4 things missing', 'ninja ',
                  'patchelf ', 'g++ 8.2 or later', 'cmake 3.18 or later',
                  'apt-get install g++ cmake ninja-build patchelf'):  # fmt: skip
        assert found in text
    assert 'is version 7.5' in text
    assert not toy.called('cmake')
    assert toy.head() == toy.start


@pytest.mark.parametrize('free, stops', [(60, []), (25, [False]), (5, [True])])
def test_too_little_room_is_found(tmp_path, monkeypatch, free, stops):
    usage = shutil.disk_usage(tmp_path)._replace(free=free << 30)
    monkeypatch.setattr(shutil, 'disk_usage', lambda _: usage)
    found = look_at_machine(tmp_path / 'build', False)
    assert [f.stops for f in found if 'GiB free' in f.text] == stops


def test_undo_goes_alone(toy):
    status, text = toy.run('--undo', '--only', 'test')
    assert (status, '--undo goes alone' in text) == (2, True)
