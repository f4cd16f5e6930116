/* The C++ runtime's own demangler: it follows the compilers. */
#include "trace/demangle.h"

#include <string.h>

/* Its work and stack grow with the name; no compiler's kernel name comes near this. */
#define LONGEST 65536

/* Itanium C++ ABI, 3.4: in every C++ runtime library, without a C header. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *length, int *status);

int dp_name__demangle(char **out, const char *mangled)
{
	int status = 0;

	*out = NULL;
	if (strncmp(mangled, "_Z", 2) || strlen(mangled) > LONGEST)
		return DP_OK;
	*out = __cxa_demangle(mangled, NULL, NULL, &status);
	return status == -1 ? DP_ERR_NOMEM : DP_OK;
}
