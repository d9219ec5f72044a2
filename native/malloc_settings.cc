#include "malloc_settings.h"

#include <cstddef>
#include <cstdlib>

#include "paddle/common/flags.h"

/**
 * Memory of freed outputs
 * Name: FLAGS_scatter_ops_reuse_freed_blocks
 * Value Range: bool, default=false
 * Note: Paddle takes the memory of each output from malloc and gives it back.
 *       glibc returns a block of more than 128 KiB to the system at once, so
 *       the next output is made of fresh pages, which takes several times as
 *       long as filling it. Once a larger block, up to 32 MiB, was freed, glibc
 *       keeps smaller ones; a loop that makes outputs of one size never gets
 *       there. With this flag the process starts where one is that has freed a
 *       block of nearly 32 MiB. This holds for all of the process, so it is the
 *       user's choice: at the end of the heap up to 64 MiB stay, and free
 * blocks in front of one that is in use. Read once, when paddle is imported.
 */
PHI_DEFINE_EXPORTED_bool(
    scatter_ops_reuse_freed_blocks,
    false,
    "Whether malloc keeps freed blocks of up to 32 MiB from the start of the "
    "process, as glibc does after a block of that size was freed. Outputs of "
    "0.1 to 32 MiB are then not made of fresh pages each time. Read once, when "
    "paddle is imported.");

namespace native_ops {

void SettleMalloc() {
  // The largest block that glibc learns from, less its own bookkeeping.
  constexpr size_t kLargest = (size_t{32} << 20) - (size_t{64} << 10);
  if (!FLAGS_scatter_ops_reuse_freed_blocks) return;
  // volatile: or the compiler leaves both calls out. No page is touched.
  void* volatile block = std::malloc(kLargest);
  std::free(block);
}

}  // namespace native_ops
