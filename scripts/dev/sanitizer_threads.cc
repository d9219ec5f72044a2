// OpenMP's threads as a sanitizer knows threads: it would not see how a
// ready-made runtime orders its own. check_sanitizers.py links this into the
// module.

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

// What a compiler makes of "omp parallel".
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
