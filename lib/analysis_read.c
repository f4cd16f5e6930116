/*
 * Reads an analysis from its JSON report (schema 2 or 1), so that a build can compare without
 * keeping traces. What a report lacks is unknown, and what it holds is not trusted: indices and
 * sizes are checked, and names go through the trace's strings.
 */
#include "analysis_model.h"
#include "base/lookup.h"
#include "metric/loop_contents.h"
#include "trace/builder.h"
#include "trace/model.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define REPORT_MOST ((size_t)1 << 30)
#define CHUNK 65536

/*
 * Limits of memory. A report has a number per 20 bytes, and an object or array per 80; "[]," takes
 * 50 times its size in memory. A file above these limits, apart from a free allowance, is refused.
 */
#define SMALL_BYTES ((size_t)1 << 20)
#define BYTES_PER_VALUE 4
#define VALUES_PER_CONTAINER 6
#define RATIO_MOST 200 /* of decompressed to compressed size, as for databases */

struct reader {
	struct dp_analysis *analysis;
	json_t *report;
	struct dp_builder *builder;
	struct dp_lookup streams;
	struct dp_lookup long_names; /* the id of a cut name: that of the whole one */
	struct dp_error *error;
	int64_t schema;
};

static const json_t *get(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

static const char *string_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(get(object, key));

	return text ? text : "";
}

/* Returns NaN for null and for a missing key. */
static double number_of(const json_t *object, const char *key)
{
	const json_t *value = get(object, key);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static int64_t integer_of(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *value = get(object, key);

	return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

/* A count; 0 if it is missing or out of range. */
static size_t count_of(const json_t *object, const char *key)
{
	int64_t value = integer_of(object, key, 0);

	return value > 0 && (uint64_t)value <= UINT32_MAX ? (size_t)value : 0;
}

static int malformed(struct reader *reader, const char *what)
{
	return dp_error__set(reader->error, DP_ERR_FORMAT, "not a report of deepprof analyze: %s",
			     what);
}

static int add_streams(struct reader *reader)
{
	const json_t *at;
	size_t i;

	json_array_foreach(get(get(reader->report, "trace"), "devices"), i, at)
	{
		uint32_t process = dp_builder__process(reader->builder, integer_of(at, "pid", -1));
		uint32_t device =
			dp_builder__device(reader->builder, process, integer_of(at, "id", -1));
		struct dp_gpu gpu = { DP_NONE, DP_NONE, 0 };
		const char *name = string_of(at, "name");

		gpu.name = dp_builder__string(reader->builder, name, strlen(name));
		if (device == DP_NONE || gpu.name == DP_NONE)
			return DP_ERR_NOMEM;
		if (*name)
			dp_builder__name_device(reader->builder, device, &gpu);
	}
	json_array_foreach(get(reader->report, "streams"), i, at)
	{
		uint32_t process = dp_builder__process(reader->builder, integer_of(at, "pid", -1));

		if (dp_builder__stream(reader->builder, process, integer_of(at, "device", -1),
				       integer_of(at, "context", -1),
				       integer_of(at, "stream", -1)) == DP_NONE)
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

static int make_trace(struct reader *reader)
{
	const json_t *trace = get(reader->report, "trace");
	struct dp_trace *made = NULL;
	int status = dp_builder__new(&reader->builder, reader->error);

	if (status)
		return status;
	status = add_streams(reader);
	if (status) {
		dp_builder__free(reader->builder);
		return status;
	}
	status = dp_builder__finish(reader->builder, &made, string_of(trace, "path"),
				    string_of(trace, "format"), true);
	if (status)
		return status;
	made->duration_ns = DP_MIN(DP_MAX(integer_of(trace, "duration_ns", 0), 0), DP_TIME_LIMIT);
	reader->analysis->trace = made;
	reader->analysis->streams =
		dp_alloc__zeroed(dp_trace_stream_count(made), sizeof(*reader->analysis->streams));
	return reader->analysis->streams ? DP_OK : DP_ERR_NOMEM;
}

static struct dp_key stream_key(int64_t pid, int64_t device, int64_t context, int64_t stream)
{
	return (struct dp_key){ { pid, device, context, stream } };
}

/* Indexes streams by the four numbers that loops refer to them with. */
static int index_streams(struct reader *reader)
{
	const struct dp_trace *trace = reader->analysis->trace;
	const struct dp_stream *at;

	for (uint32_t i = 0; (at = dp_trace_stream(trace, i)); i++) {
		struct dp_key key =
			stream_key(dp_trace_process(trace, at->process)->pid,
				   dp_trace_device(trace, at->device)->id, at->context, at->stream);

		if (dp_lookup__set(&reader->streams, &key, i))
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

/* The stream that a loop refers to, or DP_NONE. */
static uint32_t find_stream(const struct reader *reader, const json_t *loop)
{
	struct dp_key key =
		stream_key(integer_of(loop, "pid", -1), integer_of(loop, "device", -1),
			   integer_of(loop, "context", -1), integer_of(loop, "stream", -1));

	return dp_lookup__get(&reader->streams, &key);
}

/* The id of a text in the trace, which keeps a copy. */
static uint32_t intern(struct reader *reader, const char *text)
{
	return dp_strings__intern(&reader->analysis->trace->strings, text, strlen(text));
}

/* The id of a kernel's name, which may be cut. */
static uint32_t intern_name(struct reader *reader, const char *text)
{
	struct dp_key key = { { intern(reader, text) } };
	uint32_t whole = dp_lookup__get(&reader->long_names, &key);

	return whole != DP_NONE ? whole : (uint32_t)key.part[0];
}

static int read_long_names(struct reader *reader)
{
	json_t *list = json_object_get(reader->report, "long_names"), *at;
	const char *cut;

	json_object_foreach(list, cut, at)
	{
		const char *name = json_string_value(at);
		struct dp_key key = { { intern(reader, cut) } };
		uint32_t whole = intern(reader, name ? name : cut);

		if (key.part[0] == DP_NONE || whole == DP_NONE ||
		    dp_lookup__set(&reader->long_names, &key, whole))
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

static const char *keep(struct reader *reader, const char *text)
{
	uint32_t id = intern(reader, text);

	return id != DP_NONE ? dp_trace_string(reader->analysis->trace, id) : NULL;
}

/* Returns true if sums and differences of an iteration's times cannot overflow. */
static bool has_possible_times(const struct dp_iteration *iteration)
{
	return iteration->start_ns >= -DP_TIME_LIMIT && iteration->end_ns <= DP_TIME_LIMIT &&
	       iteration->start_ns <= iteration->end_ns;
}

static void read_iteration(struct dp_iteration *made, const json_t *at, size_t index)
{
	*made = (struct dp_iteration){
		.index = index,
		.start_ns = integer_of(at, "start_ns", 0),
		.end_ns = integer_of(at, "end_ns", 0),
		.first_kernel = count_of(at, "first_kernel"),
		.kernels = count_of(at, "kernels"),
		.inserted = (uint32_t)count_of(at, "inserted"),
		.deleted = (uint32_t)count_of(at, "deleted"),
		.substituted = (uint32_t)count_of(at, "substituted"),
		.partial = json_is_true(get(at, "partial")),
		.warmup = json_is_true(get(at, "warmup")),
		.slow = json_is_true(get(at, "slow")),
		.foreign_kernels = count_of(at, "foreign_kernels"),
	};
}

/* The copies of an iteration. Older reports have only those of patterns. */
static double copies_of(const struct dp_loop *loop, const json_t *summary)
{
	const json_t *value = get(summary, "copies_each");

	if (loop->copies + loop->memsets)
		return (double)loop->copies;
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > UINT32_MAX)
		return (double)NAN;
	return (double)json_integer_value(value);
}

/* Reads iterations and the rows of their metrics. */
static int read_iterations(struct reader *reader, struct dp_loop_data *loop, const json_t *from)
{
	const json_t *list = get(from, "iterations");
	size_t count = json_array_size(list);
	size_t metrics = dp_metric_count(), summaries = dp_summary_metric_count();
	const struct dp_metric_info *info;

	loop->iterations = dp_alloc__array(count, sizeof(*loop->iterations));
	loop->values.values =
		dp_alloc__array(dp_size__mul(count, metrics), sizeof(*loop->values.values));
	loop->values.summary = dp_alloc__array(summaries, sizeof(*loop->values.summary));
	if (!loop->iterations || !loop->values.values || !loop->values.summary)
		return DP_ERR_NOMEM;
	loop->info.iterations = loop->values.count = count;
	for (size_t k = 0; k < count; k++) {
		const json_t *at = json_array_get(list, k);

		read_iteration(&loop->iterations[k], at, k);
		if (!has_possible_times(&loop->iterations[k]))
			return malformed(reader, "an iteration with impossible times");
		loop->info.complete += !loop->iterations[k].partial;
		for (size_t m = 0; (info = dp_metric(m)); m++)
			loop->values.values[m * count + k] = number_of(at, info->name);
	}
	dp_loop_contents__kernels(&loop->info, loop->iterations);
	loop->info.copies_each = copies_of(&loop->info, get(from, "summary"));
	for (size_t m = 0; (info = dp_summary_metric(m)); m++)
		loop->values.summary[m] = number_of(get(from, "summary"), info->name);
	return DP_OK;
}

static int read_pattern(struct reader *reader, struct dp_loop_data *loop, const json_t *from)
{
	const json_t *pattern = get(from, "pattern"), *kernels = get(pattern, "kernels");
	size_t count = json_array_size(kernels);

	loop->kernels = dp_alloc__array(count, sizeof(*loop->kernels));
	if (!loop->kernels)
		return DP_ERR_NOMEM;
	loop->info.length = count;
	loop->info.copies = count_of(pattern, "copies");
	loop->info.memsets = count_of(pattern, "sets");
	for (size_t i = 0; i < count; i++) {
		const char *name = json_string_value(json_array_get(kernels, i));

		loop->kernels[i] = intern_name(reader, name ? name : "");
		if (loop->kernels[i] == DP_NONE)
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

/* Reads times by name and by position, if the report has them for the whole pattern. */
static int read_times(struct reader *reader, struct dp_loop_data *loop, const json_t *from)
{
	const json_t *names = get(from, "kernel_times"), *places = get(from, "position_times");
	struct dp_time_stats *kernels = &loop->stats.kernels, *positions = &loop->stats.positions;
	size_t count = json_array_size(names);

	if (!count || json_array_size(places) != loop->info.length)
		return DP_OK;
	kernels->stats = dp_alloc__zeroed(count, sizeof(*kernels->stats));
	positions->stats = dp_alloc__zeroed(loop->info.length, sizeof(*positions->stats));
	if (!kernels->stats || !positions->stats)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		const json_t *at = json_array_get(names, i);
		uint32_t name = intern_name(reader, string_of(at, "name"));

		if (name == DP_NONE)
			return DP_ERR_NOMEM;
		kernels->stats[i].name = dp_trace_string(reader->analysis->trace, name);
		kernels->stats[i].count = count_of(at, "count");
		kernels->stats[i].total_ns = number_of(at, "total_ns");
		kernels->stats[i].sm_active = number_of(at, "sm_active");
		kernels->stats[i].tensor_active = number_of(at, "tensor_active");
		kernels->stats[i].dram_active = number_of(at, "dram_active");
	}
	for (size_t i = 0; i < loop->info.length; i++) {
		const json_t *at = json_array_get(places, i);
		struct dp_time_stat *made = &positions->stats[i];

		made->name = dp_trace_string(reader->analysis->trace, loop->kernels[i]);
		made->count = count_of(at, "count");
		made->mean_ns = number_of(at, "mean_ns");
		made->min_ns = number_of(at, "min_ns");
		made->max_ns = number_of(at, "max_ns");
		made->stddev_ns = number_of(at, "stddev_ns");
		made->sm_active = made->tensor_active = made->dram_active = (double)NAN;
		made->total_ns = made->count ? made->mean_ns * (double)made->count : 0;
	}
	kernels->count = count;
	positions->count = loop->info.length;
	return DP_OK;
}

/* Loops keep their indices. Of loops that are not compared only the index is read. */
static int read_loop(struct reader *reader, const json_t *from)
{
	struct dp_analysis *analysis = reader->analysis;
	struct dp_loop_data *loop = &analysis->loops[analysis->loop_count];
	uint32_t stream = find_stream(reader, from);
	int status;

	if (stream == DP_NONE)
		return malformed(reader, "a loop of no stream");
	loop->info = (struct dp_loop){
		.id = (uint32_t)analysis->loop_count,
		.parent = DP_NONE,
		.device = dp_trace_stream(analysis->trace, stream)->device,
		.stream = stream,
		.confidence = number_of(from, "confidence"),
		.coverage = number_of(from, "coverage"),
		.selected = json_is_true(get(from, reader->schema == 1 ? "at_level" : "selected")),
	};
	analysis->loop_count++;
	if (!loop->info.selected)
		return DP_OK;
	status = read_pattern(reader, loop, from);
	if (!status)
		status = read_iterations(reader, loop, from);
	return status ? status : read_times(reader, loop, from);
}

static int read_loops(struct reader *reader)
{
	const json_t *loops = get(reader->report, "loops");
	size_t count = json_array_size(loops);
	int status = DP_OK;

	reader->analysis->loops = dp_alloc__zeroed(count, sizeof(*reader->analysis->loops));
	if (!reader->analysis->loops)
		return DP_ERR_NOMEM;
	reader->analysis->loop_room = count;
	for (size_t i = 0; i < count && !status; i++)
		status = read_loop(reader, json_array_get(loops, i));
	return status ? status : dp_analysis__set_times(reader->analysis);
}

static enum dp_severity severity_of(const char *name)
{
	enum dp_severity severity = DP_SEVERITY_CRITICAL;

	while (severity > DP_SEVERITY_INFO && strcmp(dp_severity_name(severity), name) != 0)
		severity--;
	return severity;
}

/* The cost of a finding in one of its loops; older reports have one cost for all. */
static double cost_of(const json_t *from, size_t index)
{
	const json_t *cost = json_array_get(get(from, "costs_ns"), index);

	return json_is_number(cost) ? json_number_value(cost) : number_of(from, "recoverable_ns");
}

/* Reads what a finding's cost is a part of. The units of other numbers are unknown. */
static void read_evidence(struct dp_rule_finding *made, const json_t *from)
{
	static const char *const names[] = { DP_EVIDENCE_PERIOD, "cost_ns" };

	for (size_t i = 0; i < DP_COUNT(names); i++) {
		double value = number_of(get(from, "evidence"), names[i]);

		if (isfinite(value))
			made->values[made->finding.evidence_count++] =
				(struct dp_evidence_value){ names[i], "ns", value, NULL };
	}
}

/* Reads a finding, unless its rule is unknown here. */
static int read_finding(struct reader *reader, const json_t *from)
{
	struct dp_findings *findings = &reader->analysis->findings;
	struct dp_rule_finding *made = &findings->findings[findings->count];
	size_t rule = dp_rule_find(string_of(from, "rule")), loop = count_of(from, "loop");
	const struct dp_metric_info *info;

	if (!dp_rule(rule) || !json_is_integer(get(from, "loop")) ||
	    loop >= reader->analysis->loop_count)
		return DP_OK;
	made->finding = (struct dp_finding){
		.rule = dp_rule(rule)->id,
		.severity = severity_of(string_of(from, "severity")),
		.confidence = number_of(from, "confidence"),
		.loop = (uint32_t)loop,
		.recoverable_ns = number_of(from, "recoverable_ns"),
		.advice = keep(reader, string_of(from, "advice")),
	};
	if (!made->finding.advice)
		return DP_ERR_NOMEM;
	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (!strcmp(info->name, string_of(from, "metric")))
			made->finding.metric = info->name;
	for (size_t i = 0; i < json_array_size(get(from, "loops")) && i < DP_LOOPS_MOST; i++) {
		json_int_t at = json_integer_value(json_array_get(get(from, "loops"), i));

		if (at < 0 || (uint64_t)at >= reader->analysis->loop_count)
			continue;
		made->costs_ns[made->finding.loop_count] = cost_of(from, i);
		made->loops[made->finding.loop_count++] = (uint32_t)at;
	}
	if (!made->finding.loop_count) {
		made->costs_ns[0] = made->finding.recoverable_ns;
		made->loops[made->finding.loop_count++] = (uint32_t)loop;
	}
	for (size_t i = 0; i < made->finding.loop_count; i++)
		made->devices[i] = reader->analysis->loops[made->loops[i]].info.device;
	made->finding.loops = made->loops;
	made->finding.devices = made->devices;
	made->finding.costs_ns = made->costs_ns;
	made->finding.evidence = made->values;
	read_evidence(made, from);
	made->finding.ranges = made->ranges;
	findings->count++;
	return DP_OK;
}

/* Reads the thresholds that were requested. */
static int read_thresholds(struct reader *reader)
{
	const struct dp_rule_info *rule;

	for (size_t i = 0; (rule = dp_rule(i)); i++) {
		double share = json_number_value(get(get(reader->report, "thresholds"), rule->id));

		if (share > 0 && share <= 1 &&
		    dp_analysis__set_threshold(reader->analysis, i, share))
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

static int read_findings(struct reader *reader)
{
	const json_t *list = get(reader->report, "findings");
	size_t count = json_array_size(list);
	int status = DP_OK;

	reader->analysis->diagnosed = !json_is_false(get(reader->report, "diagnosed"));
	reader->analysis->findings.findings =
		dp_alloc__zeroed(count, sizeof(*reader->analysis->findings.findings));
	if (!reader->analysis->findings.findings)
		return DP_ERR_NOMEM;
	status = read_thresholds(reader);
	for (size_t i = 0; i < count && !status; i++)
		status = read_finding(reader, json_array_get(list, i));
	return status;
}

/* The whole file, decompressed if it is compressed. */
struct source {
	gzFile file;
	size_t bytes;
	size_t values; /* a container is several */
	bool in_string;
	bool escaped;
	bool failed;
	const char *refused; /* why */
};

static void count_values(struct source *source, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (source->in_string) {
			source->in_string = source->escaped || text[i] != '"';
			source->escaped = !source->escaped && text[i] == '\\';
			continue;
		}
		source->in_string = text[i] == '"';
		source->values += text[i] == ',';
		if (text[i] == '[' || text[i] == '{')
			source->values += VALUES_PER_CONTAINER;
	}
}

/* The reason to refuse what was read so far, or NULL. */
static const char *refusal_of(const struct source *source)
{
	z_off_t compressed = gzoffset(source->file);

	if (source->bytes > REPORT_MOST)
		return "a report of more than 1 GiB";
	if (source->bytes < SMALL_BYTES)
		return NULL;
	if (source->bytes / RATIO_MOST > (size_t)DP_MAX(compressed, 0) + SMALL_BYTES / RATIO_MOST)
		return "a compressed report that unpacks to more than 200 times its size";
	if (source->values > (source->bytes + SMALL_BYTES) / BYTES_PER_VALUE)
		return "more values than a report of this size has";
	return NULL;
}

static size_t read_some(void *buffer, size_t size, void *ctx)
{
	struct source *source = ctx;
	int n = gzread(source->file, buffer, (unsigned)DP_MIN(size, (size_t)CHUNK));

	source->failed |= n < 0;
	if (n <= 0)
		return 0;
	source->bytes += (size_t)n;
	count_values(source, buffer, (size_t)n);
	source->refused = refusal_of(source);
	return source->refused ? 0 : (size_t)n;
}

static int load(json_t **report, const char *path, struct dp_error *error)
{
	struct source source = { .file = gzopen(path, "rb") };
	json_error_t why;

	if (!source.file)
		return dp_error__system(error, NULL);
	*report = json_load_callback(read_some, &source, JSON_REJECT_DUPLICATES, &why);
	gzclose(source.file);
	if (*report)
		return DP_OK;
	if (source.refused)
		return dp_error__set(error, DP_ERR_LIMIT, "%s", source.refused);
	if (source.failed)
		return dp_error__set(error, DP_ERR_IO, "the compressed data is damaged");
	/* jansson sets no message for some failed allocations */
	if (json_error_code(&why) == json_error_out_of_memory || !why.text[0])
		return dp_error__nomem(error, source.bytes);
	return dp_error__set(error, DP_ERR_FORMAT, "line %d: %s", why.line, why.text);
}

static int read_report(struct reader *reader)
{
	int status;

	reader->schema = integer_of(reader->report, "schema", 0);
	if (reader->schema < 1 || reader->schema > 2 || !get(reader->report, "loops"))
		return malformed(reader, "schema 1 or 2 with loops is required");
	status = make_trace(reader);
	if (!status)
		status = index_streams(reader);
	if (!status)
		status = read_long_names(reader);
	if (!status)
		status = read_loops(reader);
	if (!status)
		status = read_findings(reader);
	/* After the last name. Some formats show what the trace's operations were idle for. */
	return status ? status
		      : dp_trace_index__init(&reader->analysis->index, reader->analysis->trace,
					     reader->error);
}

int dp_analysis_read(struct dp_analysis **analysis, const char *path, struct dp_error *error)
{
	struct reader reader = { .error = error };
	json_t *report = NULL;
	int status;

	dp_error__where(error, path, NULL, 0, 0);
	status = load(&report, path, error);
	if (status)
		return status;
	reader.report = report;
	reader.analysis = dp_alloc__zeroed(1, sizeof(*reader.analysis));
	status = reader.analysis ? read_report(&reader) : DP_ERR_NOMEM;
	json_decref(report);
	dp_lookup__fini(&reader.streams);
	dp_lookup__fini(&reader.long_names);
	if (status == DP_ERR_NOMEM)
		dp_error__nomem(error, 0);
	if (status) {
		dp_analysis_free(reader.analysis);
		return status;
	}
	reader.analysis->scope = (struct dp_scope){ -1, -1, INT64_MIN, INT64_MAX };
	*analysis = reader.analysis;
	return DP_OK;
}

bool dp_analysis_is_report(const char *path)
{
	static const char key[] = "\"schema\":";
	gzFile file = NULL;
	struct stat info;
	char head[64];
	size_t at = 0;
	int n;

	/* what is read from a pipe is gone, and it may hold a trace */
	if (!stat(path, &info) && S_ISREG(info.st_mode))
		file = gzopen(path, "rb");
	n = file ? gzread(file, head, sizeof(head) - 1) : -1;

	if (file)
		gzclose(file);
	if (n <= 0)
		return false;
	head[n] = '\0';
	at = strspn(head, " \t\r\n");
	if (head[at] != '{')
		return false;
	at += 1 + strspn(head + at + 1, " \t\r\n");
	return !strncmp(head + at, key, sizeof(key) - 1);
}
