/*
 * Importer of the CSV that rocprofv3 writes with --output-format csv, and "rocpd convert" from a
 * database. kernel_trace.csv and memory_copy_trace.csv have a row per operation, hip_api_trace.csv,
 * marker_api_trace.csv and the like one per call or range of the host. Times are nanoseconds.
 *
 * Columns differ between versions: ROCm 6.2 has neither thread nor stream of a kernel, 6.4 added
 * streams, and rocpd's tables begin with a Guid. As in rocprofv3's JSON, queues take the place of
 * missing streams.
 *
 * An agent is "GPU 1" with --agent-index=type-relative, else "Agent 4", or 4 in ROCm 6.2: its
 * number among processors and GPUs. agent_info.csv, which precedes other tables in alphabetical
 * order, has the types of all. Without it, the GPUs of the file are numbered in order.
 *
 * Each table has a header of its own, so the tables of a process that are joined in one file are
 * read together. Those of calls do not make a trace alone.
 *
 * Cost: linear; memory for one line (csv_lines.h).
 */
#include "import/csv_table.h"
#include "import/rocm.h"

#include <ctype.h>
#include <string.h>

enum column {
	NAME,
	DIRECTION,
	AGENT,
	TYPE,
	SOURCE,
	TARGET,
	QUEUE,
	STREAM,
	COUNTER,
	DOMAIN,
	FUNCTION,
	PID,
	TID,
	CORRELATION,
	START,
	END,
	COLUMNS
};

static const char *const column_names[COLUMNS] = {
	[NAME] = "Kernel_Name",
	[DIRECTION] = "Direction",
	[AGENT] = "Agent_Id,Logical_Node_Id",
	[TYPE] = "Agent_Type",
	[SOURCE] = "Source_Agent_Id",
	[TARGET] = "Destination_Agent_Id",
	[QUEUE] = "Queue_Id",
	[STREAM] = "Stream_Id",
	[COUNTER] = "Counter_Name",
	[DOMAIN] = "Domain",
	[FUNCTION] = "Function",
	[PID] = "Process_Id",
	[TID] = "Thread_Id",
	[CORRELATION] = "Correlation_Id",
	[START] = "Start_Timestamp",
	[END] = "End_Timestamp",
};

struct reader {
	struct dp_csv_lines csv;
	struct dp_csv_table table;
	void (*read)(struct reader *reader); /* a row of the table, NULL to skip it */
	uint32_t process;		     /* of all tables: those of operations do not name it */
	struct dp_lookup gpus; /* from the agents of agent_info.csv, and others, to numbers */
	bool has_agents;       /* operations refer to those */
	uint64_t good;
	uint64_t skipped;
	size_t columns; /* of the first table of operations or, before it, of calls */
	bool has_operations;
};

/* Gives an agent the next number. */
static uint32_t add_gpu(struct reader *reader, const struct dp_key *agent)
{
	uint32_t number = (uint32_t)reader->gpus.count;

	if (dp_lookup__set(&reader->gpus, agent, number))
		reader->csv.status = dp_error__nomem(reader->csv.import->error, 0);
	return number;
}

/* Reads "4", "Agent 4" or "GPU 1" as a GPU's number; *gpu stays if the table lacks the column. */
static bool read_agent(struct reader *reader, size_t column, int64_t *gpu)
{
	struct dp_csv_table *table = &reader->table;
	struct dp_slice text = dp_csv_table__cell(table, column);
	bool by_type = dp_slice__starts(text, "GPU") || dp_slice__starts(text, "CPU");
	struct dp_key agent = { 0 };
	size_t word = 0;
	uint32_t known;

	while (word < text.length && isalpha((unsigned char)text.at[word]))
		word++;
	if (word && word < text.length && (text.at[word] == ' ' || text.at[word] == '-'))
		word++;
	text.at += word;
	text.length -= word;
	if (!dp_csv_table__has(table, column))
		return true;
	if (!dp_slice__integer(text, &agent.part[0])) {
		dp_csv_table__bad_cell(table, column, "not an agent:");
		return false;
	}
	*gpu = agent.part[0];
	reader->has_agents |= !by_type;
	if (by_type || !reader->gpus.count)
		return true;
	known = dp_lookup__get(&reader->gpus, &agent);
	if (known == DP_NONE) /* its own number may be one of the others */
		known = add_gpu(reader, &agent);
	*gpu = known;
	return true;
}

/* Reads a row of agent_info.csv, which lists agents in order. */
static void read_gpu(struct reader *reader)
{
	struct dp_key agent = { 0 };

	if (dp_slice__is(dp_csv_table__cell(&reader->table, TYPE), "GPU") &&
	    dp_csv_table__number(&reader->table, AGENT, &agent.part[0]) &&
	    dp_lookup__get(&reader->gpus, &agent) == DP_NONE)
		add_gpu(reader, &agent);
}

/* Reads the number that a call and its operation share, 0 if there is none. */
static bool read_correlation(struct dp_csv_table *table, uint32_t *correlation)
{
	int64_t id = 0;

	if (!dp_csv_table__number(table, CORRELATION, &id))
		return false;
	*correlation = id <= UINT32_MAX ? (uint32_t)id : 0;
	return true;
}

/* Reads the times, the stream and the correlation of an operation, and adds it. */
static void add_op(struct reader *reader, struct dp_op *op, int64_t agent)
{
	struct dp_builder *builder = reader->csv.import->builder;
	struct dp_csv_table *table = &reader->table;
	int64_t stream = -1;

	if (!dp_csv_table__times(table, START, END, &op->start_ns, &op->end_ns) ||
	    !dp_csv_table__number(table, dp_csv_table__has(table, STREAM) ? STREAM : QUEUE,
				  &stream) ||
	    !read_correlation(table, &op->correlation))
		return;
	op->stream = dp_builder__stream(builder, reader->process, agent, -1, stream);
	/* A failure of the builder is kept, so checking the last call is enough. */
	reader->csv.status = dp_builder__op(builder, op);
	reader->good++;
}

static void read_kernel(struct reader *reader)
{
	struct dp_slice name = dp_csv_table__cell(&reader->table, NAME);
	struct dp_op op = { .kind = DP_OP_KERNEL };
	int64_t agent = 0;

	if (!name.length) {
		dp_csv_table__bad_cell(&reader->table, NAME, "");
		return;
	}
	if (!read_agent(reader, AGENT, &agent))
		return;
	op.name = dp_builder__kernel_name(reader->csv.import->builder, name.at, name.length);
	add_op(reader, &op, agent);
}

/* Reads a row whose direction is MEMORY_COPY_HOST_TO_DEVICE, or HOST_TO_DEVICE in ROCm 6.2. */
static void read_copy(struct reader *reader)
{
	struct dp_csv_table *table = &reader->table;
	struct dp_slice direction = dp_csv_table__cell(table, DIRECTION);
	bool from = dp_slice__has(direction, "DEVICE_TO_");
	bool to = dp_slice__has(direction, "_TO_DEVICE");
	struct dp_op op = { 0 };
	int64_t source = 0, target = 0;

	if (!from && !to && !dp_slice__has(direction, "HOST_TO_HOST")) {
		dp_csv_table__bad_cell(table, DIRECTION, "not the direction of a copy:");
		return;
	}
	if (!from && !to) { /* no GPU's */
		reader->good++;
		return;
	}
	if (!read_agent(reader, SOURCE, &source) || !read_agent(reader, TARGET, &target))
		return;
	dp_rocm__set_copy(&op, from, to, source != target);
	op.name = dp_builder__copy_name(reader->csv.import->builder, op.copy_kind);
	add_op(reader, &op, from ? source : target);
}

static void add_call(struct reader *reader, const struct dp_call *call, enum dp_rocm_region region)
{
	const struct dp_range range = { call->start_ns, call->end_ns, call->name, call->thread,
					region == DP_ROCM_MARKER ? DP_RANGE_NVTX
								 : DP_RANGE_OPERATOR };

	reader->csv.status = region == DP_ROCM_CALL
				     ? dp_builder__add_call(reader->csv.import->builder, call)
				     : dp_builder__add_range(reader->csv.import->builder, &range);
}

/* Reads a call of a library on the host, or a range, which is named by its message. */
static void read_call(struct reader *reader)
{
	struct dp_builder *builder = reader->csv.import->builder;
	struct dp_csv_table *table = &reader->table;
	struct dp_slice domain = dp_csv_table__cell(table, DOMAIN);
	struct dp_slice name = dp_csv_table__cell(table, FUNCTION);
	enum dp_rocm_region region = dp_rocm__region(domain.at, domain.length);
	struct dp_call call = { 0 };
	int64_t pid = -1, tid = -1;

	if (!dp_csv_table__times(table, START, END, &call.start_ns, &call.end_ns) ||
	    !dp_csv_table__number(table, PID, &pid) || !dp_csv_table__number(table, TID, &tid) ||
	    !read_correlation(table, &call.correlation))
		return;
	reader->good++;
	/* Marks have no duration. */
	if (region == DP_ROCM_OTHER || (region == DP_ROCM_MARKER && call.start_ns == call.end_ns))
		return;
	if (pid >= 0)
		dp_builder__pid(builder, reader->process, pid);
	call.name = dp_builder__string(builder, name.at, name.length);
	call.thread = dp_builder__thread(builder, reader->process, tid);
	add_call(reader, &call, region);
}

/* The first column is that of all tables that rocprofv3 writes; a row of data never has its name.
 */
static bool is_header(const struct reader *reader)
{
	static const char *const first[] = { "Kind", "Guid", "Domain", "Node_Id" };

	for (size_t i = 0; i < DP_COUNT(first); i++)
		if (dp_slice__is(dp_csv_lines__field(&reader->csv, 0), first[i]))
			return true;
	/* Other programs put a column in front. */
	for (size_t i = 1; !reader->table.columns && i < reader->csv.field_count; i++)
		if (dp_slice__is(dp_csv_lines__field(&reader->csv, i), column_names[START]))
			return true;
	return false;
}

static void read_header(struct reader *reader)
{
	struct dp_csv_table *table = &reader->table;

	dp_csv_table__header(table, column_names, COLUMNS);
	/* Operations that were read before it do not have its numbers. */
	reader->read = dp_csv_table__has(table, TYPE) && !reader->has_operations ? read_gpu : NULL;
	if (reader->read && !reader->columns)
		reader->columns = table->columns;
	if (!dp_csv_table__has(table, START) || !dp_csv_table__has(table, END) ||
	    dp_csv_table__has(table, COUNTER))
		return;
	if (dp_csv_table__has(table, NAME))
		reader->read = read_kernel;
	else if (dp_csv_table__has(table, DIRECTION))
		reader->read = read_copy;
	else if (dp_csv_table__has(table, DOMAIN) && dp_csv_table__has(table, FUNCTION))
		reader->read = read_call;
	if (reader->read && !reader->has_operations)
		reader->columns = table->columns;
	reader->has_operations |= reader->read == read_kernel || reader->read == read_copy;
}

static void read_row(void *ctx)
{
	struct reader *reader = ctx;

	if (reader->csv.status)
		return;
	if (is_header(reader))
		read_header(reader);
	else if (!reader->read)
		reader->skipped++;
	else if (dp_csv_table__check_length(&reader->table))
		reader->read(reader);
}

static bool has_rows(void *ctx)
{
	const struct reader *reader = ctx;

	return reader->read != NULL;
}

static int read_csv(struct dp_import *import)
{
	static const char elsewhere[] =
		"kernels are in the kernel_trace.csv of the same run: join both files (cat)";
	struct reader reader = {
		.csv = { .import = import, .row = read_row, .has_rows = has_rows },
		.process = dp_builder__process(import->builder, -1),
	};
	int status;

	reader.csv.ctx = &reader;
	reader.table.csv = &reader.csv;
	status = dp_csv_lines__read(&reader.csv);
	if (!status)
		status = dp_csv_lines__conclude(&reader.csv, reader.good);
	if (reader.has_agents && !reader.gpus.count)
		dp_builder__number_devices(import->builder);
	dp_lookup__fini(&reader.gpus);
	if (status)
		return status;
	if (!reader.columns)
		return dp_error__set(import->error, DP_ERR_DAMAGED,
				     "rocprofv3 CSV without a header row of columns");
	if (!reader.has_operations)
		dp_builder__explain_no_gpu(import->builder, "rocprofv3", elsewhere,
					   sizeof(elsewhere) - 1);
	if (reader.skipped)
		dp_log__write(&import->options->log, DP_LOG_INFO,
			      "%llu rows of other tables are skipped",
			      (unsigned long long)reader.skipped);
	dp_builder__detail(import->builder, "%zu columns", reader.columns);
	return DP_OK;
}

/* The tables of calls count, too: those of operations may follow. */
static int probe(const struct dp_probe *probe)
{
	static const struct {
		const char *first, *second;
	} known[] = { { "Kind", "Kernel_Name" },
		      { "Kind", "Direction" },
		      { "Domain", "Function" } };
	struct dp_slice line = { probe->head, probe->length };
	const char *end = memchr(line.at, '\n', line.length);

	if (end)
		line.length = (size_t)(end - line.at);
	if (!line.length || line.at[0] == '{' || line.at[0] == '[' ||
	    dp_slice__has(line, column_names[COUNTER]))
		return 0;
	if (dp_slice__has(line, "Logical_Node_Id") && dp_slice__has(line, column_names[TYPE]))
		return 90;
	if (!dp_slice__has(line, column_names[START]) || !dp_slice__has(line, column_names[END]))
		return 0;
	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (dp_slice__has(line, known[i].first) && dp_slice__has(line, known[i].second))
			return 90;
	return 0;
}

const struct dp_importer dp_importer__rocprofv3_csv = {
	.info = { "rocprofv3_csv", "ROCm rocprofv3, kernel_trace.csv, memory_copy_trace.csv" },
	.how_to_record = "rocprofv3 --sys-trace --output-format rocpd",
	.probe = probe,
	.read = read_csv,
};
