#ifndef ALLOCATION_HOOK_H
#define ALLOCATION_HOOK_H

// Whether allocations are counted on this platform.
int allocation_hook_is_available(void);
// The number of bytes that are allocated now, in the sizes that the allocator chose.
long allocation_hook_live_bytes(void);
// The number of bytes that are allocated now, in the sizes that were requested.
long allocation_hook_requested_bytes(void);
// The number of allocations so far.
long allocation_hook_calls(void);

#endif
