#include "dygraph/eager_abi.h"

#include <cstring>
#include <new>

#include "paddle/phi/core/dense_tensor.h"

namespace native_ops {

namespace {

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

}  // namespace

bool EagerAbiFits() {
  const paddle::Tensor tensor(std::make_shared<phi::DenseTensor>());
  return Extent<egr::GradNodeBase>(1, 1) <= sizeof(egr::GradNodeBase) &&
         Extent<egr::TensorWrapper>(tensor, false) <=
             sizeof(egr::TensorWrapper);
}

}  // namespace native_ops
