#pragma once
// Swift's Glibc module has neither of these.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// prctl takes a variable argument list, which Swift cannot call. The name is for debuggers and top.
static inline void steady_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
