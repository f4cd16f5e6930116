/*
 * RPD, the database of rocmProfileData: schemas 2 and 3. Times are nanoseconds of the host's
 * monotonic clock.
 *
 * rocpd_op has the operations of GPUs, which opType_id names: KernelExecution, Task (a kernel of a
 * graph), CopyHostToDevice, FillBuffer; Kernel, Memcpy and Memset on CUDA. The name of a kernel is
 * its description. rocpd_api has the calls of the host, and roctx's ranges with the name UserMarker
 * and their message as the argument. rocpd_api_ops links operations with the calls that launched
 * them, and rocpd_copyapi has the sizes of the copies of a call.
 *
 * Operations have no process: it is that of the call. Several processes may write to one file, each
 * with ids from a multiple of 2^32, so the lower half of a call's id is unique in its process.
 *
 * Cost: linear in the rows, and a sort of the links if they are not in order; memory for a link
 * and a call 16 bytes each.
 */
#include "base/search.h"
#include "import/database.h"
#include "import/rocm.h"

#include <ctype.h>
#include <string.h>

enum row_kind {
	ROW_KERNEL,
	ROW_COPY,
	ROW_SET,
	ROW_CALL,
	ROW_MARKER,
	ROW_OPERATOR,
	ROW_NONE,
};

struct link {
	int64_t op, api;
};

struct host {
	int64_t api, pid;
};

struct copy {
	int64_t api;
	uint64_t bytes;	   /* of its operations that were not read yet; 0: unknown */
	size_t operations; /* how many copies these are */
	int64_t kind;	/* HIP's and CUDA's number */
	bool peers;
};

struct rpd {
	const struct dp_import *import;
	struct dp_database *database;
	struct dp_places places;
	struct dp_names *strings, *arguments;
	struct link *links; /* by op */
	size_t link_count, link_room;
	struct host *hosts; /* by api */
	size_t host_count, host_room;
	struct copy *copies; /* by api */
	size_t copy_count, copy_room;
	int64_t pid; /* of the first call, -1: none */
	/* What the previous row's name is: the next one mostly has the same. */
	int64_t last_id;
	bool last_known;
	enum row_kind last_kind;
};

static int failed(const struct rpd *rpd)
{
	return rpd->import->error->status;
}

static int nomem(const struct rpd *rpd)
{
	return dp_error__nomem(rpd->import->error, 0);
}

static int scan(struct rpd *rpd, const char *table, const struct dp_column *columns, size_t count,
		int (*read)(struct rpd *rpd, struct dp_rows *rows))
{
	struct dp_rows rows;
	int status = dp_rows__open(&rows, rpd->database, dp_database__table(rpd->database, table),
				   columns, count);

	while (status == 1 && (status = dp_rows__next(&rows)) == 1) {
		if (read(rpd, &rows) < 0) {
			status = failed(rpd);
			break;
		}
	}
	dp_rows__close(&rows);
	rpd->last_known = false;
	return status;
}

/* Returns false if a time is missing; the row is then skipped. */
static bool read_times(struct dp_rows *rows, size_t start, size_t end, int64_t *start_ns,
		       int64_t *end_ns)
{
	if (dp_rows__time(rows, start, start_ns) && dp_rows__time(rows, end, end_ns))
		return true;
	dp_rows__skip(rows, "no valid time");
	return false;
}

/* Returns what an id of rocpd_string stands for, by a function of the text. */
static enum row_kind classify(struct rpd *rpd, int64_t id,
			      enum row_kind (*kind_of)(const char *name, size_t length))
{
	const char *name;
	uint32_t string;

	if (rpd->last_known && rpd->last_id == id)
		return rpd->last_kind;
	string = dp_names__get(rpd->strings, id, false);
	if (string == DP_NONE)
		return ROW_NONE;
	name = dp_builder__text(rpd->import->builder, string);
	rpd->last_id = id;
	rpd->last_known = true;
	return rpd->last_kind = kind_of(name, dp_texts__head(name));
}

/*
 * The host: calls and ranges.
 */

/* Rows about the tracer's own work. */
static bool is_overhead(const char *name, size_t length)
{
	static const char *const words[] = { "_activity_callback", "buffer_callback", "::writeRows",
					     "::insert",	   "::flush",	      "rpdflush",
					     "run_to_completion",  "BLOCKING" };

	for (size_t i = 0; i < DP_COUNT(words); i++)
		if (dp_rocm__contains(name, length, words[i]))
			return true;
	return false;
}

static enum row_kind kind_of_api(const char *name, size_t length)
{
	static const char *const prefixes[] = { "hip", "cuda", "cu", "hsa_", "__hip" };

	if (!strcmp(name, "UserMarker"))
		return ROW_MARKER;
	for (size_t i = 0; i < DP_COUNT(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (!strncmp(name, prefixes[i], n) && (isupper((unsigned char)name[n]) ||
						       prefixes[i][n - 1] == '_' || name[0] == '_'))
			return ROW_CALL;
	}
	return is_overhead(name, length) ? ROW_NONE : ROW_OPERATOR;
}

enum { API_ID, API_PID, API_TID, API_START, API_END, API_NAME, API_ARGS, API_COLUMNS };

static int keep_host(struct rpd *rpd, int64_t api, int64_t pid)
{
	if (rpd->pid < 0)
		rpd->pid = pid;
	if (dp_array__reserve(&rpd->hosts, &rpd->host_room, rpd->host_count + 1,
			      sizeof(*rpd->hosts)))
		return nomem(rpd);
	rpd->hosts[rpd->host_count++] = (struct host){ api, pid };
	return DP_OK;
}

static int add_range(struct rpd *rpd, const struct dp_call *call, enum row_kind kind)
{
	const struct dp_range range = { call->start_ns, call->end_ns, call->name, call->thread,
					kind == ROW_MARKER ? DP_RANGE_NVTX : DP_RANGE_OPERATOR };

	return dp_builder__add_range(rpd->import->builder, &range);
}

static int read_api(struct rpd *rpd, struct dp_rows *rows)
{
	int64_t id = dp_rows__id(rows, API_ID), pid = dp_rows__id(rows, API_PID);
	int64_t name = dp_rows__id(rows, API_NAME);
	struct dp_call call = { .correlation = (uint32_t)id };
	enum row_kind kind = classify(rpd, name, kind_of_api);

	if (failed(rpd) || keep_host(rpd, id, pid))
		return failed(rpd);
	if (kind == ROW_NONE || !read_times(rows, API_START, API_END, &call.start_ns, &call.end_ns))
		return DP_OK;
	/* Marks have no duration. */
	if (kind == ROW_MARKER && call.start_ns == call.end_ns)
		return DP_OK;
	call.thread = dp_places__thread(&rpd->places, pid, dp_rows__id(rows, API_TID));
	call.name = kind == ROW_MARKER
			    ? dp_names__get(rpd->arguments, dp_rows__id(rows, API_ARGS), false)
			    : dp_names__get(rpd->strings, name, false);
	if (call.thread == DP_NONE || call.name == DP_NONE)
		return failed(rpd);
	return kind == ROW_CALL ? dp_builder__add_call(rpd->import->builder, &call)
				: add_range(rpd, &call, kind);
}

/*
 * What operations refer to.
 */

enum { LINK_API, LINK_OP, LINK_COLUMNS };

static int read_link(struct rpd *rpd, struct dp_rows *rows)
{
	if (dp_array__reserve(&rpd->links, &rpd->link_room, rpd->link_count + 1,
			      sizeof(*rpd->links)))
		return nomem(rpd);
	rpd->links[rpd->link_count++] =
		(struct link){ dp_rows__id(rows, LINK_OP), dp_rows__id(rows, LINK_API) };
	return DP_OK;
}

enum { COPY_API, COPY_SIZE, COPY_WIDTH, COPY_HEIGHT, COPY_KIND, COPY_SRC, COPY_DST, COPY_COLUMNS };

/* Returns a number of bytes or rows; what is unknown is the text "". */
static uint64_t size_of(struct dp_rows *rows, size_t column)
{
	size_t length;

	return dp_rows__text(rows, column, &length) ? 0 : dp_rows__bytes(rows, column);
}

static int read_copy_call(struct rpd *rpd, struct dp_rows *rows)
{
	struct copy copy = { .api = dp_rows__id(rows, COPY_API),
			     .bytes = size_of(rows, COPY_SIZE),
			     .kind = (int64_t)size_of(rows, COPY_KIND),
			     .peers = size_of(rows, COPY_SRC) != size_of(rows, COPY_DST) };

	if (!copy.bytes && __builtin_mul_overflow(size_of(rows, COPY_WIDTH),
						  size_of(rows, COPY_HEIGHT), &copy.bytes))
		copy.bytes = 0;
	if (dp_array__reserve(&rpd->copies, &rpd->copy_room, rpd->copy_count + 1,
			      sizeof(*rpd->copies)))
		return nomem(rpd);
	rpd->copies[rpd->copy_count++] = copy;
	return DP_OK;
}

/* Each struct begins with the number that it is sorted by. */
static int compare_first(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int compare_links(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	return x->op != y->op ? compare_first(a, b) : (x->api > y->api) - (x->api < y->api);
}

static void sort(void *list, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	const char *at = list;

	for (size_t i = 1; i < count; i++)
		if (compare(at + (i - 1) * size, at + i * size) > 0) {
			qsort(list, count, size, compare);
			return;
		}
}

/* Returns the call that launched an operation, or NULL. */
static const struct link *find_link(const struct rpd *rpd, int64_t op)
{
	size_t at = 0;

	DP_FIND(at, 0, rpd->link_count, rpd->links[at].op >= op);
	return at < rpd->link_count && rpd->links[at].op == op ? &rpd->links[at] : NULL;
}

static int64_t find_pid(const struct rpd *rpd, int64_t api)
{
	size_t at = 0;

	DP_FIND(at, 0, rpd->host_count, rpd->hosts[at].api >= api);
	return at < rpd->host_count && rpd->hosts[at].api == api ? rpd->hosts[at].pid : rpd->pid;
}

static struct copy *find_copy(const struct rpd *rpd, int64_t api)
{
	size_t at = 0;

	DP_FIND(at, 0, rpd->copy_count, rpd->copies[at].api >= api);
	return at < rpd->copy_count && rpd->copies[at].api == api ? &rpd->copies[at] : NULL;
}

/*
 * Operations.
 */

static enum row_kind kind_of_op(const char *name, size_t length)
{
	if (dp_rocm__contains(name, length, "copy") || dp_rocm__contains(name, length, "memcpy"))
		return ROW_COPY;
	if (dp_rocm__contains(name, length, "fill") || dp_rocm__contains(name, length, "memset"))
		return ROW_SET;
	return ROW_KERNEL;
}

/* True if the type of an operation is CUDA's: its queue is then the context. */
static bool is_cuda(const char *type)
{
	static const char *const types[] = { "Kernel", "ConcurrentKernel", "Memcpy", "Memset" };

	for (size_t i = 0; i < DP_COUNT(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

/* Sets the kind of a copy: by its type (CopyHostToDevice), or by the number of the call. */
static void set_copy(struct dp_op *op, const char *type, struct copy *copy)
{
	static const char *const names[][2] = { { "HostToHost", "HOST_TO_HOST" },
						{ "HostToDevice", "HOST_TO_DEVICE" },
						{ "DeviceToHost", "DEVICE_TO_HOST" },
						{ "DeviceToDevice", "DEVICE_TO_DEVICE" } };
	int64_t kind = copy ? copy->kind : -1;

	for (size_t i = 0; i < DP_COUNT(names); i++)
		if (dp_rocm__contains(type, dp_texts__head(type), names[i][0]) ||
		    dp_rocm__contains(type, dp_texts__head(type), names[i][1]))
			kind = (int64_t)i;
	op->kind = DP_OP_COPY;
	if (kind >= 0 && kind < (int64_t)DP_COUNT(names))
		dp_rocm__set_copy(op, kind & 2, kind & 1, copy && copy->peers);
	/* a call may become several copies, whose own sizes are not recorded */
	if (copy && copy->operations) {
		op->bytes = copy->bytes / copy->operations--;
		copy->bytes -= op->bytes;
	}
}

enum {
	OP_ID,
	OP_GPU,
	OP_QUEUE,
	OP_SEQUENCE,
	OP_START,
	OP_END,
	OP_DESCRIPTION,
	OP_TYPE,
	OP_COLUMNS,
};

/* Names a kernel by its description or, if that is empty, by its type. */
static uint32_t kernel_name(struct rpd *rpd, struct dp_rows *rows, uint32_t type)
{
	uint32_t name = dp_names__get(rpd->strings, dp_rows__id(rows, OP_DESCRIPTION), true);

	if (name != DP_NONE && !dp_builder__text(rpd->import->builder, name)[0])
		return type;
	return name;
}

/* Sets what depends on the kind of the operation. */
static void set_kind(struct rpd *rpd, struct dp_rows *rows, struct dp_op *op, uint32_t type,
		     const struct link *link)
{
	struct dp_builder *builder = rpd->import->builder;
	enum row_kind kind = classify(rpd, dp_rows__id(rows, OP_TYPE), kind_of_op);

	if (kind == ROW_COPY) {
		set_copy(op, dp_builder__text(builder, type),
			 link ? find_copy(rpd, link->api) : NULL);
		op->name = dp_builder__copy_name(builder, op->copy_kind);
	} else if (kind == ROW_SET) {
		op->kind = DP_OP_MEMSET;
		op->name = dp_builder__set_name(builder);
	} else {
		op->kind = DP_OP_KERNEL;
		op->name = kernel_name(rpd, rows, type);
	}
}

static int read_op(struct rpd *rpd, struct dp_rows *rows)
{
	const struct link *link = find_link(rpd, dp_rows__id(rows, OP_ID));
	struct dp_op op = { .correlation = link ? (uint32_t)link->api : 0 };
	uint32_t type = dp_names__get(rpd->strings, dp_rows__id(rows, OP_TYPE), false);
	int64_t context = -1, stream = dp_rows__id(rows, OP_QUEUE);

	if (type == DP_NONE)
		return failed(rpd);
	if (!read_times(rows, OP_START, OP_END, &op.start_ns, &op.end_ns))
		return DP_OK;
	if (is_cuda(dp_builder__text(rpd->import->builder, type))) {
		context = stream;
		stream = dp_rows__id(rows, OP_SEQUENCE);
	}
	set_kind(rpd, rows, &op, type, link);
	op.stream = dp_places__stream(&rpd->places, link ? find_pid(rpd, link->api) : rpd->pid,
				      dp_rows__id(rows, OP_GPU), context, stream);
	if (op.name == DP_NONE || op.stream == DP_NONE)
		return failed(rpd);
	return dp_builder__op(rpd->import->builder, &op);
}

/* Counts a copy among those of its call. */
static int count_copy(struct rpd *rpd, struct dp_rows *rows)
{
	const struct link *link = find_link(rpd, dp_rows__id(rows, OP_ID));
	struct copy *copy = link ? find_copy(rpd, link->api) : NULL;

	if (copy && classify(rpd, dp_rows__id(rows, OP_TYPE), kind_of_op) == ROW_COPY)
		copy->operations++;
	return failed(rpd);
}

/* Returns true if a call that copies has several operations, whose types are then to be read. */
static bool has_several(struct rpd *rpd)
{
	bool several = false;

	for (size_t i = 0; i < rpd->link_count; i++) {
		struct copy *copy = find_copy(rpd, rpd->links[i].api);

		several |= copy && copy->operations++;
	}
	for (size_t k = 0; several && k < rpd->copy_count; k++)
		rpd->copies[k].operations = 0;
	return several;
}

/*
 * The file.
 */

static int read_metadata(struct rpd *rpd, struct dp_rows *rows)
{
	size_t length;
	const char *tag = dp_rows__text(rows, 0, &length), *value;

	if (length != strlen("schema_version") || memcmp(tag, "schema_version", length) != 0)
		return DP_OK;
	value = dp_rows__text(rows, 1, &length);
	if (length)
		dp_builder__detail(rpd->import->builder, "schema %.*s", (int)DP_MIN(length, 20),
				   value);
	return DP_OK;
}

static int read_tables(struct rpd *rpd)
{
	static const struct dp_column metadata[] = { { "tag", true }, { "value", true } };
	static const struct dp_column api[API_COLUMNS] = {
		[API_ID] = { "id", true },	   [API_PID] = { "pid", false },
		[API_TID] = { "tid", false },	   [API_START] = { "start", true },
		[API_END] = { "end", true },	   [API_NAME] = { "apiName_id", true },
		[API_ARGS] = { "args_id", false },
	};
	static const struct dp_column link[LINK_COLUMNS] = {
		[LINK_API] = { "api_id", true },
		[LINK_OP] = { "op_id", true },
	};
	static const struct dp_column copy[COPY_COLUMNS] = {
		[COPY_API] = { "api_ptr_id", true }, [COPY_SIZE] = { "size", false },
		[COPY_WIDTH] = { "width", false },   [COPY_HEIGHT] = { "height", false },
		[COPY_KIND] = { "kind", false },     [COPY_SRC] = { "srcDevice", false },
		[COPY_DST] = { "dstDevice", false },
	};
	static const struct dp_column op[OP_COLUMNS] = {
		[OP_ID] = { "id", true },
		[OP_GPU] = { "gpuId", false },
		[OP_QUEUE] = { "queueId", false },
		[OP_SEQUENCE] = { "sequenceId", false },
		[OP_START] = { "start", true },
		[OP_END] = { "end", true },
		[OP_DESCRIPTION] = { "description_id", true },
		[OP_TYPE] = { "opType_id", true },
	};
	int status = scan(rpd, "rocpd_metadata", metadata, DP_COUNT(metadata), read_metadata);

	if (!status)
		status = scan(rpd, "rocpd_api", api, API_COLUMNS, read_api);
	if (!status)
		status = scan(rpd, "rocpd_api_ops", link, LINK_COLUMNS, read_link);
	if (!status)
		status = scan(rpd, "rocpd_copyapi", copy, COPY_COLUMNS, read_copy_call);
	if (status)
		return status;
	sort(rpd->hosts, rpd->host_count, sizeof(*rpd->hosts), compare_first);
	sort(rpd->links, rpd->link_count, sizeof(*rpd->links), compare_links);
	sort(rpd->copies, rpd->copy_count, sizeof(*rpd->copies), compare_first);
	if (has_several(rpd))
		status = scan(rpd, "rocpd_op", op, OP_COLUMNS, count_copy);
	return status ? status : scan(rpd, "rocpd_op", op, OP_COLUMNS, read_op);
}

/* In schema 3, arguments have a table of their own. */
static int read_names(struct rpd *rpd)
{
	struct dp_database *database = rpd->database;
	const char *strings = dp_database__table(database, "rocpd_string");
	const char *arguments = dp_database__table(database, "rocpd_ustring");
	const char *api = dp_database__table(database, "rocpd_api");
	int status = dp_names__new(&rpd->strings, database, strings, "id", "string");

	if (!arguments || !api || !dp_database__has_column(database, api, "domain_id"))
		arguments = strings;
	return status ? status
		      : dp_names__new(&rpd->arguments, database, arguments, "id", "string");
}

static int read_rpd(struct dp_import *import)
{
	static const char *const large[] = { "rocpd_api", "rocpd_api_ops", "rocpd_op" };
	struct rpd rpd = { .import = import, .pid = -1 };
	int status = dp_database__open(&rpd.database, import);

	dp_places__init(&rpd.places, import->builder, import->error);
	for (size_t i = 0; !status && i < DP_COUNT(large); i++)
		dp_database__expect(rpd.database, dp_database__table(rpd.database, large[i]));
	if (!status)
		status = read_names(&rpd);
	if (!status)
		status = read_tables(&rpd);
	dp_names__free(rpd.strings);
	dp_names__free(rpd.arguments);
	if (!status)
		status = dp_database__finish(rpd.database);
	dp_places__fini(&rpd.places);
	dp_database__close(rpd.database);
	free(rpd.links);
	free(rpd.hosts);
	free(rpd.copies);
	return status;
}

static int probe_rpd(const struct dp_probe *probe)
{
	static const char *const own[] = { "rocpd_op", "rocpd_api", "rocpd_api_ops" };
	int found = dp_database__probe(probe, own, DP_COUNT(own));

	return found < 0 ? found : found * 30;
}

const struct dp_importer dp_importer__rpd = {
	.info = { "rpd", "ROCm rocmProfileData, SQLite (RPD)" },
	.database = true,
	.how_to_record = "runTracer.sh, or rocprofv3 --sys-trace -f rocpd",
	.probe = probe_rpd,
	.read = read_rpd,
};
