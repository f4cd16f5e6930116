/* Rows of rocprof's traces, by name. */
#include "import/kineto_rocprof.h"

#include <string.h>

static const struct known_row {
	const char *name;
	enum dp_kineto_class class;
	bool indexed;
} known_rows[] = {
	{ "COPY", DP_KINETO_COPY, true },
	{ "CPU HIP API", DP_KINETO_CALL, true },
	{ "CPU HSA API", DP_KINETO_CALL, false },
	{ "Markers and Ranges", DP_KINETO_NVTX, false },
};

static bool names_row(const struct dp_chrome_event *event)
{
	uint32_t need = DP_CHROME_NAME | DP_CHROME_PID | DP_CHROME_ARG_NAME;

	return (event->has & need) == need && dp_json__is(&event->name, "process_name");
}

static const struct known_row *known_row(const struct dp_json_text *name)
{
	for (size_t i = 0; i < DP_COUNT(known_rows); i++)
		if (dp_json__is(name, known_rows[i].name))
			return &known_rows[i];
	return NULL;
}

bool dp_kineto_rocprof__is_row(const struct dp_chrome_event *event)
{
	return names_row(event) && known_row(&event->arg_name);
}

void dp_kineto_rocprof__note(struct dp_kineto_rocprof *rocprof, const struct dp_chrome_event *event)
{
	const struct dp_json_text *name = &event->arg_name;
	struct dp_kineto_rocprof_row row = { event->pid, -1, DP_KINETO_NONE, false };
	const struct known_row *known;

	if (!names_row(event) || rocprof->count >= DP_COUNT(rocprof->rows))
		return;
	known = known_row(name);
	if (known) {
		row.class = known->class;
		row.indexed = known->indexed;
	}
	/* rocprof writes "GPU0", Kineto "GPU 0". */
	if (name->length > 3 && !memcmp(name->at, "GPU", 3) && name->at[3] >= '0' &&
	    name->at[3] <= '9') {
		row.class = DP_KINETO_KERNEL;
		row.device = dp_json__last_number(name);
		row.indexed = true;
	}
	if (row.class != DP_KINETO_NONE)
		rocprof->rows[rocprof->count++] = row;
}

static const struct dp_kineto_rocprof_row *row_of(const struct dp_kineto_rocprof *rocprof,
						  int64_t pid)
{
	for (size_t i = 0; i < rocprof->count; i++)
		if (rocprof->rows[i].pid == pid)
			return &rocprof->rows[i];
	return NULL;
}

enum dp_kineto_class dp_kineto_rocprof__read(const struct dp_kineto_rocprof *rocprof,
					     struct dp_chrome_event *event)
{
	const struct dp_kineto_rocprof_row *row =
		event->has & DP_CHROME_PID ? row_of(rocprof, event->pid) : NULL;

	if (!row)
		return DP_KINETO_NONE;
	if (row->class == DP_KINETO_KERNEL && event->has & DP_CHROME_NAME &&
	    dp_json__is(&event->name, "<barrier packet>"))
		return DP_KINETO_SKIP;
	if (row->indexed && event->has & DP_CHROME_INDEX && event->index >= 0 &&
	    event->index < INT64_MAX) {
		event->has |= DP_CHROME_CORRELATION;
		event->correlation = event->index + 1;
	}
	if (row->device >= 0) {
		event->has |= DP_CHROME_DEVICE;
		event->device = row->device;
	} else if (row->class == DP_KINETO_COPY && !(event->has & DP_CHROME_DEVICE)) {
		event->has |= DP_CHROME_DEVICE;
		event->device = 0;
	}
	/* Rows are not processes. */
	event->pid = -1;
	return row->class;
}
