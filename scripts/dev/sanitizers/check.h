// What the checks share: arrays that end where their memory ends, random
// shapes and values, and comparisons.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "paddle/phi/core/ddim.h"

namespace check {

using Random = std::mt19937_64;

// An array in memory of its own, so that a sanitizer sees each access beside
// it. Its elements have no values yet.
template <typename T>
class Array {
 public:
  explicit Array(int64_t n) : size_(n), data_(new T[n]) {}
  Array(const Array& other) : Array(other.size()) {
    std::memcpy(static_cast<void*>(data()), other.data(), size_ * sizeof(T));
  }

  int64_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](int64_t i) { return data_[i]; }
  const T& operator[](int64_t i) const { return data_[i]; }

 private:
  int64_t size_;
  std::unique_ptr<T[]> data_;
};

inline int64_t Below(Random* random, int64_t n) {
  return static_cast<int64_t>((*random)() % static_cast<uint64_t>(n));
}

inline bool OneIn(Random* random, int64_t n) { return Below(random, n) == 0; }

// Arbitrary bits.
template <typename T>
Array<T> RandomBits(Random* random, int64_t n) {
  Array<T> array(n);
  auto* bytes = reinterpret_cast<unsigned char*>(array.data());
  for (size_t i = 0; i < n * sizeof(T); ++i) {
    bytes[i] = static_cast<unsigned char>((*random)());
  }
  return array;
}

// Whole numbers of one digit, with which sums are exact.
template <typename T>
Array<T> RandomDigits(Random* random, int64_t n, int lowest = -9) {
  Array<T> array(n);
  for (int64_t i = 0; i < n; ++i) {
    array[i] = static_cast<T>(static_cast<float>(
        lowest + static_cast<int>(Below(random, 10 - lowest))));
  }
  return array;
}

// Element counts: some of them are enough for several threads.
inline int64_t RandomSize(Random* random) {
  return OneIn(random, 5) ? 150000 + Below(random, 20000)
                          : 1 + Below(random, 300);
}

// A shape of about `numel` elements.
inline phi::DDim RandomDims(Random* random, int64_t numel) {
  std::vector<int64_t> dims;
  for (int rank = 1 + Below(random, 4); rank > 1; --rank) {
    const int64_t dim = 1 + Below(random, OneIn(random, 2) ? 5 : numel);
    dims.push_back(dim);
    numel = std::max<int64_t>(1, numel / dim);
  }
  dims.push_back(numel);
  std::shuffle(dims.begin(), dims.end(), *random);
  return common::make_ddim(dims);
}

// Stops the program unless the bytes are the same.
template <typename T>
void ExpectSame(const char* what,
                const Array<T>& found,
                const Array<T>& expected) {
  for (int64_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) != 0) {
      std::fprintf(stderr,
                   "%s: element %lld of %lld is wrong\n",
                   what,
                   static_cast<long long>(i),
                   static_cast<long long>(expected.size()));
      std::exit(1);
    }
  }
}

// How many threads ParallelFor uses.
void SetThreads(int count);

// One random case of each kernel; the number of kernels.
int CheckMasked(Random* random);
int CheckStrided(Random* random);
int CheckIndexed(Random* random);
int CheckIndexedGrads(Random* random);
void CheckExceptions();

}  // namespace check
