/* Writes the host's samples as rows of the trace file. */
#include "record/host.h"
#include "format/schema.h"
#include "record/host_file.h"
#include "trace/demangle.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Returns the last process of the pid that had started by then, as images may change; 0: none. */
static int64_t process_of(const struct dp_host_process *processes, size_t count, uint32_t pid,
			  int64_t time_ns)
{
	int64_t id = 0;

	for (size_t i = 0; i < count; i++)
		if (processes[i].pid == pid && (!id || processes[i].start_ns <= time_ns))
			id = processes[i].id;
	return id;
}

static int put_thread(struct dp_db *db, int64_t process, int64_t time_ns, uint32_t tid,
		      const struct dp_host_thread *thread)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(db, DP_BULK_HOST_SAMPLE, &row);

	if (status)
		return status;
	dp_bulk__put(&row, process);
	dp_bulk__put(&row, tid);
	dp_bulk__put(&row, time_ns);
	dp_bulk__put(&row, (int64_t)thread->run_ns);
	dp_bulk__known(&row, thread->has_wait, (int64_t)thread->wait_ns);
	dp_bulk__known(&row, thread->has_switches, (int64_t)thread->voluntary);
	dp_bulk__known(&row, thread->has_switches, (int64_t)thread->involuntary);
	dp_bulk__known(&row, thread->has_stat, thread->processor);
	dp_bulk__known(&row, thread->has_stat, (int64_t)thread->major_faults);
	return DP_OK;
}

static int put_load(struct dp_db *db, int64_t process, int64_t time_ns,
		    const struct dp_host_load *load)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(db, DP_BULK_HOST_LOAD, &row);

	if (status)
		return status;
	dp_bulk__put(&row, process);
	dp_bulk__put(&row, time_ns);
	for (size_t i = 0; i < DP_HOST_LOADS; i++)
		dp_bulk__known(&row, load->has >> i & 1, (int64_t)load->values[i]);
	return DP_OK;
}

static int put_off(struct dp_db *db, int64_t process, uint32_t tid, int64_t start_ns,
		   uint64_t dur_ns, uint64_t kind)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(db, DP_BULK_OFF_CPU, &row);

	if (status)
		return status;
	dp_bulk__put(&row, process);
	dp_bulk__put(&row, tid);
	dp_bulk__put(&row, start_ns);
	dp_bulk__put(&row, (int64_t)dur_ns);
	dp_bulk__put(&row, (int64_t)kind);
	return DP_OK;
}

/* time_ns: when the first began. */
static int put_offs(struct dp_db *db, int64_t process, int64_t time_ns,
		    const struct dp_host_head *head, const uint64_t *offs)
{
	uint64_t at = (uint64_t)time_ns;
	int status = DP_OK;

	for (size_t i = 0; !status && i < head->bytes / sizeof(*offs); i++) {
		uint64_t kind = offs[i] & ((1u << DP_HOST_KIND_BITS) - 1);
		uint64_t rest = offs[i] >> DP_HOST_KIND_BITS;

		if (i) {
			at += rest & ((1u << DP_HOST_GAP_BITS) - 1);
			rest >>= DP_HOST_GAP_BITS;
		}
		status = put_off(db, process, head->tid, (int64_t)at, rest, kind);
		at += rest;
	}
	return status;
}

/* Adds an entry of the tree of call stacks, which SQLite numbers from 1. */
static int put_function(struct dp_db *db, const struct dp_host_head *head,
			const struct dp_host_function *function)
{
	size_t length = head->bytes - offsetof(struct dp_host_function, text);
	char text[sizeof(function->text) + 1], *name, *demangled = NULL;
	int status;

	if (head->bytes < offsetof(struct dp_host_function, text))
		return DP_OK;
	memcpy(text, function->text, length);
	text[length] = '\0';
	name = strchr(text, '\n');
	if (name)
		*name++ = '\0';
	status = dp_name__demangle(&demangled, name ? name : "");
	if (status)
		return dp_error__nomem(db->error, length);
	status = dp_db__row(db, DP_ROW_CALL_STACK);
	if (!status) {
		dp_db__null(db);
		dp_db__known(db, function->parent, function->parent);
		dp_db__text(db, demangled ? demangled : name && *name ? name : NULL);
		dp_db__text(db, *text ? text : NULL);
		status = dp_db__done(db);
	}
	free(demangled);
	return status;
}

static int put_stacks(struct dp_db *db, int64_t process, int64_t time_ns,
		      const struct dp_host_head *head, const struct dp_host_stack *stacks)
{
	struct dp_bulk_row row;
	int status = DP_OK;

	for (size_t i = 0; !status && i < head->bytes / sizeof(*stacks); i++) {
		status = dp_db__bulk(db, DP_BULK_CPU_SAMPLE, &row);
		if (status)
			break;
		dp_bulk__put(&row, process);
		dp_bulk__put(&row, head->tid);
		dp_bulk__put(&row, (int64_t)((uint64_t)time_ns + stacks[i].after_ns));
		dp_bulk__put(&row, DP_SCHEMA_STACK_NS);
		dp_bulk__put(&row, stacks[i].stack);
	}
	return status;
}

/* What a record of a kind has behind its header. */
static const struct {
	uint32_t bytes, most; /* of one; and the most stored together */
} sizes[] = { [DP_HOST_THREAD] = { sizeof(struct dp_host_thread), 1 },
	      [DP_HOST_LOAD] = { sizeof(struct dp_host_load), 1 },
	      [DP_HOST_OFF] = { sizeof(uint64_t), DP_HOST_OFFS },
	      [DP_HOST_FUNCTION] = { 1, sizeof(struct dp_host_function) },
	      [DP_HOST_STACK] = { sizeof(struct dp_host_stack), DP_HOST_STACKS } };

static bool is_known(uint32_t kind)
{
	return kind < DP_COUNT(sizes) && sizes[kind].bytes;
}

/* Reads one record of a known kind. Returns false if there are no more, or if it is damaged. */
static bool read_record(FILE *file, struct dp_host_head *head, union dp_host_rest *rest)
{
	while (fread(head, sizeof(*head), 1, file) == 1) {
		if (is_known(head->kind))
			return head->bytes && head->bytes % sizes[head->kind].bytes == 0 &&
			       head->bytes / sizes[head->kind].bytes <= sizes[head->kind].most &&
			       fread(rest, head->bytes, 1, file) == 1;
		if (fseek(file, (long)head->bytes, SEEK_CUR))
			break;
	}
	return false;
}

int dp_host__write(struct dp_host *host, struct dp_db *db, int64_t zero,
		   const struct dp_host_process *processes, size_t count)
{
	FILE *file = host ? dp_host__file(host) : NULL;
	struct dp_host_head head;
	union dp_host_rest rest;
	int status = DP_OK;

	if (file)
		rewind(file);
	while (file && !status && read_record(file, &head, &rest)) {
		int64_t time_ns = (int64_t)((uint64_t)head.monotonic_ns - (uint64_t)zero);
		int64_t process = process_of(processes, count, head.pid, time_ns);

		if (head.kind == DP_HOST_FUNCTION)
			status = put_function(db, &head, &rest.function);
		else if (!process)
			continue;
		else if (head.kind == DP_HOST_THREAD)
			status = put_thread(db, process, time_ns, head.tid, &rest.thread);
		else if (head.kind == DP_HOST_LOAD)
			status = put_load(db, process, time_ns, &rest.load);
		else if (head.kind == DP_HOST_STACK)
			status = put_stacks(db, process, time_ns, &head, rest.stacks);
		else
			status = put_offs(db, process, time_ns, &head, rest.offs);
	}
	return status;
}
