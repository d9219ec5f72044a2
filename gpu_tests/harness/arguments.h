// The arguments of one call, in the order of the operator's YAML entry.

#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "gpu_tests/harness/gpu_call.h"
#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/common/scalar.h"
#include "paddle/utils/optional.h"

namespace harness {

class Arguments {
 public:
  explicit Arguments(const ScatterOpsCall& call)
      : context_(static_cast<cudaStream_t>(call.stream), call.multiprocessors),
        call_(call) {
    for (int i = 0; i < call.input_count; ++i) {
      inputs_.push_back(TensorOf(call.inputs[i]));
    }
    for (int i = 0; i < call.output_count; ++i) {
      outputs_.push_back(TensorOf(call.outputs[i]));
    }
    for (int i = 0; i < call.attribute_count; ++i) {
      const char* text = call.attributes[i].text;
      texts_.push_back(text != nullptr ? text : "");
    }
  }

  const phi::GPUContext& context() const { return context_; }

  // The dtype of input i; UNDEFINED if there is none.
  phi::DataType InputType(int i) const {
    return inputs_.at(i) ? inputs_.at(i)->dtype() : phi::DataType::UNDEFINED;
  }

  const paddle::optional<phi::DenseTensor>& NextInput() {
    return inputs_.at(next_input_++);
  }

  phi::DenseTensor* NextOutput() {
    auto& output = outputs_.at(next_output_++);
    return output ? &*output : nullptr;
  }

  const ScatterOpsAttribute& NextAttribute(int kind) {
    PADDLE_ENFORCE(next_attribute_ < call_.attribute_count,
                   common::errors::InvalidArgument("an attribute is missing"));
    const ScatterOpsAttribute& next = call_.attributes[next_attribute_++];
    PADDLE_ENFORCE(kind == kAnyNumber || next.kind == kind,
                   common::errors::InvalidArgument(
                       "attribute %d is of kind %d, but must be of kind %d",
                       next_attribute_ - 1,
                       next.kind,
                       kind));
    return next;
  }

  const std::string& NextText() {
    NextAttribute(SCATTER_OPS_TEXT);
    return texts_.at(next_attribute_ - 1);
  }

  const phi::Scalar& NextScalar() {
    scalars_.push_back(ScalarOf(NextAttribute(kAnyNumber)));
    return scalars_.back();
  }

  void CheckAllTaken() const {
    const bool all = next_input_ == inputs_.size() &&
                     next_output_ == outputs_.size() &&
                     next_attribute_ == call_.attribute_count;
    PADDLE_ENFORCE(all,
                   common::errors::InvalidArgument(
                       "the kernel takes %d inputs, %d attributes and %d "
                       "outputs",
                       next_input_,
                       next_attribute_,
                       next_output_));
  }

 private:
  static constexpr int kAnyNumber = -1;

  static paddle::optional<phi::DenseTensor> TensorOf(
      const ScatterOpsTensor& tensor) {
    if (tensor.dtype < 0) return paddle::none;
    return phi::DenseTensor(tensor.data,
                            static_cast<phi::DataType>(tensor.dtype),
                            common::DDim(tensor.dims, tensor.rank));
  }

  static phi::Scalar ScalarOf(const ScatterOpsAttribute& attribute) {
    switch (attribute.kind) {
      case SCATTER_OPS_BOOL:
        return phi::Scalar(attribute.whole != 0);
      case SCATTER_OPS_WHOLE:
        return phi::Scalar(attribute.whole);
      case SCATTER_OPS_REAL:
        return phi::Scalar(attribute.real);
      case SCATTER_OPS_COMPLEX:
        return phi::Scalar(
            phi::dtype::complex<double>(attribute.real, attribute.imag));
      default:
        PADDLE_THROW(common::errors::InvalidArgument(
            "an attribute must be a number, but it is a text"));
    }
  }

  phi::GPUContext context_;
  const ScatterOpsCall& call_;
  std::vector<paddle::optional<phi::DenseTensor>> inputs_;
  std::vector<paddle::optional<phi::DenseTensor>> outputs_;
  std::vector<std::string> texts_;
  std::vector<phi::Scalar> scalars_;
  size_t next_input_ = 0;
  size_t next_output_ = 0;
  int next_attribute_ = 0;
};

// The next argument, as a kernel's parameter of type P.
template <typename P>
struct Next;

template <>
struct Next<const phi::DenseTensor&> {
  static const phi::DenseTensor& Take(Arguments* arguments) {
    const auto& tensor = arguments->NextInput();
    PADDLE_ENFORCE(
        tensor.has_value(),
        common::errors::InvalidArgument("a required input is missing"));
    return *tensor;
  }
};

template <>
struct Next<const paddle::optional<phi::DenseTensor>&> {
  static const paddle::optional<phi::DenseTensor>& Take(Arguments* arguments) {
    return arguments->NextInput();
  }
};

template <>
struct Next<phi::DenseTensor*> {
  static phi::DenseTensor* Take(Arguments* arguments) {
    return arguments->NextOutput();
  }
};

template <>
struct Next<int> {
  static int Take(Arguments* arguments) {
    return static_cast<int>(arguments->NextAttribute(SCATTER_OPS_WHOLE).whole);
  }
};

template <>
struct Next<int64_t> {
  static int64_t Take(Arguments* arguments) {
    return arguments->NextAttribute(SCATTER_OPS_WHOLE).whole;
  }
};

template <>
struct Next<bool> {
  static bool Take(Arguments* arguments) {
    return arguments->NextAttribute(SCATTER_OPS_BOOL).whole != 0;
  }
};

template <>
struct Next<const std::string&> {
  static const std::string& Take(Arguments* arguments) {
    return arguments->NextText();
  }
};

template <>
struct Next<const phi::Scalar&> {
  static const phi::Scalar& Take(Arguments* arguments) {
    return arguments->NextScalar();
  }
};

template <typename... Params>
void Invoke(void (*kernel)(const phi::GPUContext&, Params...),
            Arguments* arguments) {
  // Braces: the arguments are taken from left to right.
  std::tuple<Params...> params{Next<Params>::Take(arguments)...};
  arguments->CheckAllTaken();
  std::apply(
      [&](auto&&... each) {
        kernel(arguments->context(), static_cast<Params>(each)...);
      },
      params);
}

}  // namespace harness
