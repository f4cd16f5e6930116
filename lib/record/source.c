/* The texts of a spool, and their ids in the trace file. */
#include "record/convert.h"

#include <string.h>

int dp_source__text(struct dp_source *source, const char *text, size_t length, int64_t *id)
{
	uint32_t known = dp_strings__intern(&source->convert->strings, text, length);

	if (known == DP_NONE)
		return dp_error__nomem(source->convert->error, 0);
	*id = (int64_t)known + 1;
	return DP_OK;
}

int dp_source__string(struct dp_source *source, uint32_t string, int64_t *id)
{
	const char *text;
	size_t length, before = source->name_room;
	int status;

	*id = string && string < source->name_room ? source->names[string] : 0;
	if (!string || *id)
		return DP_OK;
	text = dp_spool__string(source->spool, string, &length);
	status = dp_source__text(source, text, strnlen(text, length), id);
	/* A string that the spool lacks is not stored: its number may be anything. */
	if (status || !length)
		return status;
	if (dp_array__reserve(&source->names, &source->name_room, (size_t)string + 1,
			      sizeof(*source->names)))
		return dp_error__nomem(source->convert->error, 0);
	if (source->name_room > before)
		memset(source->names + before, 0,
		       (source->name_room - before) * sizeof(*source->names));
	source->names[string] = (uint32_t)*id;
	return DP_OK;
}
