/* Demangles names that are too long for the C++ runtime's demangler. */
#ifndef DP_TRACE_DEMANGLE_LONG_H
#define DP_TRACE_DEMANGLE_LONG_H

#include "base/base.h"

/*
 * Sets *out to the plain form of a mangled name (Itanium C++ ABI, chapter 5.1) as __cxa_demangle()
 * writes it; the caller calls free(). *out is NULL if the name has unsupported parts, or the plain
 * form would exceed `most` bytes or take more than as many steps. Supported are the names of kernels: nested names and templates,
 * their arguments (types, packs, numbers), pointers, references and parameters. Not supported are
 * expressions, operators, lambdas, and pointers to functions and members. Errors: DP_ERR_NOMEM.
 * Cost: linear in the name and in `most`.
 */
int dp_name__demangle_long(char **out, const char *mangled, size_t most);

#endif
