// A Python module that returns the signatures of the CPU kernels in Paddle's
// registry and calls them, for tests.

#include <dlfcn.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "paddle/phi/api/include/tensor.h"
#include "paddle/phi/backends/context_pool.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/kernel_context.h"
#include "paddle/phi/core/kernel_factory.h"
#include "paddle/utils/optional.h"
#include "paddle/utils/pybind.h"

using phi::AttributeType;
using phi::DataType;
using phi::DenseTensor;
using phi::TensorArgDef;

namespace {

template <typename T>
phi::Attribute Read(const py::handle& value) {
  return value.cast<T>();
}

using Reader = phi::Attribute (*)(const py::handle&);
// The name of a type in the YAML, and its conversion from Python.
const std::map<AttributeType, std::pair<std::string, Reader>> kAttributes = {
    {AttributeType::BOOL, {"bool", Read<bool>}},
    {AttributeType::INT32, {"int", Read<int>}},
    {AttributeType::INT64, {"int64_t", Read<int64_t>}},
    {AttributeType::FLOAT32, {"float", Read<float>}},
    {AttributeType::STRING, {"str", Read<std::string>}},
};

// ---- Signatures -------------------------------------------------------------

// Returns the base address of the library that contains an address.
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

std::string NameOf(const TensorArgDef& tensor) {
  return TypeName(tensor.type_index) + ":" +
         phi::DataTypeToString(tensor.dtype);
}

std::vector<std::string> Arguments(const phi::KernelArgsDef& args) {
  std::vector<std::string> kinds;
  for (const auto& tensor : args.input_defs()) kinds.push_back(NameOf(tensor));
  for (const auto& attribute : args.attribute_defs()) {
    kinds.push_back(kAttributes.at(attribute.type_index).first);
  }
  for (const auto& tensor : args.output_defs()) kinds.push_back(NameOf(tensor));
  return kinds;
}

// Returns {(kernel, dtype): inputs, attributes, outputs} of the kernels that
// are linked with this module.
py::dict Signatures() {
  const void* own = LibraryOf(&kAttributes);
  py::dict signatures;
  for (const auto& [name, kernels] : phi::KernelFactory::Instance().kernels()) {
    for (const auto& [key, kernel] : kernels) {
      if (LibraryOf(kernel.GetVariadicKernelFn<void*>()) != own) continue;
      const auto dtype = phi::DataTypeToString(key.dtype());
      signatures[py::make_tuple(name, dtype)] = Arguments(kernel.args_def());
    }
  }
  return signatures;
}

// ---- Calls of kernels -------------------------------------------------------

using Tensors = std::vector<py::object>;  // None: absent, or not computed

DenseTensor* DenseOf(const py::object& tensor) {
  if (tensor.is_none()) return nullptr;
  const auto* object =
      reinterpret_cast<const paddle::pybind::TensorObject*>(tensor.ptr());
  return static_cast<DenseTensor*>(object->tensor.impl().get());
}

void Run(const std::string& name,
         int dtype,
         const Tensors& inputs,
         const std::vector<py::object>& attributes,
         const Tensors& outputs) {
  const phi::Kernel& kernel =
      phi::KernelFactory::Instance().kernels().at(name).at(
          {phi::Backend::CPU,
           phi::DataLayout::ALL_LAYOUT,
           static_cast<DataType>(dtype)});
  phi::KernelContext context(
      phi::DeviceContextPool::Instance().Get(phi::CPUPlace()));
  for (const auto& input : inputs) context.EmplaceBackInput(DenseOf(input));
  const auto& types = kernel.args_def().attribute_defs();
  for (size_t i = 0; i < attributes.size(); ++i) {
    const auto& [_, read] = kAttributes.at(types.at(i).type_index);
    context.EmplaceBackAttr(read(attributes[i]));
  }
  for (const auto& output : outputs) context.EmplaceBackOutput(DenseOf(output));
  try {
    kernel(&context);
  } catch (const std::exception& error) {
    // Paddle's exceptions would be translated to other Python types.
    throw std::runtime_error(error.what());
  }
}

}  // namespace

PYBIND11_MODULE(kernel_probe, module) {
  module.def("signatures", Signatures);
  module.def("run", Run);
}
