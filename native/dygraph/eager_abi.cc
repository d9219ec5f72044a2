#include "dygraph/eager_abi.h"

#include <cstring>
#include <new>

#include "paddle/phi/core/dense_tensor.h"

namespace native_ops {

namespace {

class ProbeNode : public egr::GradNodeBase {
 public:
  ProbeNode() : GradNodeBase(1, 1) {}
  egr::TensorSlots operator()(egr::TensorSlots&, bool, bool) override {
    return {};
  }
  void ClearTensorWrappers() override {}
  std::shared_ptr<egr::GradNodeBase> Copy() const override { return nullptr; }
};

// How far the bytes reach that the construction of a T writes.
template <typename T, typename... Args>
size_t Extent(const Args&... args) {
  constexpr unsigned char kUntouched = 0xA5;
  constexpr size_t kBeyond = 4096;
  alignas(16) unsigned char memory[sizeof(T) + kBeyond];
  std::memset(memory, kUntouched, sizeof(memory));
  T* made = new (memory) T(args...);
  size_t extent = sizeof(memory);
  while (extent > 0 && memory[extent - 1] == kUntouched) --extent;
  made->~T();
  return extent;
}

// A new Tensor wants no gradient, and what it is told it says again.
bool FlagIsKept() {
  paddle::Tensor tensor(std::make_shared<phi::DenseTensor>());
  if (WantsGradient(tensor)) return false;
  SetStopGradient(&tensor, false);
  if (!WantsGradient(tensor)) return false;
  SetStopGradient(&tensor, true);
  return !WantsGradient(tensor);
}

}  // namespace

bool EagerAbiFits() {
  const paddle::Tensor tensor(std::make_shared<phi::DenseTensor>());
  if (!FlagIsKept()) return false;
  return Extent<ProbeNode>() <= sizeof(egr::GradNodeBase) &&
         Extent<egr::TensorWrapper>(tensor, false) <=
             sizeof(egr::TensorWrapper);
}

}  // namespace native_ops
