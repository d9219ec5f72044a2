// The arguments of one call, in the order of the operator's YAML entry.

#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/backends/gpu/gpu_info.h"
#include "paddle/utils/optional.h"

// A call as it comes from outside: plain C, for ctypes.
struct ScatterOpsTensor {
  void* data;         // on the device; null if nothing may be read or written
  const char* dtype;  // null: the tensor is absent
  int32_t rank;
  const int64_t* dims;
};

struct ScatterOpsCall {
  const char* key;  // "kernel dtype"
  const ScatterOpsTensor* inputs;
  int32_t input_count;
  const char* const* attributes;  // numbers in decimal digits
  int32_t attribute_count;
  const ScatterOpsTensor* outputs;
  int32_t output_count;
  void* stream;
};

namespace harness {

class Arguments {
 public:
  explicit Arguments(const ScatterOpsCall& call)
      : context_(static_cast<phi::gpuStream_t>(call.stream)),
        call_(call),
        attributes_(call.attributes, call.attributes + call.attribute_count) {
    owned_.reserve(call.output_count);
    for (int i = 0; i < call.input_count; ++i) {
      inputs_.push_back(TensorOf(call.inputs[i]));
    }
    for (int i = 0; i < call.output_count; ++i) {
      owned_.push_back(TensorOf(call.outputs[i]));
      outputs_.push_back(InputAt(call.outputs[i].data));
      if (outputs_[i] != nullptr) {
        outputs_[i]->Resize(owned_[i]->dims());
      } else if (owned_[i]) {
        outputs_[i] = &*owned_[i];
      }
    }
  }

  const phi::GPUContext& context() const { return context_; }

  // The next argument, as a kernel's parameter of type P.
  template <typename P>
  P Take() {
    if constexpr (std::is_same_v<P, const phi::DenseTensor&>) {
      const auto& input = inputs_.at(next_input_++);
      STANDIN_ENFORCE(
          input,
          common::errors::InvalidArgument("a required input is missing"));
      return *input;
    } else if constexpr (std::is_same_v<P, phi::DenseTensor*>) {
      return outputs_.at(next_output_++);
    } else if constexpr (std::is_same_v<P, const std::string&>) {
      return NextAttribute();
    } else if constexpr (std::is_arithmetic_v<P>) {
      return static_cast<P>(std::stoll(NextAttribute()));
    } else {
      return inputs_.at(next_input_++);
    }
  }

  void CheckAllTaken() const {
    STANDIN_ENFORCE(next_input_ == inputs_.size() &&
                        next_output_ == outputs_.size() &&
                        next_attribute_ == attributes_.size(),
                    common::errors::InvalidArgument(
                        "the kernel takes %d inputs, %d attributes and %d "
                        "outputs",
                        next_input_,
                        next_attribute_,
                        next_output_));
  }

  // Copies outputs that have left the caller's memory to where it wants them.
  void BringOutputs() {
    for (int i = 0; i < call_.output_count; ++i) {
      const phi::DenseTensor* output = outputs_[i];
      void* wanted = call_.outputs[i].data;
      if (output == nullptr || wanted == nullptr || output->data() == wanted) {
        continue;
      }
      phi::backends::gpu::GpuMemcpyAsync(
          wanted,
          output->data(),
          output->numel() * phi::SizeOf(output->dtype()),
          phi::gpuMemcpyDeviceToDevice,
          context_.stream());
    }
  }

 private:
  const std::string& NextAttribute() {
    STANDIN_ENFORCE(next_attribute_ < attributes_.size(),
                    common::errors::InvalidArgument("an attribute is missing"));
    return attributes_[next_attribute_++];
  }

  // The input whose memory begins at `data`: an output that begins there is the
  // same tensor, as it is in Paddle, and has been resized before the kernel
  // runs.
  phi::DenseTensor* InputAt(const void* data) {
    for (auto& input : inputs_) {
      if (data && input && input->initialized() && input->data() == data) {
        return &*input;
      }
    }
    return nullptr;
  }

  static paddle::optional<phi::DenseTensor> TensorOf(
      const ScatterOpsTensor& tensor) {
    if (tensor.dtype == nullptr) return paddle::none;
    return phi::DenseTensor(
        tensor.data,
        phi::DataTypeOf(tensor.dtype),
        common::make_ddim({tensor.dims, tensor.dims + tensor.rank}));
  }

  phi::GPUContext context_;
  const ScatterOpsCall& call_;
  std::vector<std::string> attributes_;
  std::vector<paddle::optional<phi::DenseTensor>> inputs_;
  std::vector<paddle::optional<phi::DenseTensor>> owned_;
  std::vector<phi::DenseTensor*> outputs_;  // owned, shared inputs or null
  size_t next_input_ = 0;
  size_t next_output_ = 0;
  size_t next_attribute_ = 0;
};

template <typename... Params>
void Invoke(void (*kernel)(const phi::GPUContext&, Params...),
            Arguments* arguments) {
  // Braces: the arguments are taken from left to right.
  std::tuple<Params...> params{arguments->Take<Params>()...};
  arguments->CheckAllTaken();
  std::apply(
      [&](auto&&... each) {
        kernel(arguments->context(), static_cast<Params>(each)...);
      },
      params);
}

}  // namespace harness
