/* The only table of communication kernels: streams, metrics and reports all ask here. */
#include "base/communication.h"
#include "base/base.h"

#include <string.h>

bool dp_communication__is_kernel(const char *name)
{
	static const char *const prefixes[] = { "nccl", "rccl", "hccl", "msccl" };

	if (!strncmp(name, "void ", 5))
		name += 5;
	for (size_t i = 0; i < DP_COUNT(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}
