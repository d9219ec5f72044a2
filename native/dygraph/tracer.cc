#include "dygraph/tracer.h"

#include <memory>
#include <string>

#include "dygraph/eager_abi.h"
#include "kernels/instrumentation.h"

// Exported by libpaddle.so; no header of the wheel declares them.
namespace paddle::imperative {

class __attribute__((visibility("default"))) Tracer {
 public:
  bool HasGrad() const;
};

// Null while a static graph is built.
__attribute__((visibility("default"))) const std::shared_ptr<Tracer>&
GetCurrentTracer();

enum class AmpLevel { O0 = 0 };

class __attribute__((visibility("default"))) AmpAttrs {
 public:
  AmpLevel GetAmpLevel() const;
};

__attribute__((visibility("default"))) const std::shared_ptr<AmpAttrs>&
GetCurrentAmpAttrs();

template <typename T>
__attribute__((visibility("default"))) phi::DataType GetAmpDestDtype(
    const std::string& op, const small_vector<std::vector<T>, 15>& inputs);

template <typename T>
__attribute__((visibility("default"))) T AmpAutoCast(const std::string& input,
                                                     const T& tensor,
                                                     const phi::DataType& dtype,
                                                     const std::string& op,
                                                     bool trace_backward);

extern template phi::DataType GetAmpDestDtype<Tensor>(const std::string&,
                                                      const egr::TensorSlots&);
extern template Tensor AmpAutoCast<Tensor>(const std::string&,
                                           const Tensor&,
                                           const phi::DataType&,
                                           const std::string&,
                                           bool);

}  // namespace paddle::imperative

namespace native_ops {

namespace amp = paddle::imperative;
using paddle::Tensor;

bool HasGrad() {
  const auto& tracer = amp::GetCurrentTracer();
  return tracer == nullptr || tracer->HasGrad();
}

bool InDygraph() { return amp::GetCurrentTracer() != nullptr; }

CastTensors::CastTensors(const OpSpec& spec, const TensorPointers& inputs)
    : tensors_(inputs) {
  if (amp::GetCurrentAmpAttrs()->GetAmpLevel() == amp::AmpLevel::O0) return;
  egr::TensorSlots slots;
  for (const Tensor* tensor : inputs) slots.push_back({*tensor});
  const phi::DataType dtype = amp::GetAmpDestDtype<Tensor>(spec.name, slots);
  casts_.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    casts_.push_back(amp::AmpAutoCast<Tensor>(
        spec.inputs[i].name, *inputs[i], dtype, spec.name, true));
    tensors_[i] = &casts_.back();
  }
}

}  // namespace native_ops
