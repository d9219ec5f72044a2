// OpenMP regions on std::thread for ThreadSanitizer, which does not see the
// synchronization in an uninstrumented OpenMP runtime. check_sanitizers.py
// links this file into the module.

#include <omp.h>

#include <thread>  // NOLINT
#include <vector>

namespace {
thread_local int thread_number = 0;
thread_local int num_threads = 1;
}  // namespace

extern "C" {

int omp_in_parallel() { return num_threads > 1; }
int omp_get_thread_num() { return thread_number; }
int omp_get_num_threads() { return num_threads; }

// The compiler emits calls of this function for "omp parallel".
void GOMP_parallel(void (*body)(void*), void* data, unsigned, unsigned) {
  const int count = omp_get_max_threads();
  const auto run = [=](int number) {
    thread_number = number;
    num_threads = count;
    body(data);
    num_threads = 1;
  };
  std::vector<std::thread> others;
  for (int i = 1; i < count; ++i) others.emplace_back(run, i);
  run(0);
  for (std::thread& other : others) other.join();
}

}  // extern "C"
