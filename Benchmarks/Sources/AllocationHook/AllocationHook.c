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
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static atomic_long live_bytes;
static atomic_long calls;

// The sizes that were requested, which the allocator does not keep: a table of the live blocks, in which a block is at the
// position of its address, or behind it as far as positions are taken.
enum { table_bits = 22, positions = 1 << table_bits };
static struct {
  void *memory;
  size_t size;
} table[positions];
static atomic_flag is_table_busy = ATOMIC_FLAG_INIT;
static long requested_bytes;
static long entries;

static size_t position(void *memory) {
  return (size_t)(((unsigned long)memory >> 4) * 0x9e3779b97f4a7c15ul >> (64 - table_bits));
}

static void lock_table(void) {
  while (atomic_flag_test_and_set_explicit(&is_table_busy, memory_order_acquire)) {}
}

static void unlock_table(void) { atomic_flag_clear_explicit(&is_table_busy, memory_order_release); }

static void remember(void *memory, size_t size) {
  lock_table();
  // The table never becomes full, or else searching would not end.
  if (++entries > positions / 4 * 3) __builtin_trap();
  size_t place = position(memory);
  while (table[place].memory) place = (place + 1) % positions;
  table[place].memory = memory;
  table[place].size = size;
  requested_bytes += (long)size;
  unlock_table();
}

static void forget(void *memory) {
  lock_table();
  size_t place = position(memory);
  while (table[place].memory && table[place].memory != memory) place = (place + 1) % positions;
  // Blocks that were allocated by other means are not in the table.
  if (table[place].memory) {
    entries--;
    requested_bytes -= (long)table[place].size;
    // Those behind it that would not be found across the gap are moved up.
    for (size_t next = (place + 1) % positions; table[next].memory; next = (next + 1) % positions) {
      if ((next - position(table[next].memory)) % positions >= (next - place) % positions) {
        table[place] = table[next];
        place = next;
      }
    }
    table[place].memory = NULL;
  }
  unlock_table();
}

static void *added(void *memory, size_t size) {
  if (memory) {
    atomic_fetch_add_explicit(&live_bytes, (long)malloc_usable_size(memory), memory_order_relaxed);
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    remember(memory, size);
  }
  return memory;
}

static void removed(void *memory, size_t size) {
  if (!memory) return;
  atomic_fetch_sub_explicit(&live_bytes, (long)size, memory_order_relaxed);
  forget(memory);
}

void *malloc(size_t size) { return added(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) { return added(__libc_calloc(count, size), count * size); }

void *realloc(void *memory, size_t size) {
  // Allocated and released as two blocks: between the release of the old one and its removal from the table, another
  // thread could be given the same address.
  void *result = size == 0 ? NULL : malloc(size);
  if (size != 0 && !result) return NULL;
  if (memory) {
    size_t old_size = malloc_usable_size(memory);
    if (result) memcpy(result, memory, old_size < size ? old_size : size);
    free(memory);
  }
  return result;
}

void free(void *memory) {
  if (memory) removed(memory, malloc_usable_size(memory));
  __libc_free(memory);
}

void *memalign(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size), size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *memory = added(__libc_memalign(alignment, size), size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

int allocation_hook_is_available(void) { return 1; }
long allocation_hook_live_bytes(void) { return atomic_load_explicit(&live_bytes, memory_order_relaxed); }
long allocation_hook_requested_bytes(void) {
  lock_table();
  long bytes = requested_bytes;
  unlock_table();
  return bytes;
}
long allocation_hook_calls(void) { return atomic_load_explicit(&calls, memory_order_relaxed); }

#else

int allocation_hook_is_available(void) { return 0; }
long allocation_hook_live_bytes(void) { return 0; }
long allocation_hook_requested_bytes(void) { return 0; }
long allocation_hook_calls(void) { return 0; }

#endif
