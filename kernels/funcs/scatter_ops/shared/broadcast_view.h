// Reads one operand of a broadcast along the row-major output without
// materializing it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/core/ddim.h"

namespace phi::funcs::scatter_ops {

class BroadcastView {
 public:
  // `dims` must broadcast to `out_dims` (trailing axes aligned).
  BroadcastView(const DDim& out_dims, const DDim& dims) {
    int64_t strides[DDim::kMaxRank];
    int64_t stride = 1;
    const int shift = out_dims.size() - dims.size();
    for (int i = out_dims.size() - 1; i >= 0; --i) {
      const int64_t dim = i >= shift ? dims[i - shift] : 1;
      strides[i] = dim == 1 ? 0 : stride;
      stride *= dim;
    }
    rank_ = 0;
    for (int i = 0; i < out_dims.size(); ++i) Append(out_dims[i], strides[i]);
    if (rank_ == 0) Append(1, 1, /*is_required=*/true);
  }

  HOSTDEVICE int rank() const { return rank_; }
  HOSTDEVICE int64_t dim(int i) const { return dims_[i]; }
  // In elements; 0 along a broadcast axis.
  HOSTDEVICE int64_t stride(int i) const { return strides_[i]; }
  // True if the operand has the layout of the output.
  bool is_flat() const { return rank_ == 1 && strides_[0] == 1; }

  // True if one element is broadcast to an output of several.
  bool is_constant() const { return rank_ == 1 && strides_[0] == 0; }

  // The operand offset of output element i, for GPU kernels.
  HOSTDEVICE int64_t Offset(int64_t i) const {
    int64_t offset = 0;
    for (int a = rank_ - 1; a > 0; --a) {
      const int64_t outer = i / dims_[a];
      offset += (i - outer * dims_[a]) * strides_[a];
      i = outer;
    }
    return offset + i * strides_[0];
  }

  // Cuts output elements [begin, end) into runs along the innermost collapsed
  // axis and calls f(operand offset, stride (0 or 1), length) for each.
  template <typename F>
  void ForEachRun(int64_t begin, int64_t end, const F& f) const {
    if (begin >= end) return;
    int64_t index[DDim::kMaxRank];
    int64_t offset = Locate(begin, index);
    const int inner = rank_ - 1;
    while (true) {
      const int64_t length = std::min(dims_[inner] - index[inner], end - begin);
      f(offset, strides_[inner], length);
      begin += length;
      if (begin >= end) return;
      offset -= index[inner] * strides_[inner];
      index[inner] = 0;
      for (int i = inner - 1; i >= 0; --i) {
        offset += strides_[i];
        if (++index[i] < dims_[i]) break;
        offset -= dims_[i] * strides_[i];
        index[i] = 0;
      }
    }
  }

  // Returns output elements [begin, begin + length) of the operand as a
  // contiguous array: a pointer into `data` if possible, else `scratch`.
  template <typename T>
  const T* Read(const T* data,
                int64_t begin,
                int64_t length,
                T* scratch) const {
    if (is_flat()) return data + begin;
    T* next = scratch;
    ForEachRun(
        begin, begin + length, [&](int64_t offset, int64_t stride, int64_t n) {
          if (stride == 0) {
            std::fill_n(next, n, data[offset]);
          } else if (n >= 16) {
            std::memcpy(next, data + offset, n * sizeof(T));
          } else {
            for (int64_t i = 0; i < n; ++i) next[i] = data[offset + i];
          }
          next += n;
        });
    return scratch;
  }

 private:
  // Adds an axis, collapsed into the previous one if their strides allow.
  void Append(int64_t dim, int64_t stride, bool is_required = false) {
    if (dim == 1 && !is_required) return;
    if (rank_ > 0 && strides_[rank_ - 1] == dim * stride) {
      dims_[rank_ - 1] *= dim;
      strides_[rank_ - 1] = stride;
      return;
    }
    dims_[rank_] = dim;
    strides_[rank_] = stride;
    ++rank_;
  }

  int64_t Locate(int64_t position, int64_t* index) const {
    int64_t offset = 0;
    for (int i = rank_ - 1; i > 0; --i) {
      index[i] = position % dims_[i];
      position /= dims_[i];
      offset += index[i] * strides_[i];
    }
    index[0] = position;
    return offset + position * strides_[0];
  }

  int rank_;
  int64_t dims_[DDim::kMaxRank];
  int64_t strides_[DDim::kMaxRank];
};

}  // namespace phi::funcs::scatter_ops
