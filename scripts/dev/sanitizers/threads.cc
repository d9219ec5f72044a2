// OpenMP's functions, as far as the kernels call them, on threads that a
// sanitizer knows: it would not see how a ready-made runtime orders its own.

#include <thread>  // NOLINT
#include <vector>

#include "call.h"

namespace {

int threads = 1;
thread_local bool in_parallel = false;

}  // namespace

CHECKED void set_threads(int count) { threads = count; }

extern "C" {

int omp_get_max_threads() { return threads; }
int omp_in_parallel() { return in_parallel; }

// What a compiler makes of "omp parallel".
void GOMP_parallel(void (*body)(void*), void* data, unsigned, unsigned) {
  const auto run = [=] {
    in_parallel = true;
    body(data);
    in_parallel = false;
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // extern "C"
