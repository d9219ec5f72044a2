// OpenMP regions on std::thread for ThreadSanitizer, which does not see the
// synchronization in an uninstrumented OpenMP runtime. check_sanitizers.py
// links this file into the module.

#include <omp.h>

#include <thread>  // NOLINT
#include <vector>

namespace {
thread_local bool in_parallel = false;
thread_local int thread_number = 0;
}  // namespace

extern "C" {

int omp_in_parallel() { return in_parallel; }
int omp_get_thread_num() { return thread_number; }

// The compiler emits calls of this function for "omp parallel".
void GOMP_parallel(void (*body)(void*), void* data, unsigned, unsigned) {
  const auto run = [=](int number) {
    in_parallel = true;
    thread_number = number;
    body(data);
    in_parallel = false;
  };
  std::vector<std::thread> others;
  for (int i = 1; i < omp_get_max_threads(); ++i) others.emplace_back(run, i);
  run(0);
  for (std::thread& other : others) other.join();
}

}  // extern "C"
