/*
 * TensorFlow 1's timeline (tensorflow.python.client.timeline): a Chrome trace whose processes are
 * rows, named "/device:GPU:0/stream:15 Compute". It lists a GPU's operations up to three times: in
 * the row of their stream, in "stream:all" (kernels) or "memcpy" (copies and memsets), and on the
 * host side in ".../device:GPU:0 Compute", at the time the operator was launched. Only the rows of
 * streams are read, or the others for devices without such rows. Rows are known only when all names
 * are, so events wait until the end: 48 bytes each.
 */
#include "import/chrome.h"
#include "import/copy_name.h"

#include <stdio.h>
#include <string.h>

/* Ordered by how much they say. */
enum row_kind { ROW_STREAM, ROW_ALL, ROW_MEMCPY, ROW_HOST, ROW_OTHER };

struct row {
	int64_t pid;
	int64_t device;
	int64_t stream;
	enum row_kind kind;
	bool spare; /* its operations are also in rows of streams */
};

struct event {
	int64_t start_ns;
	int64_t end_ns;
	int64_t pid;
	uint32_t node; /* the graph's node */
	uint32_t op;   /* the operator's type, or MEMCPYHtoD */
	uint8_t copy_kind;
	uint8_t kind;
};

struct timeline {
	struct dp_chrome chrome;
	struct dp_builder *builder;
	struct row *rows;
	size_t row_count, row_room;
	struct event *events;
	size_t event_count, event_room;
	struct event *copies; /* of the memcpy rows, sorted */
	size_t copy_count;
	char *scratch;
	size_t scratch_room;
	uint32_t process;
	uint64_t without_start;
};

#define MOST_ROWS 4096

static int nomem(const struct timeline *timeline)
{
	return dp_error__nomem(timeline->chrome.import->error, 0);
}

static uint32_t want(void *ctx, const char *category, size_t length)
{
	if (length == 2 && !memcmp(category, "Op", 2))
		return DP_CHROME_ARG_NAME | DP_CHROME_OP;
	return DP_CHROME_SKIP;
}

static uint32_t string(struct timeline *timeline, const struct dp_json_text *text)
{
	size_t length;

	if (!text->escaped)
		return dp_builder__string(timeline->builder, text->at, text->length);
	if (dp_array__reserve(&timeline->scratch, &timeline->scratch_room, text->length, 1)) {
		nomem(timeline);
		return DP_NONE;
	}
	length = dp_json__unescape(text, timeline->scratch);
	return dp_builder__string(timeline->builder, timeline->scratch, length);
}

/* Returns what follows word in text, or NULL. */
static const char *behind(const char *text, size_t length, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= length; i++)
		if (!memcmp(text + i, word, n))
			return text + i + n;
	return NULL;
}

/* Reads digits at p; -1 if there are none. */
static int64_t number(const char *p, const char *end)
{
	const char *q = p;
	int64_t value;

	while (q < end && *q >= '0' && *q <= '9')
		q++;
	return dp_json__decimal(p, (size_t)(q - p), 0, &value) ? value : -1;
}

/* "/device:GPU:0/stream:15 Compute", "/gpu:0/stream:all Compute", "/device:GPU:0/memcpy Compute" */
static struct row read_row(const char *text, size_t length, int64_t pid)
{
	struct row row = { pid, -1, -1, ROW_OTHER, false };
	const char *end = text + length, *gpu, *stream;

	if (!behind(text, length, "Compute"))
		return row;
	row.kind = ROW_HOST;
	gpu = behind(text, length, "GPU:");
	if (!gpu)
		gpu = behind(text, length, "gpu:");
	if (!gpu)
		return row;
	row.device = number(gpu, end);
	stream = behind(text, length, "/stream:");
	if (behind(text, length, "/memcpy"))
		row.kind = ROW_MEMCPY;
	else if (stream && end - stream >= 3 && !memcmp(stream, "all", 3))
		row.kind = ROW_ALL;
	else if (stream)
		row.kind = ROW_STREAM;
	if (row.kind == ROW_STREAM)
		row.stream = number(stream, end);
	return row;
}

static int on_metadata(struct timeline *timeline, const struct dp_chrome_event *event)
{
	uint32_t need = DP_CHROME_NAME | DP_CHROME_PID | DP_CHROME_ARG_NAME;

	if ((event->has & need) != need || event->name.length != 12 ||
	    memcmp(event->name.at, "process_name", 12))
		return DP_OK;
	if (timeline->row_count >= MOST_ROWS)
		return dp_builder__loss(timeline->builder, "names of rows beyond 4096", 1, 0);
	if (dp_array__reserve(&timeline->rows, &timeline->row_room, timeline->row_count + 1,
			      sizeof(*timeline->rows)))
		return nomem(timeline);
	timeline->rows[timeline->row_count++] =
		read_row(event->arg_name.at, event->arg_name.length, event->pid);
	return DP_OK;
}

static int on_event(void *ctx, const struct dp_chrome_event *source)
{
	struct timeline *timeline = ctx;
	const struct dp_json_text *op = source->has & DP_CHROME_OP ? &source->op : &source->name;
	struct dp_copy_name found;
	struct event *event;
	uint32_t node;

	if (source->phase == 'M')
		return on_metadata(timeline, source);
	if (!(source->has & DP_CHROME_CATEGORY) || !(source->has & DP_CHROME_NAME))
		return DP_OK;
	if (!(source->has & DP_CHROME_START) || !(source->has & DP_CHROME_PID)) {
		timeline->without_start++;
		return DP_OK;
	}
	if (dp_array__reserve(&timeline->events, &timeline->event_room, timeline->event_count + 1,
			      sizeof(*event)))
		return nomem(timeline);
	node = string(timeline,
		      source->has & DP_CHROME_ARG_NAME ? &source->arg_name : &source->name);
	found = dp_copy_name__read(op->at, op->length);
	event = &timeline->events[timeline->event_count];
	*event = (struct event){
		.start_ns = source->start_ns,
		.end_ns = source->start_ns,
		.pid = source->pid,
		.node = node,
		.op = string(timeline, op),
		.copy_kind = (uint8_t)found.kind,
		.kind = (uint8_t)found.op,
	};
	if (event->node == DP_NONE || event->op == DP_NONE)
		return DP_ERR_NOMEM;
	if (source->has & DP_CHROME_DURATION &&
	    __builtin_add_overflow(source->start_ns, source->duration_ns, &event->end_ns))
		timeline->without_start++;
	else
		timeline->event_count++;
	return DP_OK;
}

static int compare_pids(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* A total order: if a process has two names, the result must not depend on which comes first. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->stream > y->stream) - (x->stream < y->stream);
}

static int compare_devices(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->device > y->device) - (x->device < y->device);
}

static const struct row *row_of(const struct timeline *timeline, int64_t pid)
{
	struct row key = { .pid = pid };

	if (!timeline->row_count)
		return NULL;
	return bsearch(&key, timeline->rows, timeline->row_count, sizeof(key), compare_pids);
}

/* Sorts the rows by process, one for each, and finds those that are not needed. */
static int place_rows(struct timeline *timeline)
{
	struct row *rows = timeline->rows, *of_streams;
	size_t count = 0, streams = 0;

	if (!timeline->row_count)
		return DP_OK;
	of_streams = dp_alloc__array(timeline->row_count, sizeof(*of_streams));
	if (!of_streams)
		return nomem(timeline);
	qsort(rows, timeline->row_count, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < timeline->row_count; i++) {
		if (count && rows[count - 1].pid == rows[i].pid)
			continue;
		rows[count++] = rows[i];
		if (rows[i].kind == ROW_STREAM)
			of_streams[streams++] = rows[i];
	}
	timeline->row_count = count;
	qsort(of_streams, streams, sizeof(*of_streams), compare_devices);
	for (size_t i = 0; i < count; i++)
		rows[i].spare =
			rows[i].kind != ROW_STREAM && bsearch(&rows[i], of_streams, streams,
							      sizeof(*of_streams), compare_devices);
	free(of_streams);
	return DP_OK;
}

static int compare_copies(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Operations in a memcpy row are not kernels, even if they only have their operator's name. */
static int collect_copies(struct timeline *timeline)
{
	timeline->copies = dp_alloc__array(timeline->event_count, sizeof(*timeline->copies));
	if (!timeline->copies)
		return nomem(timeline);
	for (size_t i = 0; i < timeline->event_count; i++) {
		const struct row *row = row_of(timeline, timeline->events[i].pid);

		if (row && row->kind == ROW_MEMCPY)
			timeline->copies[timeline->copy_count++] = timeline->events[i];
	}
	if (timeline->copy_count)
		qsort(timeline->copies, timeline->copy_count, sizeof(*timeline->copies),
		      compare_copies);
	return DP_OK;
}

static bool is_copy(const struct timeline *timeline, const struct event *event)
{
	return timeline->copy_count && bsearch(event, timeline->copies, timeline->copy_count,
					       sizeof(*event), compare_copies);
}

static int push_op(struct timeline *timeline, const struct event *event, const struct row *row)
{
	struct dp_op op = {
		.start_ns = event->start_ns,
		.end_ns = event->end_ns,
		.kind = (enum dp_op_kind)event->kind,
		.copy_kind = (enum dp_copy_kind)event->copy_kind,
	};

	if (op.kind == DP_OP_KERNEL && (row->kind == ROW_MEMCPY || is_copy(timeline, event)))
		op.kind = DP_OP_COPY;
	/* Copies are named by what they do: their nodes are numbered edges of the graph. */
	op.name = event->kind == DP_OP_KERNEL ? event->node : event->op;
	op.stream = dp_builder__stream(timeline->builder, timeline->process, row->device, -1,
				       row->stream);
	return op.stream == DP_NONE ? DP_ERR_NOMEM : dp_builder__op(timeline->builder, &op);
}

static int push(struct timeline *timeline, const struct event *event)
{
	const struct row *row = row_of(timeline, event->pid);
	struct dp_range range = {
		.start_ns = event->start_ns,
		.end_ns = event->end_ns,
		.name = event->node,
		.thread = DP_NONE,
		.kind = DP_RANGE_OPERATOR,
	};

	if (row && row->kind == ROW_OTHER)
		return DP_OK;
	if (!row || row->kind == ROW_HOST)
		return dp_builder__add_range(timeline->builder, &range);
	if (row->spare)
		return DP_OK;
	return push_op(timeline, event, row);
}

/*
 * A step on a GPU always has a row of the operators that ran there; rows of its streams also need
 * CUPTI, which TensorFlow loads when it profiles.
 */
static void explain_no_gpu(const struct timeline *timeline)
{
	char reason[80];

	for (size_t i = 0; i < timeline->row_count; i++) {
		const struct row *row = &timeline->rows[i];

		if (row->kind != ROW_HOST || row->device < 0)
			continue;
		snprintf(reason, sizeof(reason),
			 "operators ran on GPU %lld, whose streams have no rows",
			 (long long)row->device);
		dp_builder__explain_no_gpu(timeline->builder, "TensorFlow", reason, strlen(reason));
		dp_builder__advise_recording(
			timeline->builder,
			"libcupti in LD_LIBRARY_PATH, which TensorFlow needs to record "
			"kernels");
		return;
	}
}

static int finish(struct timeline *timeline)
{
	int status = place_rows(timeline);

	if (!status)
		status = collect_copies(timeline);
	timeline->process = dp_builder__process(timeline->builder, -1);
	/* Times are wall-clock times. */
	dp_builder__epoch(timeline->builder, 0);
	for (size_t i = 0; i < timeline->event_count && !status; i++)
		status = push(timeline, &timeline->events[i]);
	if (!status && timeline->without_start)
		status = dp_builder__loss(timeline->builder, "events without a start or a row",
					  timeline->without_start, 0);
	if (!status && !dp_builder__op_count(timeline->builder))
		explain_no_gpu(timeline);
	return status;
}

static int read_timeline(struct dp_import *import)
{
	struct timeline timeline = {
		.chrome = { .import = import, .want = want, .event = on_event },
		.builder = import->builder,
	};
	int status;

	timeline.chrome.ctx = &timeline;
	status = dp_chrome__read(&timeline.chrome);
	if (!status)
		status = finish(&timeline);
	free(timeline.rows);
	free(timeline.events);
	free(timeline.copies);
	free(timeline.scratch);
	return status;
}

static int probe_timeline(const struct dp_probe *probe)
{
	struct dp_chrome_look look;

	dp_chrome__look(&look, probe);
	return look.tensorflow ? 90 : 0;
}

const struct dp_importer dp_importer__tf_timeline = {
	.info = { "tf_timeline", "TensorFlow 1 timeline, Chrome trace JSON" },
	.how_to_record = "RunOptions.FULL_TRACE for a step on the GPU",
	.probe = probe_timeline,
	.read = read_timeline,
};
