"""Tests of the GPU compile check with a stand-in for nvcc."""

import json
import sys
import zipfile
from pathlib import Path

import pytest

from gpu_tests.compile import check_gpu_compile, gpu_headers
from gpu_tests.compile.gpu_compiler import SKIPPED

REPORT = """\
ptxas info    : 168 bytes gmem
ptxas info    : Compiling entry function '_Z4FillPi' for 'sm_80'
ptxas info    : Function properties for _Z4FillPi
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 38 registers, used 1 barriers
ptxas info    : Compiling entry function '_Z4CopyPi' for 'sm_90'
ptxas info    : Function properties for _Z4CopyPi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 124 registers, used 1 barriers
"""
SPILLS = REPORT.replace('0 bytes spill loads', '8 bytes spill loads', 1)
KERNELS = ['copy_kernel.cu', 'fill_kernel.cu']
EVERY = [*KERNELS, 'gpu_signatures.cu']
YAML = """\
- op : fill
  args : (Tensor x, int64_t axis)
  output : Tensor(out)
  infer_meta :
    func : FillInferMeta
  kernel :
    func : fill
"""
# Says its version, or records its arguments, says what `report` holds and
# ends with the code in `status`.
NVCC = f"""\
#!{sys.executable}
import json, sys
from pathlib import Path
here = Path(__file__).parent
if '--version' in sys.argv:
    print((here / 'version').read_text())
    sys.exit()
with open(here / 'calls', 'a') as file:
    print(json.dumps(sys.argv[1:]), file=file)
sys.stderr.write((here / 'report').read_text())
status = int((here / 'status').read_text())
if not status:
    Path(sys.argv[sys.argv.index('-o') + 1]).write_text('object')
sys.exit(status)
"""
# The files of a project with three sources.
FILES = {
    'kernels/gpu/copy_kernel.cu': '#include "copy.h"\n',
    'kernels/gpu/fill_kernel.cu': '#include "paddle/phi/kernels/funcs/fill.cu.h"',
    'kernels/funcs/fill.cu.h': '  #  include "deep.h"\n',
    # by the folder of who includes it; round and round
    'kernels/funcs/deep.h': '#include "fill.cu.h"\n',
    'kernels/funcs/other.h': '',
    'ops_yaml/fill.yaml': YAML,
    'include/paddle.h': '',
    'headers/nvidia/cu13/include/cublas.h': '',
    'tools/nvcc': NVCC,
    'tools/version': 'release 13.0',
}


class Project:
    """A project, and the stand-in."""

    def __init__(self, folder):
        self.folder = folder
        self.tools = folder / 'tools'
        for name, text in FILES.items():
            self.write(name, text)
        self.set(REPORT, 0)
        (self.tools / 'nvcc').chmod(0o755)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def set(self, report, status):
        """What the stand-in says and returns."""
        self.write('tools/report', report)
        self.write('tools/status', str(status))

    def calls(self):
        path = self.tools / 'calls'
        lines = path.read_text().splitlines() if path.is_file() else []
        return [json.loads(line) for line in lines]

    def run(self, *arguments, nvcc=None):
        return check_gpu_compile.main([
            '--root', str(self.folder),
            '--include', str(self.folder / 'include'),
            '--headers', str(self.folder / 'headers'),
            '--nvcc', str(nvcc or self.tools / 'nvcc'),
            *arguments,
        ])  # fmt: skip


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_headers, 'DEBIAN', {})
    return Project(tmp_path)


def test_files_are_compiled_and_reported(project, capsys):
    assert project.run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in lines[:3]) == EVERY
    assert all(line.endswith('124 registers  no spills') for line in lines[:3])
    assert lines[3].startswith('check_gpu_compile: 3 files for sm_80, sm_90')
    assert lines[3].endswith(': clean')
    # nothing is left of an object, and yet nothing is compiled again
    assert list((project.folder / 'build').rglob('*.o')) == []
    assert project.run() == 0
    assert len(project.calls()) == 3
    assert capsys.readouterr().out.count('unchanged  124 registers') == 3


def test_signatures_of_the_yaml_are_compiled(project, capsys):
    assert project.run('--only', 'signatures') == 0
    assert '1 files for' in capsys.readouterr().out
    (call,) = project.calls()
    text = Path(call[call.index('-c') + 1]).read_text()
    assert (
        'decltype(&phi::FillKernel<float, phi::GPUContext>),\n'
        '    void (*)(const phi::GPUContext&, const phi::DenseTensor&, '
        'int64_t, phi::DenseTensor*)>'
    ) in text
    assert f'-I{project.folder / "native"}' in call


def test_yaml_that_cannot_be_read_is_told(project, capsys):
    project.write('ops_yaml/fill.yaml', YAML.replace('int64_t', 'Place'))
    assert project.run() == 1
    assert 'for axis, got `Place`' in capsys.readouterr().err


def test_arguments_of_the_compiler(project):
    assert project.run() == 0
    call = project.calls()[0]
    joined = ' '.join(call)
    for arch in ('80', '90'):
        assert f'-gencode arch=compute_{arch},code=sm_{arch}' in joined
    assert {'-DPADDLE_WITH_CUDA', '-std=c++17'} < set(call)
    root = project.folder
    system = [b for a, b in zip(call, call[1:]) if a == '-isystem']
    folders = 'include', 'include/third_party', 'headers/nvidia/cu13/include'
    assert system == [str(root / folder) for folder in folders]
    include_root = next(a[2:] for a in call if a.startswith('-I'))
    link = Path(include_root, 'paddle/phi/kernels')
    assert link.resolve() == root / 'kernels'


@pytest.mark.parametrize(
    'name, compiled',
    [
        ('kernels/gpu/fill_kernel.cu', ['fill_kernel.cu']),
        ('kernels/funcs/fill.cu.h', ['fill_kernel.cu']),
        ('kernels/funcs/deep.h', ['fill_kernel.cu']),
        ('kernels/funcs/other.h', []),
        ('tools/version', EVERY),
        ('version/__init__.py', EVERY),
    ],
)
def test_change_compiles_what_depends_on_it(project, name, compiled):
    assert project.run() == 0
    before = len(project.calls())
    project.write(name, '// changed\n')
    assert project.run() == 0
    sources = [call[call.index('-c') + 1] for call in project.calls()[before:]]
    assert sorted(Path(source).name for source in sources) == compiled


def test_failing_compile_is_shown_and_tried_again(project, capsys):
    project.set(REPORT + 'fill.cu(3): error: expected a ";"\n', 1)
    assert project.run() == 1
    output = capsys.readouterr().out
    assert 'FAILED\n    fill.cu(3): error: expected a ";"\n' in output
    assert 'ptxas' not in output
    assert ': FAILED: copy_kernel.cu, fill_kernel.cu' in output
    project.set(REPORT, 0)
    assert project.run() == 0
    assert len(project.calls()) == 6


def test_spill_is_a_fault_in_every_run(project, capsys):
    project.set(SPILLS, 0)
    for _ in range(2):
        assert project.run() == 1
        output = capsys.readouterr().out
        assert 'SPILLS' in output
        assert '(int*) for sm_80: 0 bytes spill stores, 8 bytes' in output
        assert 'sm_90: 0 bytes' not in output


def test_missing_compiler_is_one_line_and_a_skip(project, capsys):
    status = project.run(nvcc=project.folder / 'nothing/nvcc')
    assert status == SKIPPED == 77
    assert capsys.readouterr().out == 'skipped: nvcc is not installed\n'


def test_missing_packages_are_named(project, capsys, monkeypatch):
    debian = {
        'libgoogle-glog-dev': (str(project.folder), 'glog/logging.h'),
        'libeigen3-dev': (str(project.folder), 'Eigen/Core'),
        'there': (str(project.folder), 'include/paddle.h'),
    }
    monkeypatch.setattr(gpu_headers, 'DEBIAN', debian)
    assert project.run() == SKIPPED
    assert capsys.readouterr().out == (
        'skipped: missing headers: apt-get install '
        'libgoogle-glog-dev libeigen3-dev\n'
    )
    assert project.calls() == []


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """Downloads made up on the spot; returns the packages asked for."""
    asked = []

    def download(package, folder):
        asked.append(package)
        wheel = Path(folder, f'{package.split("==")[0]}.whl')
        with zipfile.ZipFile(wheel, 'w') as archive:
            archive.writestr(f'nvidia/{len(asked)}/include/x.h', package)
            archive.writestr(f'nvidia/{len(asked)}/lib/x.so', 'big')
        return wheel

    monkeypatch.setattr(gpu_headers, 'download', download)
    return asked


def test_headers_are_fetched_once_for_a_version(tmp_path, wheels, monkeypatch):
    for _ in range(2):
        gpu_headers.fetch(tmp_path / 'headers')
    assert wheels == list(gpu_headers.LIBRARIES)
    kept = [p for p in (tmp_path / 'headers').rglob('*') if p.is_file()]
    assert {p.name for p in kept} == {'x.h', gpu_headers.STAMP}
    assert len(gpu_headers.include_dirs(tmp_path / 'headers')) >= len(wheels)
    monkeypatch.setattr(gpu_headers, 'LIBRARIES', ('nvidia-cublas==1',))
    gpu_headers.fetch(tmp_path / 'headers')
    assert wheels[-1] == 'nvidia-cublas==1'


def test_failed_download_is_told_and_leaves_no_stamp(tmp_path, monkeypatch):
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    with pytest.raises(gpu_headers.HeadersError, match='nvidia-cublas'):
        gpu_headers.fetch(tmp_path / 'headers')
    assert not (tmp_path / 'headers' / gpu_headers.STAMP).exists()
