// Paddle's registry of CPU kernels, for tests: what a kernel takes, and calls
// of it on tensors of the caller's choice. C functions, for ctypes.

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
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

// Mirrored by kernel_probe.py.
struct Attribute {
  int64_t whole;
  const char* text;
};

struct Call {
  const char* kernel;
  const char* dtype;
  const DenseTensor** inputs;  // null: absent
  int32_t input_count;
  const Attribute* attributes;
  int32_t attribute_count;
  DenseTensor** outputs;  // null: not wanted
  int32_t output_count;
};

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

bool IsIn(const Kernel& kernel, const std::string& library) {
  Dl_info info;
  return dladdr(kernel.GetVariadicKernelFn<void*>(), &info) != 0 &&
         library == info.dli_fname;
}

std::string TypeName(const std::type_index& type) {
  if (type == typeid(const DenseTensor&)) return "Tensor";
  if (type == typeid(const paddle::optional<DenseTensor>&)) return "optional";
  if (type == typeid(DenseTensor*)) return "Tensor*";
  return type.name();
}

template <typename Tensors>
std::string TensorNames(const Tensors& tensors) {
  std::string text;
  for (const TensorArgDef& tensor : tensors) {
    text += " " + TypeName(tensor.type_index) + ":" +
            phi::DataTypeToString(tensor.dtype);
  }
  return text;
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

std::string Describe(const Kernel& kernel) {
  std::string text = TensorNames(kernel.args_def().input_defs());
  for (const auto& attribute : kernel.args_def().attribute_defs()) {
    text += " " + AttributeName(attribute.type_index);
  }
  return text + TensorNames(kernel.args_def().output_defs());
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

phi::Attribute ValueOf(const Attribute& attribute, AttributeType type) {
  switch (type) {
    case AttributeType::BOOL:
      return attribute.whole != 0;
    case AttributeType::INT32:
      return static_cast<int>(attribute.whole);
    case AttributeType::INT64:
      return attribute.whole;
    case AttributeType::STRING:
      return std::string(attribute.text);
    default:
      throw std::invalid_argument("an attribute of another kind");
  }
}

void Run(const Call& call) {
  const Kernel& kernel = Find(call.kernel, DtypeOf(call.dtype));
  phi::KernelContext context(Context());
  for (int i = 0; i < call.input_count; ++i) {
    context.EmplaceBackInput(call.inputs[i]);
  }
  const auto& types = kernel.args_def().attribute_defs();
  for (int i = 0; i < call.attribute_count; ++i) {
    context.EmplaceBackAttr(
        ValueOf(call.attributes[i], types.at(i).type_index));
  }
  for (int i = 0; i < call.output_count; ++i) {
    context.EmplaceBackOutput(call.outputs[i]);
  }
  kernel(&context);
}

}  // namespace

extern "C" {

// "name dtype inputs... attributes... outputs...", a line for each kernel whose
// code lies in a library.
const char* probe_kernels(const char* library) {
  static std::string text;
  text.clear();
  for (const auto& [name, kernels] : phi::KernelFactory::Instance().kernels()) {
    for (const auto& [key, kernel] : kernels) {
      if (!IsIn(kernel, library)) continue;
      text += name + " " + phi::DataTypeToString(key.dtype()) +
              Describe(kernel) + "\n";
    }
  }
  return text.c_str();
}

// The dims of a tensor, given as an InferMeta function gives them.
void probe_resize(DenseTensor* tensor, int32_t rank, const int64_t* dims) {
  phi::MetaTensor(tensor).set_dims(
      common::make_ddim(std::vector<int64_t>(dims, dims + rank)));
}

// Without data, the tensor gets no memory.
DenseTensor* probe_tensor(const char* dtype,
                          int32_t rank,
                          const int64_t* dims,
                          const void* data) {
  auto* tensor = new DenseTensor();
  phi::MetaTensor(tensor).set_dtype(DtypeOf(dtype));
  probe_resize(tensor, rank, dims);
  if (data != nullptr) {
    void* to = Context()->Alloc(tensor, tensor->dtype());
    std::memcpy(to, data, tensor->numel() * phi::SizeOf(tensor->dtype()));
  }
  return tensor;
}

void probe_free(DenseTensor* tensor) { delete tensor; }

// The rank of a tensor, whose dims are written.
int32_t probe_dims(const DenseTensor* tensor, int64_t* dims) {
  for (int i = 0; i < tensor->dims().size(); ++i) dims[i] = tensor->dims()[i];
  return tensor->dims().size();
}

const char* probe_dtype(const DenseTensor* tensor) {
  static std::string text;
  text = phi::DataTypeToString(tensor->dtype());
  return text.c_str();
}

void probe_read(const DenseTensor* tensor, void* to) {
  std::memcpy(
      to, tensor->data(), tensor->numel() * phi::SizeOf(tensor->dtype()));
}

// 0, or 1 and why not.
int32_t probe_run(const Call* call, char* message, int32_t size) {
  try {
    Run(*call);
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(message, size, "%s", error.what());
    return 1;
  }
}

}  // extern "C"
