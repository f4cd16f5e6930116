/* The tools' spellings, recognized by a few words. */
#include "import/copy_name.h"
#include "base/base.h"

#include <string.h>

struct word {
	const char *text;
	int value;
};

/* Finds the first of words that text begins with. Returns its value, or 0 if there is none. */
static int match(const struct word *words, const char *text, size_t length, size_t *used)
{
	for (; words->text; words++) {
		size_t n = strlen(words->text);

		if (n <= length && !memcmp(words->text, text, n)) {
			*used = n;
			return words->value;
		}
	}
	return 0;
}

/* Returns the kind of operation that a name denotes; the ROCm words are whole names. */
static enum dp_op_kind op_kind(const char *name, size_t length)
{
	static const struct word starts[] = {
		{ "Memcpy", DP_OP_COPY },
		{ "[CUDA memcpy", DP_OP_COPY },
		{ "MEMCPY", DP_OP_COPY },
		{ "CopyHostTo", DP_OP_COPY },
		{ "CopyDeviceTo", DP_OP_COPY },
		{ "hipMemcpy", DP_OP_COPY },
		{ "[Unified Memory Memcpy", DP_OP_COPY },
		{ "Memset", DP_OP_MEMSET },
		{ "[CUDA memset", DP_OP_MEMSET },
		{ "MEMSET", DP_OP_MEMSET },
		{ "FillBuffer", DP_OP_MEMSET },
		{ "hipMemset", DP_OP_MEMSET },
		{ NULL, 0 },
	};
	size_t used;

	return (enum dp_op_kind)match(starts, name, length, &used);
}

/* Finds HtoD, DtoH, … anywhere in the name; HostToDevice is the long form. */
static enum dp_copy_kind copy_kind(const char *name, size_t length)
{
	static const struct word kinds[] = {
		{ "HtoD", DP_COPY_HTOD },
		{ "DtoH", DP_COPY_DTOH },
		{ "DtoD", DP_COPY_DTOD },
		{ "HtoH", DP_COPY_HTOH },
		{ "PtoP", DP_COPY_PTOP },
		{ "HtoA", DP_COPY_HTOA },
		{ "AtoH", DP_COPY_ATOH },
		{ "AtoA", DP_COPY_ATOA },
		{ "AtoD", DP_COPY_ATOD },
		{ "DtoA", DP_COPY_DTOA },
		{ "HostToDevice", DP_COPY_HTOD },
		{ "DeviceToHost", DP_COPY_DTOH },
		{ "DeviceToDevice", DP_COPY_DTOD },
		{ "HostToHost", DP_COPY_HTOH },
		{ "H2D", DP_COPY_HTOD },
		{ "D2H", DP_COPY_DTOH },
		{ "D2D", DP_COPY_DTOD },
		{ "H2H", DP_COPY_HTOH },
		{ "P2P", DP_COPY_PTOP },
		{ NULL, 0 },
	};
	size_t used;
	int kind;

	for (size_t i = 0; i + 3 <= length; i++) {
		kind = match(kinds, name + i, length - i, &used);
		if (kind)
			return (enum dp_copy_kind)kind;
	}
	return DP_COPY_UNKNOWN;
}

static enum dp_memory_kind memory_kind(const char *text, size_t length, size_t *used)
{
	static const struct word kinds[] = {
		{ "Pageable", DP_MEMORY_PAGEABLE },
		{ "Pinned", DP_MEMORY_PINNED },
		{ "Device Static", DP_MEMORY_DEVICE_STATIC },
		{ "Device", DP_MEMORY_DEVICE },
		{ "Array", DP_MEMORY_ARRAY },
		{ "Managed Static", DP_MEMORY_MANAGED_STATIC },
		{ "Managed", DP_MEMORY_MANAGED },
		{ NULL, 0 },
	};

	*used = 0;
	return (enum dp_memory_kind)match(kinds, text, length, used);
}

/* Reads "(Pageable -> Device)" or "(Device)". ROCm's Host may be either kind of host memory. */
static void memory_kinds(struct dp_copy_name *found, const char *name, size_t length)
{
	const char *open = memchr(name, '(', length), *end = name + length, *p;
	size_t used;

	if (!open)
		return;
	p = open + 1;
	found->dst = memory_kind(p, (size_t)(end - p), &used);
	for (p += used; p < end && *p != '>'; p++)
		if (*p == ')')
			return;
	if (end - p < 2)
		return;
	found->src = found->dst;
	p += 2;
	found->dst = memory_kind(p, (size_t)(end - p), &used);
}

struct dp_copy_name dp_copy_name__read(const char *name, size_t length)
{
	struct dp_copy_name found = { .op = op_kind(name, length) };

	if (found.op == DP_OP_KERNEL)
		return found;
	if (found.op == DP_OP_COPY)
		found.kind = copy_kind(name, length);
	memory_kinds(&found, name, length);
	return found;
}
