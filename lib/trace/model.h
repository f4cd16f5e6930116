/* The internals of a trace, for lib/trace and the facade only. */
#ifndef DP_TRACE_MODEL_H
#define DP_TRACE_MODEL_H

#include "base/base.h"
#include "base/strings.h"
#include <deepprof/trace.h>
#include <stdatomic.h>

#define DP_FACTS_MOST 8

struct dp_trace {
	atomic_uint more_owners;
	char *path;
	char *format;
	char detail[64];
	struct dp_strings strings;
	struct dp_ops ops;
	struct dp_calls calls;
	struct dp_syncs syncs;
	struct dp_collectives collectives;
	struct dp_ranges ranges;
	struct dp_memory memory;
	struct dp_samples samples;
	struct dp_activity activity;
	struct dp_cpu_samples cpu_samples;
	struct dp_off_cpu off_cpu;
	struct dp_function_samples function_samples;
	struct dp_throttling throttling;
	uint32_t *stream_ops; /* operations grouped by stream, in order */
	size_t *stream_first; /* stream s has stream_ops[stream_first[s]..stream_first[s+1]) */
	struct dp_stream *streams;
	size_t stream_count;
	struct dp_device *devices;
	size_t device_count;
	size_t gpu_count; /* distinct GPUs of the devices */
	struct dp_process *processes;
	size_t process_count;
	struct dp_thread *threads;
	size_t thread_count;
	struct dp_loss *losses;
	size_t loss_count;
	struct dp_pause *pauses; /* by process, then start; those of one process are disjoint */
	size_t pause_count;
	struct dp_fact facts[DP_FACTS_MOST];
	size_t fact_count;
	uint64_t clamped;
	bool replayed; /* the times between kernels are the profiler's */
	int64_t t0_ns;
	bool t0_known;
	int64_t source_zero_ns;
	int64_t resolution_ns;
	int64_t duration_ns;
};

/* Adds an owner, who must also call dp_trace_free(). Returns the trace. */
struct dp_trace *dp_trace__retain(const struct dp_trace *trace);

/* Groups operations by stream, and fills in the streams' counts, busy times and classes. */
int dp_trace__index_streams(struct dp_trace *trace, struct dp_error *error);

#endif
