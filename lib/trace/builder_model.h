/* The internals of a builder, for builder.c and builder_finish.c. */
#ifndef DP_TRACE_BUILDER_MODEL_H
#define DP_TRACE_BUILDER_MODEL_H

#include "base/base.h"
#include "base/strings.h"
#include "trace/builder.h"
#include "trace/columns.h"
#include "trace/model.h"

/* Bytes are limited as times are. */
#define DP_BYTES_LIMIT ((uint64_t)DP_TIME_LIMIT)
#define DP_LOST_TIMES "events with impossible times"

/* Columns by number; their widths are in builder.c. */
enum op_column {
	OP_START,
	OP_END,
	OP_BYTES,
	OP_NAME,
	OP_STREAM,
	OP_CORRELATION,
	OP_CALL,
	OP_KIND,
	OP_COPY_KIND,
	OP_SRC_KIND,
	OP_DST_KIND,
	OP_OCCUPANCY,
};

enum call_column { CALL_START, CALL_END, CALL_NAME, CALL_THREAD, CALL_CORRELATION, CALL_KIND };
enum sync_column {
	SYNC_START,
	SYNC_END,
	SYNC_STREAM,
	SYNC_CORRELATION,
	SYNC_KIND,
	SYNC_SOURCE,
	SYNC_SOURCE_CORRELATION,
	SYNC_EVENT,
};
enum collective_column {
	COLLECTIVE_START,
	COLLECTIVE_END,
	COLLECTIVE_BYTES,
	COLLECTIVE_SEQUENCE,
	COLLECTIVE_STREAM,
	COLLECTIVE_THREAD,
	COLLECTIVE_NAME,
	COLLECTIVE_GROUP,
	COLLECTIVE_GROUP_SIZE,
	COLLECTIVE_PEER,
	COLLECTIVE_SELF,
};
enum range_column { RANGE_START, RANGE_END, RANGE_NAME, RANGE_THREAD, RANGE_KIND };
enum memory_column { MEMORY_TIME, MEMORY_BYTES, MEMORY_DEVICE };
enum sample_column {
	SAMPLE_TIME,
	SAMPLE_ENERGY,
	SAMPLE_POWER,
	SAMPLE_CLOCK,
	SAMPLE_THROTTLE,
	SAMPLE_DEVICE,
};

enum activity_column {
	ACTIVITY_START,
	ACTIVITY_END,
	ACTIVITY_SM,
	ACTIVITY_TENSOR,
	ACTIVITY_DRAM,
	ACTIVITY_DEVICE,
};

enum cpu_column { CPU_TIME, CPU_RUN, CPU_WAIT, CPU_FAULTS, CPU_THREAD };
enum off_column { OFF_START, OFF_END, OFF_THREAD, OFF_KIND };
enum function_column { FUNCTION_TIME, FUNCTION_LENGTH, FUNCTION_NAME, FUNCTION_THREAD };
enum throttling_column { THROTTLING_TIME, THROTTLING_NS, THROTTLING_PROCESS };

struct dp_builder {
	int status; /* the first failure */
	struct dp_error *error;
	struct dp_columns ops;
	struct dp_columns calls;
	struct dp_columns syncs;
	struct dp_columns collectives;
	struct dp_columns ranges;
	struct dp_columns memory;
	struct dp_columns samples;
	struct dp_columns activity;
	struct dp_columns cpu_samples;
	struct dp_columns off_cpu;
	struct dp_columns function_samples;
	struct dp_columns throttling;
	struct dp_strings strings;
	struct dp_strings mangled; /* raw names, and for each the id of the demangled one */
	uint32_t *demangled;
	size_t demangled_room;
	uint64_t demangled_bytes;
	uint8_t *call_kinds; /* by name's id; UINT8_MAX: not determined yet */
	size_t call_kind_count;
	size_t call_kind_room;
	struct dp_strings keys; /* of processes, threads, devices, streams: see find_key() */
	uint32_t *key_index;
	size_t key_index_room;
	struct dp_stream *streams;
	size_t stream_count, stream_room;
	struct dp_device *devices;
	size_t device_count, device_room;
	bool number_devices; /* from 0, when they are sorted */
	struct dp_process *processes;
	size_t process_count, process_room;
	struct dp_thread *threads;
	size_t thread_count, thread_room;
	struct dp_loss *losses;
	size_t loss_count, loss_room;
	bool truncated; /* the file is cut: some of the losses are due to that */
	struct dp_fact facts[DP_FACTS_MOST]; /* their names */
	uint32_t fact_values[DP_FACTS_MOST]; /* of dp_builder__string() */
	size_t fact_count;
	struct dp_pause *pauses;
	size_t pause_count, pause_room;
	uint32_t last_process, last_thread, last_stream;
	uint64_t clamped;
	int64_t first_ns, last_ns; /* of all times */
	uint64_t range_kinds[3];   /* by enum dp_range_kind */
	int64_t epoch_ns;
	bool epoch_known;
	bool replayed;
	int64_t resolution_ns;
	char detail[64];
	char no_gpu_reason[200];   /* the recorder's explanation, or "" */
	const char *how_to_record; /* GPU activity, or NULL */
	const char *how_to_get_kernels; /* of recorded launches, or NULL */
};

/* Makes all further calls fail; returns status. */
int dp_builder__fail(struct dp_builder *builder, int status);

/*
 * Returns false for times beyond DP_TIME_LIMIT, whose event is counted as lost; clamps an end
 * before the start.
 */
bool dp_builder__good_times(struct dp_builder *builder, int64_t start_ns, int64_t *end_ns);

/*
 * Appends a row for an event with these times; the caller fills in its other cells. Returns false,
 * without a row, if the builder failed or the times are impossible.
 */
bool dp_builder__push(struct dp_builder *builder, struct dp_columns *rows, int64_t start_ns,
		      int64_t *end_ns);

/* builder_host.c: how threads used the processors. */
void dp_trace__take_host(struct dp_trace *trace, struct dp_builder *builder);

/* Moves the pauses to a trace that is otherwise complete, with times from its zero. */
int dp_trace__take_pauses(struct dp_trace *trace, struct dp_builder *builder, int64_t zero_ns);

#endif
