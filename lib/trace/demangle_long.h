/* Mangled names that are too long for the C++ runtime's demangler. */
#ifndef DP_TRACE_DEMANGLE_LONG_H
#define DP_TRACE_DEMANGLE_LONG_H

#include "base/base.h"

/*
 * The plain form of a mangled name (Itanium C++ ABI, chapter 5.1) in *out, for free(), as
 * __cxa_demangle() writes it; NULL where the name has what this does not know, or the plain form
 * would be longer than `most` bytes. Known are the names of kernels: nested names and templates,
 * their arguments (types, packs, numbers), pointers, references and parameters. Not known are
 * expressions, operators, lambdas, and pointers to functions and members. Errors: DP_ERR_NOMEM.
 * Cost: linear in the name and in `most`.
 */
int dp_name__demangle_long(char **out, const char *mangled, size_t most);

#endif
