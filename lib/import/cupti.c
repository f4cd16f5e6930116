/* CUPTI's records as databases store them: see cupti.h. */
#include "import/cupti.h"
#include "import/xla_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

int dp_cupti__open(struct dp_cupti *cupti, const struct dp_import *import,
		   const struct dp_cupti_format *format)
{
	int status;

	cupti->import = import;
	cupti->format = format;
	dp_places__init(&cupti->places, import->builder, import->error);
	status = dp_database__open(&cupti->database, import);
	if (!status)
		status = dp_names__new(&cupti->names, cupti->database,
				       dp_database__table(cupti->database, format->names),
				       format->id, format->text);
	return status;
}

int dp_cupti__close(struct dp_cupti *cupti, int status)
{
	dp_names__free(cupti->names);
	if (!status)
		status = dp_database__finish(cupti->database);
	dp_places__fini(&cupti->places);
	dp_gpus__fini(&cupti->gpus);
	dp_lookup__fini(&cupti->calls);
	dp_lookup__fini(&cupti->nvtx_domains);
	dp_lookup__fini(&cupti->plain_names);
	dp_database__close(cupti->database);
	return status;
}

static size_t count_columns(const struct dp_cupti_table *table)
{
	size_t count = DP_ROWS_COLUMNS_MAX;

	while (count && !table->columns[count - 1].names)
		count--;
	return count;
}

int dp_cupti__scan_as(struct dp_cupti *cupti, const struct dp_cupti_table *table, const char *name)
{
	struct dp_rows rows;
	int done = 0, status = dp_rows__open(&rows, cupti->database, name, table->columns,
					     count_columns(table));

	while (!done && status == 1 && (status = dp_rows__next(&rows)) == 1)
		done = table->read(cupti, &rows);
	dp_rows__close(&rows);
	if (done < 0)
		return dp_cupti__failed(cupti);
	return status == 1 ? DP_OK : status;
}

int dp_cupti__scan(struct dp_cupti *cupti, const struct dp_cupti_table *tables)
{
	int status = DP_OK;

	for (; !status && tables->name; tables++)
		status = dp_cupti__scan_as(cupti, tables,
					   dp_database__table(cupti->database, tables->name));
	return status;
}

void dp_cupti__expect(struct dp_cupti *cupti, const struct dp_cupti_table *tables)
{
	for (; tables->name; tables++)
		dp_database__expect(cupti->database,
				    dp_database__table(cupti->database, tables->name));
}

bool dp_cupti__times(const struct dp_cupti *cupti, struct dp_rows *rows, int64_t *start_ns,
		     int64_t *end_ns)
{
	bool durations = cupti->format->has_durations;

	*end_ns = 0;
	if (!dp_rows__time(rows, DP_CUPTI_START, start_ns) ||
	    (!dp_rows__time(rows, DP_CUPTI_END, end_ns) &&
	     !(durations && dp_rows__is_null(rows, DP_CUPTI_END)))) {
		dp_rows__skip(rows, "no valid time");
		return false;
	}
	if (durations)
		*end_ns += *start_ns;
	return true;
}

/*
 * Reads an operation's times. Returns false if they are invalid or were not collected, which CUPTI
 * reports as 0 and 0 (cupti_activity.h, CUpti_ActivityKernel). In a file with durations, a start of
 * 0 is that of the recording.
 */
static bool read_op_times(struct dp_cupti *cupti, struct dp_rows *rows, struct dp_op *op)
{
	if (!dp_cupti__times(cupti, rows, &op->start_ns, &op->end_ns))
		return false;
	if (cupti->format->has_durations || op->start_ns || op->end_ns)
		return true;
	dp_rows__skip(rows, "its times were not collected");
	return false;
}

/* Reads what all operations have. Returns 1, 0 if the row cannot be used, or a status. */
static int get_op(struct dp_cupti *cupti, struct dp_rows *rows, struct dp_op *op)
{
	const struct dp_cupti_format *format = cupti->format;

	if (!read_op_times(cupti, rows, op))
		return 0;
	if (format->has_durations && dp_rows__is_null(rows, DP_CUPTI_END) &&
	    dp_builder__loss(cupti->import->builder,
			     "ends of operations still running when the recording ended", 1, 0))
		return dp_cupti__failed(cupti);
	op->correlation = dp_rows__correlation(rows, DP_CUPTI_CORRELATION);
	op->stream = dp_places__stream(
		&cupti->places, format->pid(cupti, rows), dp_rows__id(rows, DP_CUPTI_DEVICE),
		dp_rows__id(rows, DP_CUPTI_CONTEXT), dp_rows__id(rows, DP_CUPTI_STREAM));
	if (op->stream == DP_NONE)
		return dp_cupti__failed(cupti);
	if (format->operation && format->operation(cupti, rows, op))
		return dp_cupti__failed(cupti);
	return 1;
}

static int add_op(struct dp_cupti *cupti, const struct dp_op *op)
{
	if (op->name == DP_NONE)
		return dp_cupti__failed(cupti);
	return dp_builder__op(cupti->import->builder, op);
}

static uint32_t kernel_name(struct dp_cupti *cupti, struct dp_rows *rows)
{
	static const size_t columns[] = { DP_CUPTI_NAME, DP_CUPTI_SHORT_NAME,
					  DP_CUPTI_MANGLED_NAME };

	return dp_names__get_kernel(cupti->names, rows, columns, DP_COUNT(columns));
}

int dp_cupti__read_kernel(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_op op = { .kind = DP_OP_KERNEL };
	int status = get_op(cupti, rows, &op);

	if (status != 1)
		return status;
	op.name = kernel_name(cupti, rows);
	return add_op(cupti, &op);
}

int dp_cupti__add_copy(struct dp_cupti *cupti, struct dp_op *op)
{
	op->name = dp_builder__copy_name(cupti->import->builder, op->copy_kind);
	return add_op(cupti, op);
}

/* nsys counts kinds of memory from 0, and unknown is 7; CUPTI counts from 1, and unknown is 0. */
static enum dp_memory_kind memory(const struct dp_cupti *cupti, struct dp_rows *rows, size_t column)
{
	int64_t kind;

	if (!cupti->format->memory_from_0)
		return (enum dp_memory_kind)dp_rows__integer(
			rows, column, 0, DP_MEMORY_MANAGED_STATIC, DP_MEMORY_UNKNOWN);
	kind = dp_rows__integer(rows, column, 0, 7, 7);
	return kind == 7 ? DP_MEMORY_UNKNOWN : (enum dp_memory_kind)(kind + 1);
}

int dp_cupti__read_copy(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_op op = { .kind = DP_OP_COPY };
	int status = get_op(cupti, rows, &op);

	if (status != 1)
		return status;
	op.bytes = dp_rows__bytes(rows, DP_CUPTI_BYTES);
	op.copy_kind = (enum dp_copy_kind)dp_rows__integer(rows, DP_CUPTI_KIND, 0, DP_COPY_UM_DTOD,
							   DP_COPY_UNKNOWN);
	op.src_kind = memory(cupti, rows, DP_CUPTI_SOURCE);
	op.dst_kind = memory(cupti, rows, DP_CUPTI_TARGET);
	return dp_cupti__add_copy(cupti, &op);
}

int dp_cupti__read_set(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_op op = { .kind = DP_OP_MEMSET };
	int status = get_op(cupti, rows, &op);

	if (status != 1)
		return status;
	op.bytes = dp_rows__bytes(rows, DP_CUPTI_BYTES);
	op.dst_kind = memory(cupti, rows, DP_CUPTI_TARGET);
	op.name = dp_builder__set_name(cupti->import->builder);
	return add_op(cupti, &op);
}

int dp_cupti__read_graph(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_op op = { .kind = DP_OP_GRAPH };
	int status = get_op(cupti, rows, &op), n;
	char name[40];

	if (status != 1)
		return status;
	n = snprintf(name, sizeof(name), "graph %lld", (long long)dp_rows__id(rows, DP_CUPTI_NAME));
	op.name = dp_builder__string(cupti->import->builder, name, (size_t)n);
	return add_op(cupti, &op);
}

int dp_cupti__read_call(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_call call = { 0 };

	if (!dp_cupti__times(cupti, rows, &call.start_ns, &call.end_ns))
		return DP_OK;
	if (cupti->format->thread(cupti, rows, &call.thread))
		return dp_cupti__failed(cupti);
	call.correlation = dp_rows__correlation(rows, DP_CUPTI_CORRELATION);
	call.name = cupti->format->call_name(cupti, rows);
	if (call.name == DP_NONE)
		return dp_cupti__failed(cupti);
	return dp_builder__add_call(cupti->import->builder, &call);
}

/* nsys's device of a synchronization is not always right: the stream is found without it. */
int dp_cupti__get_sync(struct dp_cupti *cupti, struct dp_rows *rows, struct dp_sync *sync)
{
	if (!dp_cupti__times(cupti, rows, &sync->start_ns, &sync->end_ns))
		return 0;
	sync->correlation = dp_rows__correlation(rows, DP_CUPTI_CORRELATION);
	sync->kind = (enum dp_sync_kind)dp_rows__integer(rows, DP_CUPTI_KIND, 0, DP_SYNC_CONTEXT,
							 DP_SYNC_UNKNOWN);
	sync->stream = dp_places__find_queue(&cupti->places, cupti->format->pid(cupti, rows),
					     dp_rows__id(rows, DP_CUPTI_CONTEXT),
					     dp_rows__id(rows, DP_CUPTI_STREAM));
	return 1;
}

int dp_cupti__read_sync(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_sync sync = { 0 };
	int status = dp_cupti__get_sync(cupti, rows, &sync);

	return status == 1 ? dp_builder__add_sync(cupti->import->builder, &sync) : status;
}

uint32_t dp_cupti__range_name(struct dp_cupti *cupti, struct dp_rows *rows)
{
	size_t length;
	const char *text = dp_rows__text(rows, DP_CUPTI_TEXT, &length);

	if (!text && !dp_rows__is_null(rows, DP_CUPTI_NAME))
		return dp_names__get(cupti->names, dp_rows__id(rows, DP_CUPTI_NAME), false);
	return dp_builder__string(cupti->import->builder, text ? text : "", length);
}

/* Only the repair of invalid characters makes a text longer; XLA's names have none. */
static uint32_t read_plain(struct dp_cupti *cupti, uint32_t name)
{
	const char *text = dp_builder__text(cupti->import->builder, name);
	size_t length = strlen(text);
	char plain[DP_BUILDER_TEXT_MOST];

	length = length <= sizeof(plain) ? dp_xla_name__plain(plain, text, length) : 0;
	return length ? dp_builder__string(cupti->import->builder, plain, length) : name;
}

/* Each name is read once, since millions of ranges may share it. */
uint32_t dp_cupti__plain_name(struct dp_cupti *cupti, uint32_t name)
{
	struct dp_key key = { { name } };
	uint32_t plain;

	if (name == DP_NONE ||
	    !dp_xla_name__is_likely(dp_builder__text(cupti->import->builder, name)))
		return name;
	plain = dp_lookup__get(&cupti->plain_names, &key);
	if (plain != DP_NONE)
		return plain;
	plain = read_plain(cupti, name);
	if (plain != DP_NONE && dp_lookup__set(&cupti->plain_names, &key, plain)) {
		dp_cupti__nomem(cupti);
		return DP_NONE;
	}
	return plain;
}

int dp_cupti__get_range(struct dp_cupti *cupti, struct dp_rows *rows, struct dp_range *range)
{
	*range = (struct dp_range){ .kind = DP_RANGE_NVTX };
	if (dp_rows__is_null(rows, DP_CUPTI_END))
		return dp_builder__loss(cupti->import->builder, "NVTX ranges that never ended", 1,
					0);
	if (!dp_cupti__times(cupti, rows, &range->start_ns, &range->end_ns))
		return 0;
	if (cupti->format->thread(cupti, rows, &range->thread))
		return dp_cupti__failed(cupti);
	range->name = dp_cupti__plain_name(cupti, dp_cupti__range_name(cupti, rows));
	return range->name == DP_NONE ? dp_cupti__failed(cupti) : 1;
}

/*
 * Names of the NVTX domains of libraries. NCCL, its proxy, CCCL (CUB and Thrust) and cuBLAS
 * register these; the others' are those of their libraries.
 */
static const char *const library_domains[] = {
	"CCCL",	      "com.nvidia.nccl.proxy",
	"cuBLAS",     "cuBLASLt",
	"cuDNN",      "cuFFT",
	"cuFile",     "cuRAND",
	"cuSOLVER",   "cuSPARSE",
	"cuSPARSELt", "cuTENSOR",
	"MPI",	      "NCCL",
	"NPP",	      "nvJPEG",
	"NVSHMEM",    "OpenSHMEM",
	"RCCL",	      "Thrust",
	"UCC",	      "UCX",
};

static bool is_library(const char *domain)
{
	for (size_t i = 0; i < DP_COUNT(library_domains); i++)
		if (!strcasecmp(domain, library_domains[i]))
			return true;
	return false;
}

int dp_cupti__note_domain(struct dp_cupti *cupti, int64_t pid, int64_t domain, uint32_t name)
{
	struct dp_key key = { { pid, domain } };
	bool library = is_library(dp_builder__text(cupti->import->builder, name));

	return dp_lookup__set(&cupti->nvtx_domains, &key,
			      library ? DP_RANGE_OPERATOR : DP_RANGE_NVTX)
		       ? dp_cupti__nomem(cupti)
		       : DP_OK;
}

enum dp_range_kind dp_cupti__range_kind(const struct dp_cupti *cupti, int64_t pid, int64_t domain)
{
	struct dp_key key = { { pid, domain } };
	uint32_t kind = dp_lookup__get(&cupti->nvtx_domains, &key);

	return kind == DP_NONE ? DP_RANGE_NVTX : (enum dp_range_kind)kind;
}

/* The number of the default domain is 0, or NULL. */
int dp_cupti__named_domain(struct dp_cupti *cupti, int64_t domain, enum dp_range_kind *kind)
{
	struct dp_key key = { { -1, domain } };
	uint32_t name;

	*kind = DP_RANGE_NVTX;
	if (domain <= 0)
		return DP_OK;
	if (dp_lookup__get(&cupti->nvtx_domains, &key) == DP_NONE) {
		name = dp_names__get(cupti->names, domain, false);
		if (name == DP_NONE)
			return dp_cupti__failed(cupti);
		if (dp_cupti__note_domain(cupti, -1, domain, name))
			return dp_cupti__failed(cupti);
	}
	*kind = dp_cupti__range_kind(cupti, -1, domain);
	return DP_OK;
}

/*
 * CUpti_ActivityMemoryOperationType counts from 1: allocated, released. nsys's
 * ENUM_CUDA_DEV_MEM_EVENT_OPER counts from 0, as its kinds of memory do. Memory on devices without
 * operations is ignored.
 */
int dp_cupti__read_memory(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t allocated = cupti->format->memory_from_0 ? 0 : 1, time_ns;
	int64_t operation = dp_rows__id(rows, DP_CUPTI_KIND);
	int64_t bytes = dp_rows__integer(rows, DP_CUPTI_BYTES, 0, INT64_MAX, 0);
	uint32_t device = dp_places__find_device(&cupti->places, cupti->format->pid(cupti, rows),
						 dp_rows__id(rows, DP_CUPTI_DEVICE));

	if (memory(cupti, rows, DP_CUPTI_TARGET) != DP_MEMORY_DEVICE || device == DP_NONE ||
	    (operation != allocated && operation != allocated + 1))
		return DP_OK;
	if (!dp_rows__time(rows, DP_CUPTI_START, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_memory(cupti->import->builder, time_ns, device,
				      operation == allocated ? bytes : -bytes);
}

uint32_t dp_cupti__call_name(struct dp_cupti *cupti, int64_t domain, int64_t cbid)
{
	struct dp_key key = { { domain, cbid } };
	uint32_t string = dp_lookup__get(&cupti->calls, &key);
	const char *name;
	char buf[48];

	if (string != DP_NONE)
		return string;
	name = dp_cbid__name(domain == DP_CBID_DRIVER ? DP_CBID_DRIVER : DP_CBID_RUNTIME, cbid, buf,
			     sizeof(buf));
	string = dp_builder__string(cupti->import->builder, name, strlen(name));
	if (string != DP_NONE && dp_lookup__set(&cupti->calls, &key, string)) {
		dp_cupti__nomem(cupti);
		return DP_NONE;
	}
	return string;
}

int dp_cupti__string(struct dp_cupti *cupti, struct dp_rows *rows, size_t column, uint32_t *string)
{
	size_t length;
	const char *text = dp_rows__text(rows, column, &length);

	*string = DP_NONE;
	if (length)
		*string = dp_builder__string(cupti->import->builder, text, length);
	return length && *string == DP_NONE ? dp_cupti__failed(cupti) : DP_OK;
}
