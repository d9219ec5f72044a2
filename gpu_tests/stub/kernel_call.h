// A table of the registered kernels, and calls with untyped arguments in the
// order of the operator's YAML entry.

#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "paddle_stub.h"

// A call as plain C structs, for ctypes.
struct ScatterOpsTensor {
  void* data;     // on the device; null: the kernel must not access it
  int32_t dtype;  // phi::DataType; -1: absent
  int32_t rank;
  const int64_t* dims;
};

struct ScatterOpsCall {
  const ScatterOpsTensor* inputs;
  int32_t input_count;
  const char* const* attributes;  // numbers in decimal digits
  int32_t attribute_count;
  const ScatterOpsTensor* outputs;
  int32_t output_count;
  void* stream;
};

namespace kernel_call {

using Tensor = paddle::optional<phi::DenseTensor>;

inline Tensor MakeTensor(const ScatterOpsTensor& tensor) {
  if (tensor.dtype < 0) return {};
  return phi::DenseTensor(
      tensor.data,
      static_cast<phi::DataType>(tensor.dtype),
      common::make_ddim({tensor.dims, tensor.dims + tensor.rank}));
}

class Arguments {
 public:
  explicit Arguments(const ScatterOpsCall& call)
      : context_(static_cast<phi::gpuStream_t>(call.stream)), call_(call) {
    for (int i = 0; i < call.input_count; ++i) {
      inputs_.push_back(MakeTensor(call.inputs[i]));
    }
    for (int i = 0; i < call.output_count; ++i) {
      owned_.push_back(MakeTensor(call.outputs[i]));
    }
    for (int i = 0; i < call.output_count; ++i) {
      phi::DenseTensor* output = owned_[i] ? &*owned_[i] : nullptr;
      // An in-place output is the DenseTensor of the input, which InferMeta
      // resizes before the kernel runs.
      for (Tensor& input : inputs_) {
        if (!output || !output->initialized() || !input) continue;
        if (!input->initialized() || input->data() != output->data()) continue;
        input->Resize(output->dims());
        output = &*input;
        break;
      }
      outputs_.push_back(output);
    }
  }

  const phi::GPUContext& context() const { return context_; }

  // Returns the next argument, as a kernel parameter of type P.
  template <typename P>
  P Next() {
    if constexpr (std::is_same_v<P, phi::DenseTensor*>) {
      return outputs_.at(next_output_++);
    } else if constexpr (std::is_same_v<P, const std::string&>) {
      return text_ = call_.attributes[next_attribute_++];
    } else if constexpr (std::is_floating_point_v<P>) {
      return static_cast<P>(std::stod(call_.attributes[next_attribute_++]));
    } else if constexpr (std::is_integral_v<P>) {
      return static_cast<P>(std::stoll(call_.attributes[next_attribute_++]));
    } else if constexpr (std::is_same_v<P, const phi::DenseTensor&>) {
      return inputs_.at(next_input_++).value();
    } else {
      return inputs_.at(next_input_++);
    }
  }

  // Copies reallocated outputs to the memory of the caller, and synchronizes.
  void Finish() const {
    for (int i = 0; i < call_.output_count; ++i) {
      void* data = call_.outputs[i].data;
      if (!outputs_[i] || !data || outputs_[i]->data() == data) continue;
      phi::backends::gpu::GpuMemcpyAsync(
          data,
          outputs_[i]->data(),
          outputs_[i]->numel() * phi::SizeOf(outputs_[i]->dtype()),
          phi::gpuMemcpyDeviceToDevice,
          context_.stream());
    }
    PADDLE_ENFORCE_GPU_SUCCESS(cudaGetLastError());
    PADDLE_ENFORCE_GPU_SUCCESS(cudaStreamSynchronize(context_.stream()));
  }

 private:
  phi::GPUContext context_;
  const ScatterOpsCall& call_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> owned_;
  std::vector<phi::DenseTensor*> outputs_;  // owned, shared inputs or null
  std::string text_;
  int next_input_ = 0;
  int next_output_ = 0;
  int next_attribute_ = 0;
};

template <typename... Params>
void Invoke(void (*kernel)(const phi::GPUContext&, Params...),
            Arguments* arguments) {
  // Braces guarantee evaluation from left to right.
  std::tuple<Params...> params{arguments->Next<Params>()...};
  std::apply(
      [&](auto&&... each) {
        kernel(arguments->context(), static_cast<Params>(each)...);
      },
      params);
}

struct Entry {
  std::string key;  // "kernel dtype"
  void (*run)(Arguments* arguments);
};

inline std::vector<Entry>& Table() {
  static std::vector<Entry> table;
  return table;
}

template <template <typename> class KernelOf, typename... Types>
bool RegisterEach(const std::string& name) {
  (Table().push_back(
       {name + " " +
            phi::DataTypeToString(phi::CppTypeToDataType<Types>::Type()),
        &KernelOf<Types>::Run}),
   ...);
  return true;
}

}  // namespace kernel_call

namespace phi {

struct Kernel {
  struct Operand {
    void SetDataType(DataType) {}
  };
  Operand InputAt(int) { return {}; }
};

}  // namespace phi

#define PD_REGISTER_KERNEL(name, backend, layout, function, ...)     \
  template <typename T>                                              \
  struct Kernel_##name {                                             \
    static void Run(kernel_call::Arguments* arguments) {             \
      kernel_call::Invoke(&function<T, phi::GPUContext>, arguments); \
    }                                                                \
  };                                                                 \
  static const bool registered_##name =                              \
      kernel_call::RegisterEach<Kernel_##name, __VA_ARGS__>(#name);  \
  [[maybe_unused]] static void Describe_##name(phi::Kernel* kernel)
