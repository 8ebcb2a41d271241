#ifndef ALLOCATION_HOOK_H
#define ALLOCATION_HOOK_H

// Whether allocations are counted on this platform.
int allocation_hook_is_available(void);
// How many bytes are allocated now, as large as the allocator made them.
long allocation_hook_live_bytes(void);
// How often memory was allocated so far.
long allocation_hook_calls(void);

#endif
