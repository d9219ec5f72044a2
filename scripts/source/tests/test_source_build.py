"""The build part of --source, with stand-ins for cmake, ninja and the rest."""

import os
import sys
from pathlib import Path

import pytest

from scripts.common.command_line import default_jobs
from scripts.common.steps import Step
from scripts.source.build import LongRunner, arch_options
from scripts.source.machine import (
    GIB,
    MEMORY_PER_JOB,
    check_disk,
    check_memory,
    check_tools,
)
from scripts.source.target import arch, parse_args
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
    status, text = toy.run(
        '--gpu', '--arch', '80,90', '--cmake=-DWITH_DISTRIBUTE=ON'
    )
    assert status == 0, text
    (command,) = toy.called('cmake')
    assert command[-4:] == [
        '-DWITH_GPU=ON',
        '-DCUDA_ARCH_NAME=Manual',
        '-DCUDA_ARCH_BIN=80 90',
        '-DWITH_DISTRIBUTE=ON',
    ]


@pytest.mark.parametrize(
    'text, options',
    [
        (None, ['-DCUDA_ARCH_NAME=Auto']),
        ('Hopper', ['-DCUDA_ARCH_NAME=Hopper']),
        ('8.0 9.0', ['-DCUDA_ARCH_NAME=Manual', '-DCUDA_ARCH_BIN=80 90']),
        ('90a', ['-DCUDA_ARCH_NAME=Manual', '-DCUDA_ARCH_BIN=90a']),
    ],
)
def test_arch_is_a_name_or_numbers(text, options):
    assert arch_options(text) == options


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


def test_build_folder_elsewhere(toy, tmp_path):
    place = tmp_path / 'elsewhere'
    status, text = toy.run('--only', 'configure', '--dry-run',
                           '--build-dir', str(place))  # fmt: skip
    assert f'-B {place}' in text
    assert not place.exists()
    assert status == 1  # nothing is applied


def test_missing_submodules_are_named_but_do_not_stop(toy):
    other = toy.folder / 'third'
    toy.git('init', '-q', str(other))
    toy.git('-C', str(other), '-c', 'user.name=n', '-c', 'user.email=n@n',
            'commit', '-q', '--allow-empty', '-m', 'x')  # fmt: skip
    toy.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add',
            str(other), 'third_party/eigen3')  # fmt: skip
    toy.set_base(toy.commit('with a submodule'))
    toy.git('submodule', '--quiet', 'deinit', '--all', '--force')
    status, text = toy.run('--dry-run')
    assert status == 0, text
    assert '1 of 1 submodules are not checked out' in text
    assert 'third_party/eigen3' in text
    assert 'git submodule update --init' in text


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
    for found in ('uncommitted changes', 'ninja: not found',
                  'patchelf: not found', 'g++ 8.2 or later',
                  'cmake 3.18 or later'):  # fmt: skip
        assert found in text
    assert 'is version 7.5' in text
    assert not toy.called('cmake')
    assert toy.head() == toy.start


def test_new_cmake_and_missing_ccache_are_notes_only(tmp_path):
    for name in ('g++', 'cmake', 'ninja', 'patchelf', 'make'):
        (tmp_path / name).write_text('#!/bin/sh\necho version 12.2\n')
        (tmp_path / name).chmod(0o755)
    found = list(check_tools(False, str(tmp_path)))
    assert [f.stops for f in found] == [False, False]
    assert 'cmake is version 4 or later' in found[0].text
    assert 'ccache' in found[1].text
    (nvcc,) = (f for f in check_tools(True, str(tmp_path)) if f.stops)
    assert 'nvcc' in nvcc.text


def test_too_little_memory_or_disk_is_found(tmp_path):
    assert list(check_memory(8 * GIB)) == []
    assert [f.stops for f in check_memory(2 * GIB)] == [True]
    assert list(check_disk(tmp_path, 100 * GIB, True)) == []
    assert [f.stops for f in check_disk(tmp_path, 25 * GIB, False)] == [False]
    assert [f.stops for f in check_disk(tmp_path, 5 * GIB, False)] == [True]


@pytest.mark.parametrize(
    'gpu, cores, free, jobs',
    [
        (False, 16, 100 * GIB, 16),
        (False, 16, 9 * GIB, 4),
        (True, 16, 9 * GIB, 2),
        (True, 4, 1 * GIB, 1),
    ],
)
def test_jobs_come_from_cores_and_memory(gpu, cores, free, jobs):
    assert default_jobs(MEMORY_PER_JOB[gpu], cores, free) == jobs


def test_long_steps_show_where_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr('scripts.source.build.PROGRESS_SECONDS', 1)
    command = 'echo "[41/99] Building x.o"; sleep 2.5'
    step = Step('compile', 'compile', [['sh', '-c', command]], 'hint')
    with open(tmp_path / 'out', 'w+', encoding='utf-8') as out:
        LongRunner(tmp_path, [step], tmp_path, out=out).run()
        out.seek(0)
        assert 'min  [41/99] Building x.o' in out.read()


@pytest.mark.parametrize(
    'words, message',
    [
        (['--arch', '90'], '--arch needs --gpu'),
        (['--undo', '--only', 'test'], '--undo goes alone'),
        (['--gpu', '--arch', '90;rm $x'], 'is no architecture'),
    ],
)
def test_wrong_combination_of_options_is_refused(words, message, capsys):
    with pytest.raises(SystemExit):
        parse_args(['--source', 'x', *words])
    assert message in capsys.readouterr().err
    assert arch('80;90') == '80;90'
