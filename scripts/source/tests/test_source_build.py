"""The build part of --source, with stand-ins for cmake, ninja and the rest."""

import shutil
import sys

import pytest

from scripts.source.checks import look_at_machine

PYTHON = f'{sys.version_info[0]}.{sys.version_info[1]}'
STEPS = {'cmake': 'configure', 'ninja': 'compile', 'ctest': 'test'}
ORDER = tuple(STEPS)


def test_whole_run_applies_configures_builds_installs_and_tests(toy):
    toy.run('--jobs', '3')
    build = toy.tree / 'build'
    venv = build / 'scatter_operators/venv'
    configure, ninja, tests = toy.calls(*ORDER)
    assert configure == (
        f'cmake -S {toy.tree} -B {build} -G Ninja -DCMAKE_BUILD_TYPE=Release '
        f'-DWITH_TESTING=ON -DPY_VERSION={PYTHON} '
        f'-DPYTHON_EXECUTABLE={venv}/bin/python -DWITH_GPU=OFF'
    )
    assert ninja == 'ninja -j 3'
    assert {'masked_scatter', 'index_reduce'} <= set(
        tests.split()[2].split('|')
    )
    installs = [x for x in toy.calls('python') if x.endswith('paddle.whl')]
    assert '--no-deps --force-reinstall' in installs[1]
    assert [x for x in toy.calls('python') if x.startswith('python -I')]
    assert (build / 'scatter_operators/logs').is_dir()
    assert toy.git('status', '--porcelain') == ''


@pytest.mark.parametrize(
    'part, programs',
    [('apply', ''), ('configure', 'cmake'), ('build', 'ninja'),
     ('test', 'ctest')],
)  # fmt: skip
def test_only_runs_one_part(toy, part, programs):
    if part != 'apply':
        text = toy.run('--only', part, status=1)
        assert 'The series is not applied yet' in text
        assert not toy.calls()
        toy.apply()
    toy.run('--only', part)
    assert [x.split()[0] for x in toy.calls(*ORDER)] == programs.split()


@pytest.mark.parametrize('program', ORDER)
def test_failed_program_stops_the_run_and_the_next_goes_on(toy, program):
    text = toy.run(FAIL=program, status=1)
    for said in ('FAILED after', 'failed with exit code 3. Its log, ',
                 f'-{STEPS[program]}.log', f'    {program}: error: planted',
                 'What to try: '):  # fmt: skip
        assert said in text
    called = [x.split()[0] for x in toy.calls(*ORDER)]
    assert called[-1] == program
    assert 'already applied' in toy.run()
    assert len(toy.calls('cmake')) == (2 if program == 'cmake' else 1)
    assert toy.calls('ctest')


def test_configure_is_repeated_after_a_change_of_options(toy):
    toy.apply()
    gpu = ('--gpu', '--cmake=-DWITH_DISTRIBUTE=ON')
    for options in ((), (), gpu):
        toy.run('--only', 'configure', *options)
    _, second = toy.calls('cmake')
    assert second.endswith(
        '-DWITH_GPU=ON -DCUDA_ARCH_NAME=Auto -DWITH_DISTRIBUTE=ON'
    )


def test_dry_run_shows_every_command_and_runs_none(toy):
    text = toy.run('--dry-run', '--gpu')
    shown = [' am ', '0002-phi-add-fill.patch', 'cmake -S', '-DWITH_GPU=ON',
             'ninja -j', 'ctest -R', '--force-reinstall', 'make_venv.py',
             'pip install']  # fmt: skip
    assert [word for word in shown if word not in text] == []
    assert not toy.calls()
    assert not (toy.tree / 'build/scatter_operators/logs').exists()
    toy.assert_untouched()


def test_machine_and_tree_findings_come_together(toy):
    (toy.tree / 'CMakeLists.txt').write_text('changed\n')
    for name in ('ninja', 'patchelf'):
        (toy.bin / name).unlink()
    for name, version in (('g++', '7.5.0'), ('cmake', '3.10.2')):
        (toy.bin / name).write_text(f'#!/bin/sh\necho {name} {version}\n')
    for name in ('git', 'sh', 'env', 'basename'):
        (toy.bin / name).symlink_to(shutil.which(name))
    text = toy.run(PATH=str(toy.bin), status=1)
    for found in ('uncommitted changes', '4 things missing', 'ninja ',
                  'patchelf ', 'g++ 8.2 or later', 'cmake 3.18 or later',
                  'apt-get install g++ cmake ninja-build patchelf',
                  'is version 7.5'):  # fmt: skip
        assert found in text
    assert not toy.calls()
    assert toy.head() == toy.start


@pytest.mark.parametrize('free, stops', [(60, []), (25, [False]), (5, [True])])
def test_too_little_room_is_found(tmp_path, monkeypatch, free, stops):
    usage = shutil.disk_usage(tmp_path)._replace(free=free << 30)
    monkeypatch.setattr(shutil, 'disk_usage', lambda _: usage)
    found = look_at_machine(tmp_path / 'build', False)
    assert [f.stops for f in found if 'GiB free' in f.text] == stops


def test_undo_goes_alone(toy):
    text = toy.run('--undo', '--only', 'test', status=2)
    assert '--undo goes alone' in text
