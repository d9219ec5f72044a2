"""Compiles the GPU kernels against the headers of the Paddle wheel.

Those of kernels/gpu, the functions that serve operators of Paddle itself, and
what ops_yaml/ says that the kernels take (generate_native.py writes it). For each
file it prints the seconds, the most registers of a kernel and whether registers
are spilled to memory, which is a fault. Nothing is linked or run.

Exit status: 0 everything compiles, 1 something does not, 77 skipped because a
program or package is missing.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gpu_tests.compile import gpu_compiler, gpu_headers
from native import generate_native
from native.entry import GlueError
from scripts.common.files import file_sha256, write_if_changed
from scripts.common.wheel_headers import default_include
from scripts.op_rules.schema import SchemaError

ROOT = Path(__file__).resolve().parents[2]


def missing(nvcc):
    """Why nothing can be compiled here, or ''."""
    if gpu_compiler.find_nvcc(nvcc) is None:
        return 'nvcc is not installed'
    packages = gpu_headers.missing_debian_packages()
    if packages:
        return f'missing headers: apt-get install {" ".join(packages)}'
    return ''


def include_root(root, build_dir):
    """A folder in which kernels/ stands where Paddle has it.

    The same as CMakeLists.txt makes for the kernels of the CPU.
    """
    link = build_dir / 'include' / 'paddle' / 'phi' / 'kernels'
    if not link.is_dir():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(root / 'kernels')
    return build_dir / 'include'


def make_compiler(options, headers):
    """The compiler for the headers of the wheel."""
    paddle = options.include or default_include(options.root)
    return gpu_compiler.Compiler(
        [gpu_compiler.find_nvcc(options.nvcc)],
        gpu_compiler.nvcc_flags(),
        options.build_dir / 'gpu_compile',
        [
            include_root(options.root, options.build_dir),
            options.root / 'native',
        ],
        [paddle, paddle / 'third_party', *gpu_headers.include_dirs(headers)],
        extra=str(file_sha256(paddle.parent / 'version' / '__init__.py')),
    )


def signatures(root, build_dir):
    """The signatures that the kernels are to have, in a file of the build."""
    name = 'gpu_signatures.cu'
    texts = generate_native.render(root / 'ops_yaml', '', [name])
    path = build_dir / 'glue' / name
    write_if_changed(path, texts[name].encode())
    return path


def kernel_sources(root):
    return sorted((root / 'kernels' / 'gpu').glob('*.cu'))


def check(options, headers):
    """0 if every source compiles without spills."""
    files = kernel_sources(options.root)
    files.append(signatures(options.root, options.build_dir))
    machines = [f'sm_{arch}' for arch in gpu_compiler.ARCHITECTURES]
    compiler = make_compiler(options, headers)
    return compiler.check_all('check_gpu_compile', files, machines, options)


def main(arguments=None):
    parser = gpu_compiler.command_line(__doc__)
    add = parser.add_argument
    add('--root', type=Path, default=ROOT)
    add('--include', type=Path, help="the wheel's paddle/include")
    add('--headers', type=Path, help='default: BUILD_DIR/gpu_headers, filled')
    add('--only', default='', metavar='PART', help='of the names of the files')
    add('--nvcc', default='nvcc')
    options = parser.parse_args(arguments)
    options.root = options.root.resolve()
    options.build_dir = (options.build_dir or options.root / 'build').resolve()
    reason = missing(options.nvcc)
    if reason:
        print(f'skipped: {reason}')
        return gpu_compiler.SKIPPED
    headers = options.headers or options.build_dir / 'gpu_headers'
    try:
        if options.headers is None:
            gpu_headers.fetch(headers)
        return check(options, headers)
    except (gpu_headers.HeadersError, GlueError, SchemaError) as error:
        print(f'check_gpu_compile: {error}', file=sys.stderr)
        return 1


if __name__ == '__main__':
    sys.exit(main())
