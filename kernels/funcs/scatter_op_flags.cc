// Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

#include "paddle/common/flags.h"

/**
 * Huge pages for the outputs of the masked and scatter operators on CPU
 * Name: FLAGS_scatter_ops_use_huge_pages
 * Value Range: bool, default=true
 * Note: Filling a fresh output of many megabytes spends most of its time on
 *       page faults of 4 KiB. So these operators ask Linux for transparent
 *       huge pages, with three limits: only for outputs of 4 MiB and more, only
 *       for the whole 2 MiB pages inside the output, so that no neighbour in
 *       memory is affected, and only as madvise does it, so that the setting of
 *       the machine (/sys/kernel/mm/transparent_hugepage/enabled) has the last
 *       word: with `never` nothing happens, with `always` nothing changes.
 *       Resident memory does not grow, because the output is written as a
 *       whole; the advice stays with the addresses until the allocator gives
 *       them back. Turn it off where the time that Linux takes to find huge
 *       pages on a fragmented machine matters more.
 */
PHI_DEFINE_EXPORTED_bool(
    scatter_ops_use_huge_pages,
    true,
    "Whether masked_scatter, masked_fill, select_scatter, diagonal_scatter and "
    "scatter on CPU ask Linux (madvise) for transparent huge pages inside "
    "outputs of 4 MiB and more. It saves page faults and changes no result.");

/**
 * Keeping the pages of freed outputs of the masked and scatter operators on CPU
 * Name: FLAGS_scatter_ops_keep_pages
 * Value Range: bool, default=true
 * Note: glibc gives large freed blocks back to Linux until it has seen the
 *       program free blocks of such a size; a loop that makes an output of
 *       1 MiB may then get fresh pages for each, whose faults cost more than
 *       filling them. So the first output of 512 KiB to 32 MiB is preceded by
 *       allocating and freeing 32 MiB, unwritten, which is how glibc learns:
 *       from then on it keeps up to 64 MiB of freed memory at the end of the
 *       heap for the next allocation, of this process alone, and gives back
 *       what is more. It does not learn if MALLOC_TRIM_THRESHOLD_,
 *       MALLOC_MMAP_THRESHOLD_, MALLOC_TOP_PAD_ or MALLOC_MMAP_MAX_ is set:
 *       that choice stands. Blocks from 32 MiB on glibc always gives back: of
 *       freed outputs of that size these operators themselves keep the last
 *       ones, 8 at most and 256 MiB in all, for their next outputs. Turn it
 *       off in the environment where that memory matters more; turned off by
 *       paddle.set_flags, it frees what these operators keep before the next
 *       output of 512 KiB or more, and leaves glibc as it is.
 */
PHI_DEFINE_EXPORTED_bool(
    scatter_ops_keep_pages,
    true,
    "Whether masked_scatter, masked_fill, select_scatter, diagonal_scatter and "
    "scatter on CPU have glibc keep up to 64 MiB of freed memory for the next "
    "outputs of 512 KiB to 32 MiB, and keep up to 256 MiB of freed outputs "
    "from 32 MiB on themselves. It saves page faults and changes no result.");

/**
 * Vector loops of the masked and scatter operators on CPU
 * Name: FLAGS_scatter_ops_use_avx2
 * Value Range: bool, default=true
 * Note: Whether the CPU has AVX2 is asked at run time; without it the portable
 *       loops run. This flag chooses them where AVX2 is there: to test that the
 *       bits are the same, or to rule the vector loops out as the cause of a
 *       fault. With AVX2, outputs of 32 MiB and more are stored past the caches
 *       where their pages are there already; turn it off to measure without.
 */
PHI_DEFINE_EXPORTED_bool(
    scatter_ops_use_avx2,
    true,
    "Whether masked_scatter, masked_fill and scatter on CPU use their AVX2 "
    "loops where the CPU has AVX2, and whether these and select_scatter and "
    "diagonal_scatter store outputs of 32 MiB and more past the caches. The "
    "portable loops and ordinary stores give the same bits.");
