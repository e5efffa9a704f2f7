#pragma once
#include <stdint.h>

/// How many blocks the calling thread has allocated since it started, by whatever way: malloc, calloc, realloc to
/// another block or the aligned forms. UINT64_MAX where allocations cannot be counted (anything but glibc).
uint64_t allocation_count(void);
