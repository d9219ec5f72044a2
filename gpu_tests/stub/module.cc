// The Python module of the kernels. The function "<kernel> <dtype>" receives
// the context, the arguments of the YAML entry and the outputs.

#include <pybind11/stl.h>

#include "paddle_stub.h"

PYBIND11_MODULE(scatter_ops_gpu, module) {
  namespace py = pybind11;
  using phi::DenseTensor;
  using phi::GPUContext;

  // The device address (0 if the kernel must not access the data), the dtype
  // and the shape.
  py::class_<DenseTensor>(module, "Tensor")
      .def(py::init<uintptr_t, std::string, std::vector<int64_t>>())
      .def("resize", [](DenseTensor* tensor, const std::vector<int64_t>& dims) {
        tensor->Resize(common::make_ddim(dims));
      });

  py::class_<GPUContext>(module, "Context")
      .def(py::init<uintptr_t>())
      .def("synchronize", [](const GPUContext& context) {
        PADDLE_ENFORCE_GPU_SUCCESS(cudaGetLastError());
        PADDLE_ENFORCE_GPU_SUCCESS(cudaStreamSynchronize(context.stream()));
      });

  for (const auto& define : phi::registry) define(&module);
}
