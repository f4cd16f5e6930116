/* Whole Chrome traces with jansson as the oracle; damaged and hostile ones. */
#include "../sanitized.h"
#include "trace/demangle.h"
#include "base/base.h"
#include "kineto_text.h"
#include "test.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <zlib.h>

struct record {
	int64_t start_ns, end_ns;
	int64_t device, stream;
	uint64_t bytes;
	uint32_t correlation;
	int kind;
	const char *name;
};

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* A double has no ns at 2^60: good to its own precision. */
static int64_t oracle_ns(const json_t *value)
{
	if (json_is_integer(value))
		return json_integer_value(value) * 1000;
	return (int64_t)llround(json_real_value(value) * 1000);
}

static int oracle_kind(const char *category)
{
	static const char *const categories[] = { "kernel", "Kernel",	  "gpu_memcpy",
						  "Memcpy", "gpu_memset", "Memset" };
	static const int kinds[] = { DP_OP_KERNEL, DP_OP_KERNEL, DP_OP_COPY,
				     DP_OP_COPY,   DP_OP_MEMSET, DP_OP_MEMSET };

	for (size_t i = 0; category && i < DP_COUNT(categories); i++)
		if (!strcmp(category, categories[i]))
			return kinds[i];
	return -1;
}

static bool is_one_of(const char *text, const char *a, const char *b, const char *c)
{
	return text && (!strcmp(text, a) || !strcmp(text, b) || !strcmp(text, c));
}

/*
 * A document's objects are small and many, and with sanitizers malloc() would take half of the
 * time: they come from blocks, which are freed together.
 */
struct block {
	struct block *before;
	size_t used, size;
	_Alignas(16) char data[];
};

static struct block *blocks;

static void *take(size_t size)
{
	enum { ROOM = 1 << 20, ALIGNED = 16 };

	size = (size + ALIGNED - 1) / ALIGNED * ALIGNED;
	if (!blocks || size > blocks->size - blocks->used) {
		size_t room = DP_MAX(size, (size_t)ROOM);
		struct block *block = malloc(sizeof(*block) + room);

		ck_assert_ptr_nonnull(block);
		*block = (struct block){ .before = blocks, .size = room };
		blocks = block;
	}
	blocks->used += size;
	return blocks->data + (blocks->used - size);
}

static void keep(void *data)
{
}

static json_t *load(const char *text, size_t length)
{
	json_t *document;

	json_set_alloc_funcs(take, keep);
	document = json_loadb(text, length, JSON_ALLOW_NUL, NULL);
	json_set_alloc_funcs(malloc, free);
	return document;
}

static void unload(void)
{
	while (blocks) {
		struct block *block = blocks;

		blocks = block->before;
		free(block);
	}
}

struct oracle {
	struct record *records;
	size_t count, calls, ranges;
};

static void ask_oracle(struct oracle *oracle, const json_t *document)
{
	const json_t *events =
		json_is_array(document) ? document : json_object_get(document, "traceEvents");
	size_t i;
	json_t *event;

	memset(oracle, 0, sizeof(*oracle));
	oracle->records = calloc(json_array_size(events) + 1, sizeof(*oracle->records));
	json_array_foreach(events, i, event)
	{
		const char *category = json_string_value(json_object_get(event, "cat"));
		const json_t *args = json_object_get(event, "args");
		const char *phase = json_string_value(json_object_get(event, "ph"));
		int kind = oracle_kind(category);
		struct record *record = &oracle->records[oracle->count];

		if (!phase || strcmp(phase, "X"))
			continue;
		oracle->calls += is_one_of(category, "Runtime", "cuda_runtime", "cuda_driver");
		oracle->ranges += is_one_of(category, "Operator", "cpu_op", "user_annotation");
		if (kind < 0)
			continue;
		oracle->count++;
		record->start_ns = oracle_ns(json_object_get(event, "ts"));
		record->end_ns = record->start_ns + oracle_ns(json_object_get(event, "dur"));
		record->device = json_integer_value(json_object_get(args, "device"));
		record->stream = json_integer_value(json_object_get(args, "stream"));
		if (kind != DP_OP_KERNEL)
			record->bytes =
				(uint64_t)json_integer_value(json_object_get(args, "bytes"));
		record->correlation =
			(uint32_t)json_integer_value(json_object_get(args, "correlation"));
		record->kind = kind;
		record->name = json_string_value(json_object_get(event, "name"));
	}
	qsort(oracle->records, oracle->count, sizeof(*oracle->records), compare_records);
}

static struct record *own_records(const struct dp_trace *trace, int64_t zero_ns)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	struct record *records = calloc(ops->count + 1, sizeof(*records));

	for (size_t i = 0; i < ops->count; i++) {
		const struct dp_stream *stream = op_stream(trace, i);

		records[i] = (struct record){
			.start_ns = ops->start_ns[i] + zero_ns,
			.end_ns = ops->end_ns[i] + zero_ns,
			.device = dp_trace_device(trace, stream->device)->id,
			.stream = stream->stream,
			.bytes = ops->bytes[i],
			.correlation = ops->correlation[i],
			.kind = ops->kind[i],
			.name = op_name(trace, i),
		};
	}
	qsort(records, ops->count, sizeof(*records), compare_records);
	return records;
}

/*
 * Is a name the file's, or demangled from one in the file? The order is that of the file's names.
 */
static bool same_name(const char *own, const char *file)
{
	char *plain = NULL;
	bool same = !strcmp(own, file);

	if (!same && !strncmp(file, "_Z", 2) && dp_name__demangle(&plain, file) == DP_OK && plain)
		same = !strcmp(own, plain);
	free(plain);
	return same;
}

/* Returns how many operations were compared. */
static size_t compare_with_jansson(const char *file, const char *text, size_t length)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace = NULL;
	json_t *document = load(text, length);
	int64_t first_ns = INT64_MAX;
	struct oracle oracle;
	struct record *own;

	ck_assert_msg(document != NULL, "%s", file);
	ask_oracle(&oracle, document);
	if (!oracle.count) {
		ck_assert_int_eq(dp_trace_open(&trace, file, NULL, &error), DP_ERR_NO_GPU);
		free(oracle.records);
		unload();
		return 0;
	}
	ck_assert_msg(dp_trace_open(&trace, file, NULL, &error) == DP_OK, "%s", error.message);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, oracle.count);
	ck_assert_uint_eq(dp_trace_calls(trace)->count, oracle.calls);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, oracle.ranges);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	for (size_t i = 0; i < oracle.count; i++)
		first_ns = DP_MIN(first_ns, oracle.records[i].start_ns);
	own = own_records(trace, first_ns);
	for (size_t i = 0; i < oracle.count; i++) {
		const struct record *x = &own[i], *y = &oracle.records[i];
		/* Two times that each lost what a double loses at 10^15 µs. */
		int64_t slack = first_ns % 1000 || y->start_ns > INT64_C(1) << 53 ? 512 : 2;

		ck_assert_msg(x->correlation == y->correlation && same_name(x->name, y->name) &&
				      x->kind == y->kind && x->device == y->device &&
				      x->stream == y->stream,
			      "%s: operation %zu: %s, %s", file, i, x->name, y->name);
		ck_assert_msg(x->bytes == y->bytes || !y->bytes, "%s: %s", file, x->name);
		ck_assert_int_le(llabs(x->start_ns - y->start_ns), slack);
		ck_assert_int_le(llabs((x->end_ns - x->start_ns) - (y->end_ns - y->start_ns)),
				 slack);
	}
	free(own);
	free(oracle.records);
	unload();
	dp_trace_free(trace);
	return oracle.count;
}

static char *read_gzip(const char *file, size_t *length)
{
	gzFile gz = gzopen(file, "rb");
	size_t room = (size_t)64 << 20;
	char *text = malloc(room);
	int n;

	ck_assert_ptr_nonnull(gz);
	ck_assert_ptr_nonnull(text);
	*length = 0;
	while ((n = gzread(gz, text + *length, (unsigned)(room - *length))) > 0)
		*length += (size_t)n;
	ck_assert_int_eq(n, 0);
	ck_assert_uint_lt(*length, room);
	gzclose(gz);
	return text;
}

TEST(real_traces_as_jansson_reads_them)
{
	const char *folder = getenv("DEEPPROF_TRACES") ? getenv("DEEPPROF_TRACES") : DP_TRACES;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t length, compared = 0, least = 50000;
	char file[1024], *text;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (!strstr(entry->d_name, ".json.gz") || strstr(entry->d_name, "not-chrome"))
			continue;
		/* sanitizers are slow: a part is enough, as a build without them reads all */
		if (DP_SANITIZED && compared > least)
			break;
		snprintf(file, sizeof(file), "%s/%s", folder, entry->d_name);
		text = read_gzip(file, &length);
		compared += compare_with_jansson(file, text, length);
		free(text);
	}
	closedir(dir);
	ck_assert_uint_gt(compared, least);
}

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(random_state >> 33) % n;
}

static json_t *random_event(int64_t at_us, uint32_t correlation)
{
	static const char *const categories[] = { "kernel",	"Kernel",	  "gpu_memcpy",
						  "Memset",	"cuda_runtime",	  "cpu_op",
						  "Operator",	"ac2g",		  "python_function",
						  "gpu_memset", "user_annotation" };
	static const char *const names[] = { "plain",
					     "quo\"ted",
					     "back\\slash",
					     "\xc3\xa9\xe2\x82\xac",
					     "{[braces]}",
					     "\":,",
					     "line\nbreak",
					     "",
					     "void f<int, (g)1>(float*, char const*) [clone .x]" };
	json_t *args =
		json_pack("{s:i, s:[i,i,i], s:i, s:i, s:i, s:s}", "device", random_below(4), "grid",
			  1, 2, 3, "stream", random_below(30), "context", 1, "correlation",
			  correlation, "Call stack", names[random_below(DP_COUNT(names))]);
	json_t *event =
		json_pack("{s:s, s:s, s:s, s:I, s:i, s:i, s:o}", "ph", random_below(9) ? "X" : "i",
			  "cat", categories[random_below(DP_COUNT(categories))], "name",
			  names[random_below(DP_COUNT(names))], "ts", (json_int_t)at_us, "dur",
			  random_below(1000), "pid", 77, "args", args);

	json_object_set_new(event, "tid", random_below(2) ? json_integer(5) : json_string("5"));
	if (random_below(2))
		json_object_set_new(args, "bytes", json_integer(random_below(1 << 30)));
	if (random_below(4) == 0)
		json_object_set_new(event, "dur", json_real(random_below(1 << 20) / 1000.0));
	return event;
}

/* Any order of keys, any white space, all sizes around the window's. */
TEST(generated_traces_as_jansson_reads_them)
{
	static const size_t flags[] = { JSON_COMPACT, JSON_INDENT(1), JSON_INDENT(8),
					JSON_ENSURE_ASCII, JSON_SORT_KEYS };
	size_t compared = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		json_t *events = json_array(), *document;
		size_t count = seed % 10 ? 1 + seed * 3 : 3000;
		char *text;

		random_state = seed;
		for (size_t i = 0; i < count; i++)
			json_array_append_new(
				events, random_event((int64_t)(1000 + i * 7), (uint32_t)i + 1));
		json_array_append_new(events, random_event(5, 999999));
		json_object_set_new(json_array_get(events, count), "ph", json_string("X"));
		json_object_set_new(json_array_get(events, count), "cat", json_string("kernel"));
		document = seed % 3 ? json_pack("{s:{s:[{s:s}]}, s:o, s:s}", "other", "a", "name",
						"b", "traceEvents", events, "z", "end")
				    : events;
		text = json_dumps(document, flags[seed % DP_COUNT(flags)]);
		write_file(text, strlen(text));
		compared += compare_with_jansson(path, text, strlen(text));
		unlink(path);
		json_decref(document);
		free(text);
	}
	ck_assert_uint_gt(compared, 5000);
}

/* Cut anywhere, or with any byte changed: a trace, or an error; never anything else. */
TEST(damage_anywhere)
{
	static const char whole[] =
		"{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"A\"}],\n"
		"\"distributedInfo\": {\"rank\": 1}, \"traceEvents\": [\n" KERNEL(
			"a\\u00e9", "10.5",
			"1") ",\n"
			     "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":44,\"args\":{\"name\":\"m\"}},\n" KERNEL(
				     "b", "20", "2.25") "], \"baseTimeNanoseconds\": 5}";
	static const char changes[] = "\"\\{}[],:0x \n\xff";
	struct dp_error error;
	char *text = malloc(sizeof(whole));

	for (size_t cut = 0; cut < sizeof(whole); cut++)
		dp_trace_free(read_bytes(whole, cut, &error, "kineto"));
	for (size_t at = 0; at < sizeof(whole) - 1; at++) {
		for (size_t i = 0; i < sizeof(changes); i++) {
			memcpy(text, whole, sizeof(whole));
			text[at] = changes[i];
			dp_trace_free(read_bytes(text, sizeof(whole) - 1, &error, "kineto"));
		}
	}
	free(text);
}

/* Missing members of an event are not taken from an earlier one, whose text may be gone. */
TEST(nothing_is_left_of_events_before)
{
	static const char head[] = HEAD
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":9,\"tid\":9,\"args\":"
		"{\"name\":\"main\",\"labels\":\"row of thread 5\"}}," KERNEL(
			"k", "1",
			"1") ","
			     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":9,\"tid\":9,\"ts\":1,\"dur\":1,"
			     "\"name\":\"";
	static const char tail[] = "\"},{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":9,"
				   "\"tid\":9,\"args\":{\"name\":\"python\"}}]}";
	size_t size = (size_t)3 << 20;
	char *text = malloc(sizeof(head) + size + sizeof(tail));
	struct dp_error error;
	struct dp_trace *trace;

	ck_assert_ptr_nonnull(text);
	memcpy(text, head, sizeof(head) - 1);
	memset(text + sizeof(head) - 1, 'x', size);
	memcpy(text + sizeof(head) - 1 + size, tail, sizeof(tail));
	trace = read_bytes(text, strlen(text), &error, NULL);
	ck_assert_msg(trace != NULL, "%s", error.message);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	dp_trace_free(trace);
	free(text);
}

/* Unclosed brackets, nested without end: must be linear, so fast. */
TEST(hostile_nesting_is_linear)
{
	static const char *const bits[] = { "{\"ph\":[",
					    "{\"ph\":",
					    "[",
					    "{",
					    "\"",
					    "{\"name\":\"",
					    "{\"args\":{\"name\":[",
					    ",{\"ph\":\"X\",",
					    "\\\"",
					    "{\"ts\":1" };
	size_t size = (size_t)4 << 20;
	char *text = malloc(size + 64);
	struct dp_error error;

	for (size_t i = 0; i < DP_COUNT(bits); i++) {
		size_t used = (size_t)sprintf(text, HEAD);

		while (used < size)
			used += (size_t)sprintf(text + used, "%s", bits[i]);
		dp_trace_free(read_bytes(text, used, &error, "kineto"));
		ck_assert_int_ne(error.status, DP_OK);
	}
	free(text);
}
