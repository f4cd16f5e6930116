/* Plain forms of mangled C++ names (Itanium ABI). */
#ifndef DP_TRACE_DEMANGLE_H
#define DP_TRACE_DEMANGLE_H

#include "base/base.h"

/*
 * Sets *out to the demangled form of a name that starts with _Z; the caller frees it. *out is NULL
 * if it is not a mangled name, or its plain form would be longer than any compiler's. Errors:
 * DP_ERR_NOMEM.
 */
int dp_name__demangle(char **out, const char *mangled);

#endif
