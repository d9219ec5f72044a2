// Paddle's registry of CPU kernels, for tests: what a kernel takes, and calls
// of it on tensors of the caller's choice. A module of Python.

#include <dlfcn.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <vector>

#include "paddle/phi/backends/context_pool.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/kernel_context.h"
#include "paddle/phi/core/kernel_factory.h"
#include "paddle/phi/core/meta_tensor.h"
#include "paddle/utils/optional.h"

using phi::AttributeType;
using phi::DataType;
using phi::DenseTensor;
using phi::Kernel;
using phi::TensorArgDef;

namespace py = pybind11;

namespace {

phi::DeviceContext* Context() {
  return phi::DeviceContextPool::Instance().Get(phi::CPUPlace());
}

DataType DtypeOf(const std::string& name) {
  for (int i = 0; i < static_cast<int>(DataType::NUM_DATA_TYPES); ++i) {
    const auto dtype = static_cast<DataType>(i);
    if (phi::DataTypeToString(dtype) == name) return dtype;
  }
  throw std::invalid_argument("no dtype " + name);
}

// ---- What kernels take ------------------------------------------------------

// The library that an address lies in.
const void* LibraryOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

std::string TypeName(const std::type_index& type) {
  if (type == typeid(const DenseTensor&)) return "Tensor";
  if (type == typeid(const paddle::optional<DenseTensor>&)) return "optional";
  if (type == typeid(DenseTensor*)) return "Tensor*";
  return type.name();
}

py::str NameOf(const TensorArgDef& tensor) {
  return TypeName(tensor.type_index) + ":" +
         phi::DataTypeToString(tensor.dtype);
}

std::string AttributeName(AttributeType type) {
  switch (type) {
    case AttributeType::BOOL:
      return "bool";
    case AttributeType::INT32:
      return "int";
    case AttributeType::INT64:
      return "int64_t";
    case AttributeType::FLOAT32:
      return "float";
    case AttributeType::STRING:
      return "str";
    default:
      return std::to_string(static_cast<int>(type));
  }
}

py::list Arguments(const phi::KernelArgsDef& args) {
  py::list found;
  for (const auto& tensor : args.input_defs()) found.append(NameOf(tensor));
  for (const auto& attribute : args.attribute_defs()) {
    found.append(AttributeName(attribute.type_index));
  }
  for (const auto& tensor : args.output_defs()) found.append(NameOf(tensor));
  return found;
}

// {(kernel, dtype): inputs, attributes, outputs} of the kernels whose code is
// linked with this module.
py::dict Registered() {
  const void* own = LibraryOf(reinterpret_cast<void*>(&Context));
  py::dict found;
  for (const auto& [name, kernels] : phi::KernelFactory::Instance().kernels()) {
    for (const auto& [key, kernel] : kernels) {
      if (LibraryOf(kernel.GetVariadicKernelFn<void*>()) != own) continue;
      const auto dtype = phi::DataTypeToString(key.dtype());
      found[py::make_tuple(name, dtype)] = Arguments(kernel.args_def());
    }
  }
  return found;
}

// ---- Calls of kernels -------------------------------------------------------

const Kernel& Find(const std::string& name, DataType dtype) {
  const auto& all = phi::KernelFactory::Instance().kernels();
  const auto kernels = all.find(name);
  if (kernels != all.end()) {
    const auto found = kernels->second.find(
        {phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, dtype});
    if (found != kernels->second.end()) return found->second;
  }
  throw std::invalid_argument("no kernel " + name + " of " +
                              phi::DataTypeToString(dtype));
}

phi::Attribute ValueOf(const py::handle& value, AttributeType type) {
  switch (type) {
    case AttributeType::BOOL:
      return value.cast<bool>();
    case AttributeType::INT32:
      return value.cast<int>();
    case AttributeType::INT64:
      return value.cast<int64_t>();
    case AttributeType::STRING:
      return value.cast<std::string>();
    default:
      throw std::invalid_argument("an attribute of another kind");
  }
}

using Dims = std::vector<int64_t>;

// A DenseTensor; without `memory` it has a shape alone.
class Tensor {
 public:
  Tensor(const py::object& object, bool memory) {
    const auto array = py::array::ensure(object, py::array::c_style);
    const py::str name = array.dtype().attr("name");
    phi::MetaTensor(&dense).set_dtype(DtypeOf(name));
    Resize(Dims(array.shape(), array.shape() + array.ndim()));
    if (!memory) return;
    void* to = Context()->Alloc(&dense, dense.dtype());
    std::memcpy(to, array.data(), array.nbytes());
  }

  // What an InferMeta function does to an output.
  void Resize(const Dims& dims) {
    phi::MetaTensor(&dense).set_dims(common::make_ddim(dims));
  }

  py::tuple Shape() const {
    return py::cast(common::vectorize<int64_t>(dense.dims()));
  }

  py::array Numpy() const {
    const auto dims = common::vectorize<int64_t>(dense.dims());
    py::array array(py::dtype(phi::DataTypeToString(dense.dtype())), dims);
    if (array.size() > 0) {
      std::memcpy(array.mutable_data(), dense.data(), array.nbytes());
    }
    return array;
  }

  DenseTensor dense;
};

using Tensors = std::vector<Tensor*>;  // null: absent, or not wanted

DenseTensor* DenseOf(Tensor* tensor) {
  return tensor == nullptr ? nullptr : &tensor->dense;
}

void Run(const std::string& name,
         const py::object& dtype,
         const Tensors& inputs,
         const py::list& attributes,
         const Tensors& outputs) {
  const py::str dtype_name = py::dtype::from_args(dtype).attr("name");
  const Kernel& kernel = Find(name, DtypeOf(dtype_name));
  phi::KernelContext context(Context());
  for (Tensor* input : inputs) context.EmplaceBackInput(DenseOf(input));
  const auto& types = kernel.args_def().attribute_defs();
  for (size_t i = 0; i < attributes.size(); ++i) {
    context.EmplaceBackAttr(ValueOf(attributes[i], types.at(i).type_index));
  }
  for (Tensor* output : outputs) context.EmplaceBackOutput(DenseOf(output));
  try {
    kernel(&context);
  } catch (const std::exception& error) {
    // As it is: Paddle has the exceptions of its own become others.
    throw std::runtime_error(error.what());
  }
}

}  // namespace

PYBIND11_MODULE(kernel_probe, module) {
  py::class_<Tensor>(module, "Tensor", py::module_local())
      .def(py::init<const py::object&, bool>(),
           py::arg("array"),
           py::arg("memory") = true)
      .def("shared", [](const Tensor& tensor) { return Tensor(tensor); })
      .def("resize", &Tensor::Resize)
      .def("numpy", &Tensor::Numpy)
      .def_property_readonly("shape", &Tensor::Shape);
  module.def("registered", Registered);
  module.def("run", Run);
}
