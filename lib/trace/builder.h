/*
 * Builds a trace. Importers push events in any order with the source's own times; finish() sorts
 * them, links kernels to their launch calls, classifies streams and makes the first operation time
 * 0. On failure, functions that return an id return DP_NONE, and functions that return a status
 * return that; both set the error of dp_builder__new(). After a failure all further calls fail too.
 */
#ifndef DP_TRACE_BUILDER_H
#define DP_TRACE_BUILDER_H

#include <deepprof/trace.h>
#include <stdbool.h>

struct dp_builder;

/* One GPU operation. Zero it, then set what is known. end before start is clamped and counted. */
struct dp_op {
	int64_t start_ns;
	int64_t end_ns;
	uint64_t bytes;
	uint32_t name;	 /* of dp_builder__kernel_name() or dp_builder__string() */
	uint32_t stream; /* of dp_builder__stream() */
	uint32_t correlation;
	enum dp_op_kind kind;
	enum dp_copy_kind copy_kind;
	enum dp_memory_kind src_kind;
	enum dp_memory_kind dst_kind;
	uint8_t occupancy; /* percent */
};

struct dp_call {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t name;
	uint32_t thread; /* or DP_NONE */
	uint32_t correlation;
};

struct dp_sync {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t stream; /* or DP_NONE */
	uint32_t correlation;
	enum dp_sync_kind kind;
	/* For a stream's wait for an event, if linked: the work waited for. See struct dp_syncs. */
	bool linked;
	uint32_t source;
	uint32_t source_correlation;
	uint32_t event;
};

struct dp_range {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t name;
	uint32_t thread; /* or DP_NONE */
	enum dp_range_kind kind;
};

/* See struct dp_collectives. */
struct dp_collective {
	int64_t start_ns;
	int64_t end_ns;
	uint64_t bytes;
	int64_t sequence;
	uint32_t stream; /* of dp_builder__stream(), or DP_NONE */
	uint32_t thread; /* of dp_builder__thread(), or DP_NONE */
	uint32_t name;	 /* of dp_builder__string() */
	uint32_t group;	 /* the same, or DP_NONE */
	uint32_t group_size;
	int32_t peer;
	int32_t self;
};

/* A device's state; 0 for an unknown value. */
struct dp_sample {
	int64_t time_ns;
	uint64_t energy_mj;
	uint32_t power_mw;
	uint32_t clock_mhz;
	uint32_t throttle;
	uint32_t device; /* of dp_builder__device() */
};

/* See struct dp_activity; device is of dp_builder__device(). */
struct dp_unit_activity {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t sm;
	uint32_t tensor;
	uint32_t dram;
	uint32_t device;
};

/* See struct dp_cpu_samples and struct dp_off_cpu; thread is of dp_builder__thread(). */
struct dp_cpu_sample {
	int64_t time_ns;
	int64_t run_ns;
	int64_t wait_ns;
	int64_t faults;
	uint32_t thread;
};

struct dp_off {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t thread;
	enum dp_off_kind kind;
};

/* See struct dp_function_samples; function is of dp_builder__string(). */
struct dp_function_sample {
	int64_t time_ns;
	uint32_t length_ns;
	uint32_t function;
	uint32_t thread;
};

/* The properties of a GPU. */
struct dp_gpu {
	uint32_t name; /* of dp_builder__string(), or DP_NONE */
	uint32_t uuid; /* the same */
	uint64_t total_bytes;
};

/* Returns a UUID as text; DP_NONE also if it is empty or has no digit but 0. */
uint32_t dp_builder__uuid(struct dp_builder *builder, const char *text, size_t length);

/* error is borrowed until finish() or free(). */
int dp_builder__new(struct dp_builder **builder, struct dp_error *error);
void dp_builder__free(struct dp_builder *builder);

/* Each loop and row of a report may repeat a range's name; the collector keeps the same length. */
#define DP_BUILDER_TEXT_MOST 4096

/*
 * Interns length bytes, of which the first DP_BUILDER_TEXT_MOST are kept; then invalid UTF-8
 * becomes U+FFFD, which is longer. A NUL ends the string.
 */
uint32_t dp_builder__string(struct dp_builder *builder, const char *text, size_t length);

/* Returns the text of an id that one of these functions returned. Borrowed from the builder. */
const char *dp_builder__text(const struct dp_builder *builder, uint32_t id);

/*
 * The same for 16,384 bytes of a kernel's name: demangles Itanium-mangled ones (_Z…), removes AMD's
 * ".kd".
 */
uint32_t dp_builder__kernel_name(struct dp_builder *builder, const char *text, size_t length);

/* Names a copy or a memset that has no name: "[CUDA memcpy HtoD]", "[CUDA memset]". */
uint32_t dp_builder__copy_name(struct dp_builder *builder, enum dp_copy_kind kind);
uint32_t dp_builder__set_name(struct dp_builder *builder);

/* Find or add an entry. pid, tid, device, context and stream are the source's, -1 if unknown. */
uint32_t dp_builder__process(struct dp_builder *builder, int64_t pid);
uint32_t dp_builder__thread(struct dp_builder *builder, uint32_t process, int64_t tid);
uint32_t dp_builder__device(struct dp_builder *builder, uint32_t process, int64_t device);
uint32_t dp_builder__stream(struct dp_builder *builder, uint32_t process, int64_t device,
			    int64_t context, int64_t stream);

/* Sets the pid of a process that was added (as -1) before the source named it. */
void dp_builder__pid(struct dp_builder *builder, uint32_t process, int64_t pid);

/*
 * For a source whose operations name a device but no process: assigns each device that was filed
 * under process to the process whose calls have the correlation ids of its operations. Call it when
 * all operations and calls have been pushed.
 */
int dp_builder__claim_devices(struct dp_builder *builder, uint32_t process);

/*
 * For a source of one process whose devices have numbers among other things, such as processors:
 * numbers them 0, 1, … in the same order when the trace is finished.
 */
void dp_builder__number_devices(struct dp_builder *builder);

/* Describe them further; name is a string's id. */
void dp_builder__name_process(struct dp_builder *builder, uint32_t process, uint32_t name,
			      int64_t rank);
void dp_builder__name_thread(struct dp_builder *builder, uint32_t thread, uint32_t name);
void dp_builder__name_device(struct dp_builder *builder, uint32_t device, const struct dp_gpu *gpu);

int dp_builder__op(struct dp_builder *builder, const struct dp_op *op);
int dp_builder__add_call(struct dp_builder *builder, const struct dp_call *call);
int dp_builder__add_sync(struct dp_builder *builder, const struct dp_sync *sync);
int dp_builder__add_collective(struct dp_builder *builder, const struct dp_collective *collective);
int dp_builder__add_range(struct dp_builder *builder, const struct dp_range *range);
int dp_builder__add_sample(struct dp_builder *builder, const struct dp_sample *sample);
int dp_builder__add_activity(struct dp_builder *builder, const struct dp_unit_activity *activity);

int dp_builder__add_cpu_sample(struct dp_builder *builder, const struct dp_cpu_sample *sample);
int dp_builder__add_off_cpu(struct dp_builder *builder, const struct dp_off *off);
int dp_builder__add_function_sample(struct dp_builder *builder,
				    const struct dp_function_sample *sample);
int dp_builder__add_throttling(struct dp_builder *builder, int64_t time_ns, uint32_t process,
			       int64_t throttled_ns);

/* Memory of a device (of dp_builder__device()) that is allocated, or freed if negative. */
int dp_builder__add_memory(struct dp_builder *builder, int64_t time_ns, uint32_t device,
			   int64_t delta_bytes);

/* Adds an interval in which a process (of dp_builder__process()) ran without being recorded. */
int dp_builder__add_pause(struct dp_builder *builder, uint32_t process, int64_t start_ns,
			  int64_t end_ns);

/* Return the number of operations, calls and ranges pushed so far. */
size_t dp_builder__op_count(const struct dp_builder *builder);
size_t dp_builder__call_count(const struct dp_builder *builder);
size_t dp_builder__range_count(const struct dp_builder *builder);

/* Adds to the losses of a reason, which is copied. records 0: an unknown number. */
int dp_builder__loss(struct dp_builder *builder, const char *reason, uint64_t records,
		     uint64_t offset);

/* Adds a loss because the file is truncated or damaged: another copy may be complete. */
int dp_builder__truncated(struct dp_builder *builder, const char *reason, uint64_t records,
			  uint64_t offset);

/* Adds a fact about the recording. name is static; the first value is kept; "" is ignored. */
int dp_builder__fact(struct dp_builder *builder, const char *name, const char *value,
		     size_t length);

/*
 * Notes that the profiler ran each kernel alone, and several times, to collect metrics or events:
 * the times between kernels are its own.
 */
int dp_builder__replayed(struct dp_builder *builder);

/* Sets the epoch time of the source's time 0 (0 if its times are epoch times already). */
void dp_builder__epoch(struct dp_builder *builder, int64_t epoch_ns);

/* Sets the source's resolution; otherwise it is derived from the operations' times. */
void dp_builder__resolution(struct dp_builder *builder, int64_t resolution_ns);

/* Sets a detail like "schema 3.25.0"; copied, cut to 63 bytes. */
void dp_builder__detail(struct dp_builder *builder, const char *format, ...) DP_PRINTF(2, 3);

/*
 * Set what the recorder (who) reports about missing GPU activity, and how to record it (static, or
 * NULL): parts of the message of DP_ERR_NO_GPU. The reason is copied; with who it is cut to 199
 * bytes.
 */
void dp_builder__explain_no_gpu(struct dp_builder *builder, const char *who, const char *reason,
				size_t length);
void dp_builder__advise_recording(struct dp_builder *builder, const char *how);

/* Sets what to do if launches were recorded, but none of what they launched (static, or NULL). */
void dp_builder__advise_kernels(struct dp_builder *builder, const char *how);

/*
 * Ends building. The caller frees *trace; the builder is freed in any case. Fails with
 * DP_ERR_NO_GPU if there is no operation, unless allow_no_gpu.
 */
int dp_builder__finish(struct dp_builder *builder, struct dp_trace **trace, const char *path,
		       const char *format, bool allow_no_gpu);

#endif
