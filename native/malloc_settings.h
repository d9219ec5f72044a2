// How long malloc keeps the memory of outputs that are freed.

#pragma once

namespace native_ops {

// Obeys FLAGS_scatter_ops_reuse_freed_blocks; called once, at import.
void SettleMalloc();

}  // namespace native_ops
