/* C++ names (Itanium ABI) as a reader writes them. */
#ifndef DP_TRACE_DEMANGLE_H
#define DP_TRACE_DEMANGLE_H

#include "base/base.h"

/*
 * *out is the demangled form of a name that starts with _Z, the caller's; NULL where it is none,
 * or would be longer than any compiler's. Errors: DP_ERR_NOMEM.
 */
int dp_name__demangle(char **out, const char *mangled);

#endif
