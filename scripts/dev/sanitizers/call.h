// How cases.py calls the cores of the kernels: arrays, and the type of a word.

#pragma once

#include <cstdint>
#include <vector>

#include "paddle/phi/core/ddim.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

// What cases.py looks up by its name.
#define CHECKED extern "C" __attribute__((visibility("default")))

namespace check {

// An array of numpy's; without data, one that is not wanted.
struct Array {
  void* data;
  int64_t rank;
  int64_t dims[4];

  phi::DDim shape() const {
    return common::make_ddim(std::vector<int64_t>(dims, dims + rank));
  }
  int64_t numel() const { return common::product(shape()); }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
  // As the pointer that a core of a known type takes.
  template <typename T>
  operator T*() const {  // NOLINT
    return as<T>();
  }
  phi::funcs::scatter_ops::BroadcastView within(const Array& out) const {
    return {out.shape(), shape()};
  }
};

// Calls f with a word of so many bytes.
template <typename F>
void ByWord(int64_t bytes, const F& f) {
  if (bytes == 1) f(uint8_t{});
  if (bytes == 2) f(uint16_t{});
  if (bytes == 4) f(uint32_t{});
  if (bytes == 8) f(uint64_t{});
  if (bytes == 16) f(phi::funcs::scatter_ops::Bytes16{});
}

}  // namespace check
