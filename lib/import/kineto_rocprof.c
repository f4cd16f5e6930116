/* Rows of rocprof's traces, by name. */
#include "import/kineto_rocprof.h"

#include <string.h>

#define MICROSECOND_NS 1000

/* By how much times in whole microseconds differ from exact ones at most: both ends are cut off. */
#define ROUNDING_NS (2 * MICROSECOND_NS)

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

/* Returns true if two times are the same but for rounding. None is negative. */
static bool agree(int64_t exact_ns, int64_t rounded_ns)
{
	return exact_ns - rounded_ns <= ROUNDING_NS && rounded_ns - exact_ns <= ROUNDING_NS;
}

/*
 * Replaces an event's times by the exact ones, unless these are missing or of another time: kernels
 * of a few microseconds would seem to have gaps between them.
 */
static void use_exact_times(struct dp_kineto_rocprof *rocprof, struct dp_chrome_event *event)
{
	int64_t start_ns = event->exact_start_ns, duration_ns;

	if (!(event->has & DP_CHROME_START) || event->start_ns < 0 || start_ns < event->start_ns ||
	    event->exact_end_ns < start_ns)
		return;
	/* neither is negative */
	duration_ns = event->exact_end_ns - start_ns;
	if (event->has & DP_CHROME_DURATION &&
	    (event->duration_ns < 0 || !agree(duration_ns, event->duration_ns)))
		return;
	if (!rocprof->offset_known) {
		rocprof->offset_ns = start_ns - event->start_ns;
		/* less than what was cut off: the same clock */
		if (rocprof->offset_ns < MICROSECOND_NS)
			rocprof->offset_ns = 0;
		rocprof->offset_known = true;
	}
	start_ns -= rocprof->offset_ns;
	if (start_ns < 0 || !agree(start_ns, event->start_ns))
		return;
	event->start_ns = start_ns;
	event->duration_ns = duration_ns;
	event->has |= DP_CHROME_DURATION;
}

/* Barriers have one of two names, depending on the version, and run nothing. */
static bool is_barrier(const struct dp_chrome_event *event)
{
	return event->has & DP_CHROME_NAME && (dp_json__is(&event->name, "<barrier packet>") ||
					       dp_json__is(&event->name, "Unknown command type"));
}

enum dp_kineto_class dp_kineto_rocprof__read(struct dp_kineto_rocprof *rocprof,
					     struct dp_chrome_event *event)
{
	const struct dp_kineto_rocprof_row *row =
		event->has & DP_CHROME_PID ? row_of(rocprof, event->pid) : NULL;

	if (!row)
		return DP_KINETO_NONE;
	if (row->class == DP_KINETO_KERNEL && is_barrier(event))
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
	use_exact_times(rocprof, event);
	/* Rows are not processes. */
	event->pid = -1;
	return row->class;
}
