"""YAML and C++ of a made-up operator, whole and with planted mismatches."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import check_signatures
from check_signatures import check
from cpp_signatures import Parameter, read_functions, read_registrations
from series_samples import write_files

ROOT = Path(__file__).resolve().parents[2]
HEADER = 'kernels/fold_kernel.h'
GRAD_HEADER = 'kernels/fold_grad_kernel.h'
KERNEL = 'kernels/cpu/fold_kernel.cc'
GRAD_KERNEL = 'kernels/cpu/fold_grad_kernel.cc'
GPU_KERNEL = 'kernels/gpu/fold_kernel.cu'
INFER_H = 'kernels/infermeta/fold.h'
INFER_CC = 'kernels/infermeta/fold.cc'
YAML = 'ops_yaml/fold.yaml'
PARAMETERS = """(const Context& dev_ctx,
                const DenseTensor& x,
                const paddle::optional<DenseTensor>& weight,
                int axis,
                const std::string& reduce,
                DenseTensor* out)"""
GRAD_PARAMETERS = """(const Context& dev_ctx,
                    const DenseTensor& x,
                    const DenseTensor& out_grad,
                    int axis,
                    DenseTensor* x_grad)"""
DOUBLE_PARAMETERS = """(const Context& dev_ctx,
                          const DenseTensor& x,
                          const DenseTensor& grad_x_grad,
                          int axis,
                          DenseTensor* grad_out_grad)"""
INFER = """(const MetaTensor& x,
                   const MetaTensor& weight,
                   int axis,
                   MetaTensor* out)"""
TEMPLATE = 'template <typename T, typename Context>\nvoid '
GRADIENTS = (
    f'{TEMPLATE}FoldGradKernel{GRAD_PARAMETERS}',
    f'{TEMPLATE}FoldDoubleGradKernel{DOUBLE_PARAMETERS}',
)


def registration(kernel, function, backend='CPU'):
    return (
        f'PD_REGISTER_KERNEL({kernel}, {backend}, ALL_LAYOUT,\n'
        f'                   phi::{function}, float, phi::complex64) {{}}\n'
    )


FILES = {
    YAML: """\
- op : fold
  args : (Tensor x, Tensor weight, int axis=0, str reduce="sum")
  output : Tensor(out)
  infer_meta :
    func : FoldInferMeta
    param : [x, weight, axis]
  kernel :
    func : fold
  optional : weight
  backward : fold_grad

- backward_op : fold_double_grad
  forward : fold_grad (Tensor x, Tensor grad_out, int axis) -> Tensor(grad_x)
  args : (Tensor x, Tensor grad_x_grad, int axis)
  output : Tensor(grad_out_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [x]
  kernel :
    func : fold_double_grad

- backward_op : fold_grad
  forward : fold (Tensor x, Tensor weight, int axis=0, str reduce="sum") -> Tensor(out)
  args : (Tensor x, Tensor out_grad, int axis)
  output : Tensor(x_grad)
  infer_meta :
    func : UnchangedInferMeta
    param : [x]
  kernel :
    func : fold_grad
  backward : fold_double_grad
""",
    HEADER: f'{TEMPLATE}FoldKernel{PARAMETERS};\n',
    GRAD_HEADER: ''.join(f'{g};\n' for g in GRADIENTS),
    KERNEL: (
        '// void FoldKernel(int wrong) {} in a comment\n'
        f'{TEMPLATE}FoldKernel{PARAMETERS} {{ Use("void FoldKernel(", x); }}\n'
        + registration('fold', 'FoldKernel')
    ),
    GRAD_KERNEL: (
        ''.join(f'{g} {{}}\n' for g in GRADIENTS)
        + registration('fold_grad', 'FoldGradKernel')
        + registration('fold_double_grad', 'FoldDoubleGradKernel')
    ),
    INFER_H: f'PADDLE_API void FoldInferMeta{INFER};\n',
    INFER_CC: f'void FoldInferMeta{INFER} {{}}\n',
    'include/paddle/phi/infermeta/unary.h': (
        'PADDLE_API void UnchangedInferMeta(const MetaTensor& x, '
        'MetaTensor* out);\n'
    ),
}


def write(folder, **changes):
    write_files(folder, {**FILES, **changes})
    return check(folder, folder / 'include')


def test_agreeing_sources_have_no_faults(tmp_path):
    assert write(tmp_path) == []


def test_sources_of_this_project_agree(capsys):
    assert check_signatures.main([]) == 0, capsys.readouterr().err


PLANTED = [
    (HEADER, 'int axis', 'int64_t axis', 'parameter 4 is `int64_t axis`'),
    (HEADER, 'int axis', 'int dim', 'parameter 4 is `int dim`'),
    (KERNEL, 'int axis', 'int64_t axis', 'parameter 4 is `int64_t axis`'),
    (KERNEL, '                int axis,\n', '', 'takes 5 parameters'),
    (KERNEL, 'paddle::optional<DenseTensor>&', 'DenseTensor&',
     'expected `const paddle::optional<DenseTensor>& weight`'),
    (KERNEL, 'DenseTensor* out', 'DenseTensor* result', '`DenseTensor* out`'),
    (KERNEL, 'std::string&', 'std::string', '`const std::string& reduce`'),
    (GRAD_HEADER, 'DenseTensor& out_grad', 'DenseTensor& dout',
     'fold_grad_kernel.h:2: FoldGradKernel: parameter 3'),
    (GRAD_HEADER, 'DenseTensor& grad_x_grad', 'DenseTensor& ddx',
     'FoldDoubleGradKernel: parameter 3'),
    (GRAD_KERNEL, 'DenseTensor* x_grad', 'DenseTensor& x_grad',
     'expected `DenseTensor* x_grad`'),
    (GRAD_KERNEL, 'grad_x_grad,\n                          int axis',
     'grad_x_grad,\n                          float axis',
     'parameter 4 is `float axis`'),
    (INFER_H, 'int axis', 'int64_t axis', 'fold.h:1: FoldInferMeta'),
    (INFER_CC, 'int axis', 'int64_t axis', 'fold.cc:1: FoldInferMeta'),
    (INFER_CC, 'FoldInferMeta', 'FoldMeta', 'one definition of FoldInferMeta'),
    (INFER_H, 'FoldInferMeta', 'FoldMeta', 'no entry uses FoldMeta'),
    (KERNEL, '(fold,', '(folded,', 'one CPU registration of fold, found 0'),
    (KERNEL, '(fold,', '(folded,', 'no entry uses folded'),
    (KERNEL, 'phi::FoldKernel', 'phi::FoldGradKernel',
     'registered with FoldGradKernel, expected FoldKernel'),
    (GRAD_KERNEL, '(fold_double_grad,', '(fold_grad_grad,',
     'one CPU registration of fold_double_grad'),
    (GRAD_KERNEL, 'fold_grad, CPU', 'fold_grad, GPU',
     'registered for GPU in kernels/cpu'),
    (YAML, 'param : [x, weight, axis]', 'param : [x, axis]',
     'FoldInferMeta takes 4 parameters, expected 3'),
    (YAML, 'int axis=0, str reduce="sum")\n  output : Tensor(out)\n  infer',
     'int64_t axis=0, str reduce="sum")\n  output : Tensor(out)\n  infer',
     'expected `int64_t axis`'),
    (YAML, 'UnchangedInferMeta\n    param : [x]\n  kernel :\n    func : fold_g',
     'UnchangedInferMeta\n  kernel :\n    func : fold_g',
     'UnchangedInferMeta takes 2 parameters, expected 4'),
]  # fmt: skip


@pytest.mark.parametrize('path, old, new, message', PLANTED)
def test_planted_mismatch_is_reported(tmp_path, path, old, new, message):
    assert FILES[path].count(old) == 1 or path == GRAD_HEADER
    faults = write(tmp_path, **{path: FILES[path].replace(old, new, 1)})
    assert any(message in fault for fault in faults), faults


def test_all_kernels_are_wanted_once_one_is_on_gpu(tmp_path):
    gpu = FILES[KERNEL].replace('CPU', 'GPU')
    faults = write(tmp_path, **{GPU_KERNEL: gpu})
    assert any('one GPU registration of fold_grad' in f for f in faults)
    assert not any('registration of fold,' in f for f in faults)


def test_gpu_definitions_are_compared_too(tmp_path):
    gpu = {
        GPU_KERNEL: FILES[KERNEL].replace('CPU', 'GPU'),
        'kernels/gpu/fold_grad_kernel.cu': FILES[GRAD_KERNEL].replace(
            'CPU', 'GPU'
        ),
    }
    assert write(tmp_path, **gpu) == []
    gpu[GPU_KERNEL] = gpu[GPU_KERNEL].replace('int axis', 'int64_t axis')
    (fault,) = write(tmp_path, **gpu)
    assert 'kernels/gpu/fold_kernel.cu:3' in fault


def test_all_faults_are_shown_in_one_run(tmp_path, capsys):
    write(
        tmp_path,
        **{
            HEADER: FILES[HEADER].replace('int axis', 'bool axis'),
            INFER_H: FILES[INFER_H].replace('int axis', 'bool axis'),
        },
    )
    options = ['--root', str(tmp_path), '--include', str(tmp_path / 'include')]
    assert check_signatures.main(options) == 1
    output = capsys.readouterr()
    assert output.err.count('bool axis') == 2
    assert output.out.endswith('FAILED\n')


def test_unused_parameters_of_a_definition_need_no_name(tmp_path):
    text = FILES[KERNEL].replace('int axis', 'int')
    assert write(tmp_path, **{KERNEL: text}) == []


def test_parser_reads_types_through_brackets_and_noise():
    text = """
    /* void Hidden(int a); */
    void Several(const std::vector<std::pair<int, float>>& many,
                 const char* text = "a, b)",
                 int unused UNUSED, const phi::DenseTensor &x);
    int NotVoid(int a);
    Several(a, b);
    """
    (function,) = read_functions(text, 'f.h')
    assert function.line == 3
    assert not function.has_body
    assert function.parameters == (
        Parameter('const std::vector<std::pair<int, float>>&', 'many'),
        Parameter('const char*', 'text'),
        Parameter('int', 'unused'),
        Parameter('const DenseTensor&', 'x'),
    )


def test_parser_reads_registrations_with_bodies():
    text = registration('fold', 'FoldKernel', 'GPU') + '// PD_REGISTER_KERNEL('
    (found,) = read_registrations(text, 'f.cu')
    assert (found.kernel, found.backend) == ('fold', 'GPU')
    assert found.function == 'FoldKernel'
