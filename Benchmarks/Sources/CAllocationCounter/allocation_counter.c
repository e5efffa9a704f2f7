#include "allocation_counter.h"

#include <errno.h>
#include <stddef.h>

#ifdef __GLIBC__

// Definitions in the executable come before those of the C library for every library of the process, the Swift runtime
// included. The library's own are reached by their internal names, which glibc exports.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local uint64_t count;

uint64_t allocation_count(void) { return count; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count++;
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
#else
uint64_t allocation_count(void) { return UINT64_MAX; }
#endif
