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

// Null while static graphs are built.
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

namespace {

bool CastsArguments() {
  return amp::GetCurrentAmpAttrs()->GetAmpLevel() != amp::AmpLevel::O0;
}

}  // namespace

bool HasGrad() {
  const auto& tracer = amp::GetCurrentTracer();
  return tracer == nullptr || tracer->HasGrad();
}

bool InDygraph() { return amp::GetCurrentTracer() != nullptr; }

bool IsPlainDygraph() {
  return InDygraph() && !IsWatched() && !CastsArguments();
}

CastArguments::CastArguments(const OpSpec& spec,
                             PyObject* const* args,
                             Py_ssize_t count)
    : args_(args) {
  if (!CastsArguments()) return;
  const size_t inputs = spec.inputs.size();
  egr::TensorSlots slots;
  for (size_t i = 0; i < inputs; ++i) {
    const Tensor& tensor = CheckedTensor(args[i]);
    if (!tensor.is_dense_tensor()) throw NotServed();
    slots.push_back({tensor});
  }
  const phi::DataType dtype = amp::GetAmpDestDtype<Tensor>(spec.name, slots);
  replaced_.assign(args, args + count);
  for (size_t i = 0; i < inputs; ++i) {
    const Tensor& tensor = slots[i][0];
    const Tensor cast = amp::AmpAutoCast<Tensor>(
        spec.inputs[i].name, tensor, dtype, spec.name, true);
    if (cast.impl() == tensor.impl()) continue;
    casts_.push_back(
        py::reinterpret_steal<py::object>(paddle::pybind::ToPyObject(cast)));
    replaced_[i] = casts_.back().ptr();
  }
  args_ = replaced_.data();
}

}  // namespace native_ops
