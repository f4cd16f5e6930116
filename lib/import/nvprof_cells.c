/* The texts in nvprof's cells. */
#include "import/nvprof_cells.h"
#include "base/base.h"

bool dp_nvprof__whole(struct dp_slice text, int64_t *value)
{
	int64_t sum = 0;

	if (!text.length || text.length > 18)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
		sum = sum * 10 + (text.at[i] - '0');
	}
	*value = sum;
	return true;
}

/* Splits "GeForce GTX 950 (0)" or "0" into a number and the length of the name before it. */
bool dp_nvprof__numbered(struct dp_slice text, int64_t *number, size_t *name_length)
{
	size_t open;
	struct dp_slice inner;

	*name_length = 0;
	if (dp_nvprof__whole(text, number))
		return true;
	if (text.length < 3 || text.at[text.length - 1] != ')')
		return false;
	for (open = text.length - 1; open > 0 && text.at[open] != '('; open--)
		;
	inner.at = text.at + open + 1;
	inner.length = text.length - open - 2;
	if (text.at[open] != '(' || !dp_nvprof__whole(inner, number))
		return false;
	while (open > 0 && text.at[open - 1] == ' ')
		open--;
	*name_length = open;
	return true;
}

uint64_t dp_nvprof__time_unit(struct dp_slice text)
{
	if (dp_slice__is(text, "ns"))
		return 1;
	if (dp_slice__is(text, "us"))
		return 1000;
	if (dp_slice__is(text, "ms"))
		return 1000000;
	return dp_slice__is(text, "s") ? 1000000000 : 0;
}

/* Units are binary, whatever the letters say: 0.000019 MB is 20 B. */
uint64_t dp_nvprof__size_unit(struct dp_slice text)
{
	if (dp_slice__is(text, "B") || !text.length)
		return 1;
	if (dp_slice__is(text, "KB"))
		return 1 << 10;
	if (dp_slice__is(text, "MB"))
		return 1 << 20;
	return dp_slice__is(text, "GB") ? 1 << 30 : 0;
}

enum dp_copy_kind dp_nvprof__copy_kind(struct dp_slice name, bool unified)
{
	static const char *const words[] = {
		[DP_COPY_HTOD] = "HtoD", [DP_COPY_DTOH] = "DtoH", [DP_COPY_HTOA] = "HtoA",
		[DP_COPY_ATOH] = "AtoH", [DP_COPY_ATOA] = "AtoA", [DP_COPY_ATOD] = "AtoD",
		[DP_COPY_DTOA] = "DtoA", [DP_COPY_DTOD] = "DtoD", [DP_COPY_HTOH] = "HtoH",
		[DP_COPY_PTOP] = "PtoP",
	};

	for (size_t i = 1; i < DP_COUNT(words); i++) {
		if (!dp_slice__has(name, words[i]))
			continue;
		if (!unified)
			return (enum dp_copy_kind)i;
		switch (i) {
		case DP_COPY_HTOD:
			return DP_COPY_UM_HTOD;
		case DP_COPY_DTOH:
			return DP_COPY_UM_DTOH;
		case DP_COPY_DTOD:
			return DP_COPY_UM_DTOD;
		default:
			return DP_COPY_UNKNOWN;
		}
	}
	return DP_COPY_UNKNOWN;
}

enum dp_memory_kind dp_nvprof__memory_kind(struct dp_slice text)
{
	static const struct {
		const char *word;
		enum dp_memory_kind kind;
	} kinds[] = {
		{ "Device", DP_MEMORY_DEVICE },
		{ "Pageable", DP_MEMORY_PAGEABLE },
		{ "Pinned", DP_MEMORY_PINNED },
		{ "Array", DP_MEMORY_ARRAY },
		{ "Managed", DP_MEMORY_MANAGED },
		{ "Unified", DP_MEMORY_MANAGED },
		{ "Device Static", DP_MEMORY_DEVICE_STATIC },
		{ "Managed Static", DP_MEMORY_MANAGED_STATIC },
	};

	for (size_t i = 0; text.length && i < DP_COUNT(kinds); i++)
		if (dp_slice__is(text, kinds[i].word))
			return kinds[i].kind;
	return DP_MEMORY_UNKNOWN;
}

/*
 * Without the column Correlation_ID, kernel names end with the id: "name [218]". Removes it; if the
 * column exists, only if it has the same id.
 */
struct dp_slice dp_nvprof__correlation(struct dp_slice name, uint32_t *correlation)
{
	size_t open = name.length;
	struct dp_slice digits;
	int64_t id;

	if (name.length < 4 || name.at[name.length - 1] != ']')
		return name;
	while (open > 0 && name.at[open - 1] != '[')
		open--;
	digits.at = name.at + open;
	digits.length = name.length - 1 - open;
	if (open < 3 || name.at[open - 2] != ' ' || !dp_nvprof__whole(digits, &id) ||
	    id > UINT32_MAX || (*correlation && *correlation != (uint32_t)id))
		return name;
	*correlation = (uint32_t)id;
	name.length = open - 2;
	return name;
}
