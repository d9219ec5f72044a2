// OpenMP's threads as a sanitizer knows threads: it would not see how a
// ready-made runtime orders its own. check_sanitizers.py links this into the
// module.

#include <omp.h>

#include <thread>  // NOLINT
#include <vector>

namespace {
thread_local bool in_parallel = false;
}  // namespace

extern "C" {

int omp_in_parallel() { return in_parallel; }

// What a compiler makes of "omp parallel".
void GOMP_parallel(void (*body)(void*), void* data, unsigned, unsigned) {
  const auto run = [=] {
    in_parallel = true;
    body(data);
    in_parallel = false;
  };
  std::vector<std::thread> others;
  for (int i = 1; i < omp_get_max_threads(); ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // extern "C"
