/* Runs importers over bytes and checks the result against the contracts of trace.h. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "base/utf8.h"
#include "mutate.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A broken contract is a finding like any other: abort() stops the fuzzer and keeps the input. */
#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

static void check_string(const struct dp_trace *trace, uint32_t id)
{
	const char *text = dp_trace_string(trace, id);

	HOLDS(id == DP_NONE || id < dp_trace_string_count(trace));
	HOLDS(text && dp_utf8__valid(text, strlen(text)));
}

static void check_ops(const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);

	for (size_t i = 0; i < ops->count; i++) {
		HOLDS(ops->end_ns[i] >= ops->start_ns[i]);
		HOLDS(!i || ops->start_ns[i] >= ops->start_ns[i - 1]);
		HOLDS(ops->stream[i] < dp_trace_stream_count(trace));
		HOLDS(ops->call[i] == DP_NONE || ops->call[i] < dp_trace_calls(trace)->count);
		HOLDS(ops->kind[i] <= DP_OP_MEMSET);
		HOLDS(ops->copy_kind[i] <= DP_COPY_UM_DTOD);
		HOLDS(ops->src_kind[i] <= DP_MEMORY_MANAGED_STATIC);
		HOLDS(ops->dst_kind[i] <= DP_MEMORY_MANAGED_STATIC);
		check_string(trace, ops->name[i]);
	}
	HOLDS(!ops->count || ops->start_ns[0] == 0);
	HOLDS(dp_trace_duration_ns(trace) >= 0);
	HOLDS(dp_trace_resolution_ns(trace) >= 1);
}

static void check_host(const struct dp_trace *trace)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	const struct dp_syncs *syncs = dp_trace_syncs(trace);
	size_t threads = dp_trace_thread_count(trace);

	for (size_t i = 0; i < calls->count; i++) {
		HOLDS(calls->end_ns[i] >= calls->start_ns[i]);
		HOLDS(calls->thread[i] == DP_NONE || calls->thread[i] < threads);
		check_string(trace, calls->name[i]);
	}
	for (size_t i = 0; i < ranges->count; i++) {
		HOLDS(ranges->end_ns[i] >= ranges->start_ns[i]);
		HOLDS(ranges->thread[i] == DP_NONE || ranges->thread[i] < threads);
		check_string(trace, ranges->name[i]);
	}
	for (size_t i = 0; i < syncs->count; i++) {
		HOLDS(syncs->end_ns[i] >= syncs->start_ns[i]);
		HOLDS(syncs->stream[i] == DP_NONE ||
		      syncs->stream[i] < dp_trace_stream_count(trace));
	}
}

/* Every operation is in exactly one stream's list, and indices between tables are valid. */
static void check_tables(const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_stream *stream;
	const uint32_t *list;
	size_t count, sum = 0;

	for (size_t s = 0; (stream = dp_trace_stream(trace, s)); s++) {
		HOLDS(stream->device < dp_trace_device_count(trace));
		HOLDS(stream->process < dp_trace_process_count(trace));
		list = dp_trace_stream_ops(trace, s, &count);
		for (size_t i = 0; i < count; i++)
			HOLDS(list[i] < ops->count && ops->stream[list[i]] == s &&
			      (!i || list[i] > list[i - 1]));
		HOLDS(count == stream->kernels + stream->copies + stream->memsets);
		HOLDS(stream->busy_ns >= 0 && stream->busy_ns <= dp_trace_duration_ns(trace));
		sum += count;
	}
	HOLDS(sum == ops->count);
	for (size_t i = 0; i < dp_trace_device_count(trace); i++)
		check_string(trace, dp_trace_device(trace, i)->name);
	for (size_t i = 0; i < dp_trace_process_count(trace); i++)
		check_string(trace, dp_trace_process(trace, i)->name);
	for (size_t i = 0; i < dp_trace_thread_count(trace); i++)
		check_string(trace, dp_trace_thread(trace, i)->name);
	for (size_t i = 0; i < dp_trace_loss_count(trace); i++)
		HOLDS(dp_trace_loss(trace, i)->reason[0]);
}

/* The trace, or NULL if there is none. */
static struct dp_trace *check(struct dp_trace *trace, int status, const struct dp_error *error)
{
	if (status) {
		HOLDS(!trace && error->status == status && error->message[0]);
		HOLDS(dp_utf8__valid(error->message, strlen(error->message)));
		return NULL;
	}
	HOLDS(trace && !error->status);
	check_ops(trace);
	check_host(trace);
	check_tables(trace);
	return trace;
}

struct dp_trace *fuzz_trace(const struct dp_importer *importer, const uint8_t *data, size_t size)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_import import = { .path = "-", .options = &options, .error = &error };
	struct dp_probe probe = { .path = "-" };
	struct dp_trace *trace = NULL;
	int status, sure;

	options.allow_no_gpu = true;
	status = dp_input__memory(&import.input, data, size, &error);
	HOLDS(!status);
	probe.head = dp_input__head(import.input, &probe.length);
	sure = importer->probe(&probe);
	HOLDS((sure >= 0 && sure <= 100) || sure == DP_ERR_NOMEM);
	status = dp_builder__new(&import.builder, &error);
	HOLDS(!status);
	status = importer->read(&import);
	if (status)
		dp_builder__free(import.builder);
	else
		status = dp_builder__finish(import.builder, &trace, "-", importer->info.name, true);
	dp_input__close(import.input);
	return check(trace, status, &error);
}

void fuzz_stream(const struct dp_importer *importer, const uint8_t *data, size_t size)
{
	dp_trace_free(fuzz_trace(importer, data, size));
}

static bool write_all(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n <= 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

static void write_file(int fd, const uint8_t *data, size_t size)
{
	HOLDS(fd >= 0 && write_all(fd, data, size));
	close(fd);
}

void fuzz_path(const struct dp_importer *importer, const char *path)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace = NULL;
	int status;

	options.allow_no_gpu = true;
	options.input_format = importer->info.name;
	status = dp_trace_open(&trace, path, &options, &error);
	dp_trace_free(check(trace, status, &error));
}

/*
 * Where the bytes of a second file begin, and its extension; the end of the input if there is none.
 */
static const uint8_t *find_second(const uint8_t *data, size_t size, const char **ending,
				  size_t *mark)
{
	const uint8_t *at = size ? memmem(data, size, FUZZ_WAL, sizeof(FUZZ_WAL) - 1) : NULL;

	*ending = "-wal";
	*mark = sizeof(FUZZ_WAL) - 1;
	if (!at && size) {
		at = memmem(data, size, FUZZ_JOURNAL, sizeof(FUZZ_JOURNAL) - 1);
		*ending = "-journal";
		*mark = sizeof(FUZZ_JOURNAL) - 1;
	}
	return at;
}

void fuzz_file(const struct dp_importer *importer, const uint8_t *data, size_t size)
{
	char path[] = "/dev/shm/deepprof-fuzz-XXXXXX", second[sizeof(path) + 16] = "";
	const char *ending;
	size_t mark;
	const uint8_t *at = find_second(data, size, &ending, &mark);

	write_file(mkstemp(path), data, at ? (size_t)(at - data) : size);
	if (at) {
		snprintf(second, sizeof(second), "%s%s", path, ending);
		write_file(open(second, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), at + mark,
			   size - (size_t)(at - data) - mark);
	}
	fuzz_path(importer, path);
	unlink(path);
	if (at)
		unlink(second);
}
