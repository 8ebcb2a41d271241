// Counts allocations: redefines the allocator's functions, which a program may do, and calls glibc's under their other
// names.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "AllocationHook.h"

#include <stddef.h>
#if defined(__linux__)
// Defines whether this is glibc.
#include <features.h>
#endif

#if defined(__linux__) && defined(__GLIBC__)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static atomic_long live_bytes;
static atomic_long calls;

static void *added(void *memory) {
  if (memory) {
    atomic_fetch_add_explicit(&live_bytes, (long)malloc_usable_size(memory), memory_order_relaxed);
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
  }
  return memory;
}

static void removed(size_t size) { atomic_fetch_sub_explicit(&live_bytes, (long)size, memory_order_relaxed); }

void *malloc(size_t size) { return added(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return added(__libc_calloc(count, size)); }

void *realloc(void *memory, size_t size) {
  size_t old_size = memory ? malloc_usable_size(memory) : 0;
  void *result = __libc_realloc(memory, size);
  if (result || size == 0) removed(old_size);
  return added(result);
}

void free(void *memory) {
  if (memory) removed(malloc_usable_size(memory));
  __libc_free(memory);
}

void *memalign(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *memory = added(__libc_memalign(alignment, size));
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

int allocation_hook_is_available(void) { return 1; }
long allocation_hook_live_bytes(void) { return atomic_load_explicit(&live_bytes, memory_order_relaxed); }
long allocation_hook_calls(void) { return atomic_load_explicit(&calls, memory_order_relaxed); }

#else

int allocation_hook_is_available(void) { return 0; }
long allocation_hook_live_bytes(void) { return 0; }
long allocation_hook_calls(void) { return 0; }

#endif
