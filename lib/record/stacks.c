#include "record/stacks.h"
#include "base/lookup.h"
#include "base/strings.h"

#include <stdio.h>
#include <string.h>

/* Addresses whose functions are remembered: 3 MB. Then all are forgotten: programs change. */
enum { ADDRESSES_MAX = 1 << 16 };

struct dp_stacks {
	struct dp_stacks_sink sink;
	struct dp_code_files *files;
	struct dp_strings functions; /* their modules and names, with a line break between */
	struct dp_lookup addresses;  /* by process and address: the id of a function */
	struct dp_lookup entries;    /* by parent and function: the id of an entry */
	uint64_t refused;
};

struct dp_stacks *dp_stacks__new(const struct dp_stacks_sink *sink)
{
	struct dp_stacks *made = dp_alloc__zeroed(1, sizeof(*made));

	if (!made)
		return NULL;
	made->sink = *sink;
	made->files = dp_code_files__new();
	if (made->files)
		return made;
	free(made);
	return NULL;
}

void dp_stacks__free(struct dp_stacks *stacks)
{
	if (!stacks)
		return;
	dp_code_files__free(stacks->files);
	dp_strings__fini(&stacks->functions);
	dp_lookup__fini(&stacks->addresses);
	dp_lookup__fini(&stacks->entries);
	free(stacks);
}

/* Returns the id of the function at an address, DP_NONE if it is unknown. */
static uint32_t find_function(struct dp_stacks *stacks, struct dp_mappings *mappings,
			      uint32_t process, uint64_t address)
{
	struct dp_key key = { { process, (int64_t)address } };
	uint32_t function = dp_lookup__get(&stacks->addresses, &key);
	char text[sizeof(struct dp_code_name) + 2];
	struct dp_code_name code;

	if (function != DP_NONE || stacks->functions.count >= DP_STACKS_MAX ||
	    !dp_code__find(stacks->files, mappings, address, &code))
		return function;
	snprintf(text, sizeof(text), "%s\n%s", code.module, code.name);
	function = dp_strings__intern(&stacks->functions, text, strlen(text));
	if (stacks->addresses.count >= ADDRESSES_MAX) {
		dp_lookup__fini(&stacks->addresses);
		memset(&stacks->addresses, 0, sizeof(stacks->addresses));
	}
	if (function != DP_NONE && dp_lookup__set(&stacks->addresses, &key, function))
		return DP_NONE;
	return function;
}

static void put_entry(const struct dp_stacks *stacks, uint32_t parent, uint32_t function)
{
	const char *text = dp_strings__get(&stacks->functions, function);
	const char *name = strchr(text, '\n');
	struct dp_code_name code;

	snprintf(code.module, sizeof(code.module), "%.*s", (int)(name - text), text);
	snprintf(code.name, sizeof(code.name), "%s", name + 1);
	stacks->sink.put(stacks->sink.ctx, parent, &code);
}

/* Returns the id of a function called by another entry, 0 if there is no room. */
static uint32_t find_entry(struct dp_stacks *stacks, uint32_t parent, uint32_t function)
{
	struct dp_key key = { { parent, function } };
	uint32_t entry = dp_lookup__get(&stacks->entries, &key);

	if (entry != DP_NONE)
		return entry;
	entry = (uint32_t)stacks->entries.count + 1;
	if (entry > DP_STACKS_MAX || dp_lookup__set(&stacks->entries, &key, entry))
		return 0;
	put_entry(stacks, parent, function);
	return entry;
}

uint32_t dp_stacks__find(struct dp_stacks *stacks, struct dp_mappings *mappings, uint32_t process,
			 const uint64_t *addresses, size_t count)
{
	uint32_t entry = 0;

	for (size_t i = count; i-- > 0;) {
		/* a caller's address is behind its call, and may be that of the next function */
		uint32_t function =
			find_function(stacks, mappings, process, addresses[i] - (i > 0));

		if (function == DP_NONE && stacks->functions.count >= DP_STACKS_MAX) {
			stacks->refused++;
			return 0;
		}
		if (function == DP_NONE)
			continue;
		entry = find_entry(stacks, entry, function);
		if (!entry) {
			stacks->refused++;
			return 0;
		}
	}
	return entry;
}

uint64_t dp_stacks__refused(const struct dp_stacks *stacks)
{
	return stacks->refused;
}
