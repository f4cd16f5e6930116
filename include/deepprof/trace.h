/*
 * The trace model: what the GPUs did, and what the host did to make them do it.
 *
 * A trace never changes after it was read, so any number of threads may read it. Operations are
 * stored in columns, 48 bytes for each; names are interned. Times are integer nanoseconds from the
 * start of the first GPU operation (host times may be negative).
 */
#ifndef DEEPPROF_TRACE_H
#define DEEPPROF_TRACE_H

#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_trace;

/*
 * What an operation is. A graph is one replay of a CUDA graph that was traced as a whole; it counts
 * as a kernel.
 */
enum dp_op_kind { DP_OP_KERNEL, DP_OP_GRAPH, DP_OP_COPY, DP_OP_MEMSET };

/* CUPTI's CUpti_ActivityMemcpyKind. */
enum dp_copy_kind {
	DP_COPY_UNKNOWN = 0,
	DP_COPY_HTOD = 1,
	DP_COPY_DTOH = 2,
	DP_COPY_HTOA = 3,
	DP_COPY_ATOH = 4,
	DP_COPY_ATOA = 5,
	DP_COPY_ATOD = 6,
	DP_COPY_DTOA = 7,
	DP_COPY_DTOD = 8,
	DP_COPY_HTOH = 9,
	DP_COPY_PTOP = 10,
	DP_COPY_UM_HTOD = 11, /* unified memory: page migrations */
	DP_COPY_UM_DTOH = 12,
	DP_COPY_UM_DTOD = 13,
};

/* CUPTI's CUpti_ActivityMemoryKind. */
enum dp_memory_kind {
	DP_MEMORY_UNKNOWN = 0,
	DP_MEMORY_PAGEABLE = 1,
	DP_MEMORY_PINNED = 2,
	DP_MEMORY_DEVICE = 3,
	DP_MEMORY_ARRAY = 4,
	DP_MEMORY_MANAGED = 5,
	DP_MEMORY_DEVICE_STATIC = 6,
	DP_MEMORY_MANAGED_STATIC = 7,
};

/*
 * GPU operations in order of start (then end, then correlation id). Every pointer is an array of
 * count elements, borrowed from the trace.
 */
struct dp_ops {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;	     /* never before start_ns */
	const uint64_t *bytes;	     /* of copies and memsets; 0 for kernels and if unknown */
	const uint32_t *name;	     /* for dp_trace_string() */
	const uint32_t *stream;	     /* index of a struct dp_stream */
	const uint32_t *correlation; /* CUPTI's correlation id, 0 if unknown */
	const uint32_t *call;	     /* index of the call that launched it, or DP_NONE */
	const uint8_t *kind;	     /* enum dp_op_kind */
	const uint8_t *copy_kind;    /* enum dp_copy_kind */
	const uint8_t *src_kind;     /* enum dp_memory_kind */
	const uint8_t *dst_kind;     /* enum dp_memory_kind; of a memset, its memory */
	const uint8_t *occupancy;    /* of kernels: achieved, estimated, percent; 0 if unknown */
};

/* Whether an operation counts as a kernel: kernels and graph replays do. */
static inline bool dp_op_is_kernel(uint8_t kind)
{
	return kind == DP_OP_KERNEL || kind == DP_OP_GRAPH;
}

/* What a host call does, according to its name. */
enum dp_call_kind {
	DP_CALL_OTHER,
	DP_CALL_LAUNCH, /* a kernel, or a graph */
	DP_CALL_COPY,
	DP_CALL_SET,
	DP_CALL_SYNC,	 /* waits for the device: …Synchronize */
	DP_CALL_MEMORY,	 /* allocates or frees */
	DP_CALL_CAPTURE, /* begins or ends the capture of a stream into a graph */
	DP_CALL_LOAD,	 /* loads code: …ModuleLoad…, …LibraryLoad… */
};

/* Runtime and driver API calls in order of start. */
struct dp_calls {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint32_t *name;
	const uint32_t *thread; /* index of a struct dp_thread, or DP_NONE */
	const uint32_t *correlation;
	const uint8_t *kind; /* enum dp_call_kind */
};

/* Synchronization records of the device side, in order of start. */
enum dp_sync_kind {
	DP_SYNC_UNKNOWN,
	DP_SYNC_EVENT,
	DP_SYNC_STREAM_WAIT_EVENT,
	DP_SYNC_STREAM,
	DP_SYNC_CONTEXT,
};

struct dp_syncs {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint32_t *stream; /* or DP_NONE */
	const uint32_t *correlation;
	const uint8_t *kind; /* enum dp_sync_kind */
	/*
	 * If a stream's wait for an event is recorded: the stream in which the event was recorded
	 * (else DP_NONE), the correlation id of the call that recorded it, which represents the
	 * work launched there before, and the event's number.
	 */
	const uint32_t *source;
	const uint32_t *source_correlation;
	const uint32_t *event;
};

/*
 * Calls of a communication library (collectives, sends and receives) that the trace describes, in
 * order of start, then of stream. If stream is known, the times are those of the kernel that ran
 * there; otherwise they are those of the host's call on thread, which launched the kernel.
 */
struct dp_collectives {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint64_t *bytes;	    /* on this rank, the larger of input and output; 0: not known */
	const int64_t *sequence;    /* of the group's calls, -1 where not recorded */
	const uint32_t *stream;	    /* index of a struct dp_stream, or DP_NONE */
	const uint32_t *thread;	    /* index of a struct dp_thread, or DP_NONE */
	const uint32_t *name;	    /* "allreduce", "_allgather_base", "AllReduce" … */
	const uint32_t *group;	    /* the name of its process group, or DP_NONE */
	const uint32_t *group_size; /* members, 0: not known */
	const int32_t *peer;	    /* the other rank of a send or a receive, in the group; -1 */
	const int32_t *self;	    /* this rank's number in the group, -1: not known */
};

/* What a range is. */
enum dp_range_kind {
	DP_RANGE_NVTX,	     /* an NVTX range of the program or of a framework */
	DP_RANGE_ANNOTATION, /* a profiler's annotation: ProfilerStep, record_function */
	DP_RANGE_OPERATOR,   /* an operator of a framework, or a call of a library (NCCL) */
};

/* Ranges of host time in order of start; with equal starts, the longest first. */
struct dp_ranges {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint32_t *name;
	const uint32_t *thread; /* or DP_NONE */
	const uint8_t *kind;	/* enum dp_range_kind */
};

/* Allocations and releases of device memory, in order of time. */
struct dp_memory {
	size_t count;
	const int64_t *time_ns;
	const int64_t *delta_bytes; /* negative if freed */
	const uint32_t *device;	    /* index of a struct dp_device */
};

/* NVML's reasons for reduced clocks (nvmlClocksEventReasons) that cost speed. */
#define DP_THROTTLE_SLOW                                                             \
	(0x04u /* power cap */ | 0x08u /* hardware */ | 0x20u /* software, heat */ | \
	 0x40u /* hardware, heat */ | 0x80u /* power brake */)

/* Samples of the devices' states, in order of time. Unknown values are 0. */
struct dp_samples {
	size_t count;
	const int64_t *time_ns;
	const uint64_t *energy_mj; /* used since an unspecified time */
	const uint32_t *power_mw;
	const uint32_t *clock_mhz; /* of its multiprocessors */
	const uint32_t *throttle;  /* NVML's reasons, as bits */
	const uint32_t *device;	   /* index of a struct dp_device */
};

/* In struct dp_activity: as much as the device can do, and what was not recorded. */
#define DP_ACTIVITY_PEAK 1000000
#define DP_ACTIVITY_UNKNOWN UINT32_MAX

/*
 * How busy a device's units were from one time to another, as its hardware counters show it, in
 * order of start: millionths of their peak.
 */
struct dp_activity {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint32_t *sm;	/* multiprocessors with work to do */
	const uint32_t *tensor; /* their tensor cores */
	const uint32_t *dram;	/* memory, read and written */
	const uint32_t *device; /* index of a struct dp_device */
};

/*
 * Samples of what threads have done since they started, in order of time: between two samples of a
 * thread, it did the difference.
 */
struct dp_cpu_samples {
	size_t count;
	const int64_t *time_ns;
	const int64_t *run_ns;	/* on a processor */
	const int64_t *wait_ns; /* runnable, but not on a processor; -1: not recorded */
	const int64_t *faults;	/* pages read from disk; -1: not recorded */
	const uint32_t *thread; /* index of a struct dp_thread */
};

/* Why a thread was not on a processor. */
enum dp_off_kind {
	DP_OFF_BLOCKED,	  /* it waited for an event, and then for a processor */
	DP_OFF_PREEMPTED, /* it was runnable, but another thread ran */
	DP_OFF_FAULT,	  /* it waited for a page to be read from disk */
	DP_OFF_KINDS
};

/* When threads were not on a processor, in order of start. Those of a thread do not overlap. */
struct dp_off_cpu {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint32_t *thread; /* index of a struct dp_thread */
	const uint8_t *kind;	/* enum dp_off_kind */
};

/*
 * Samples of which functions threads ran, in order of time, while they were on a processor. A
 * function is the innermost of Python if there is one, otherwise the innermost that is neither in
 * the C library nor in CUDA's; where names are unknown, a file of code stands for its functions.
 */
struct dp_function_samples {
	size_t count;
	const int64_t *time_ns;
	const uint32_t *length_ns; /* the running time that a sample stands for */
	const uint32_t *function;  /* for dp_trace_string() */
	const uint32_t *thread;	   /* index of a struct dp_thread */
};

/*
 * Samples of how long a process's cgroup has been throttled since an unspecified time, in order of
 * time.
 */
struct dp_throttling {
	size_t count;
	const int64_t *time_ns;
	const int64_t *throttled_ns;
	const uint32_t *process; /* index of a struct dp_process */
};

enum dp_stream_class {
	DP_STREAM_MAIN,	  /* has the most kernel time of its process and device, communication
			     excluded */
	DP_STREAM_COPY,	  /* has copies but no kernels */
	DP_STREAM_ASSIST, /* all others */
};

/* "main", "copy" or "assist". Static. */
DP_API const char *dp_stream_class_name(enum dp_stream_class stream_class);

/* Identifiers are those of the trace; -1 if unknown. */
struct dp_stream {
	uint32_t process; /* index of a struct dp_process */
	uint32_t device;  /* index of a struct dp_device */
	int64_t context;
	int64_t stream;
	enum dp_stream_class stream_class;
	size_t kernels; /* graph replays included */
	size_t copies;
	size_t memsets;
	int64_t busy_ns;    /* time in which any of its operations ran */
	int64_t compute_ns; /* the same of its kernels, except communication */
};

/* A device as seen by one process: a device that two processes use is two of these. */
struct dp_device {
	uint32_t process;
	int64_t id;
	uint32_t name;	      /* for dp_trace_string(), or DP_NONE */
	uint64_t total_bytes; /* memory; 0 if unknown */
	uint32_t uuid;	      /* identifies the GPU, for dp_trace_string(), or DP_NONE */
};

struct dp_process {
	int64_t pid;   /* -1 if unknown */
	int64_t rank;  /* in a distributed job, or -1 */
	uint32_t name; /* command or label, or DP_NONE */
};

struct dp_thread {
	uint32_t process;
	int64_t tid;
	uint32_t name;
};

/* Records that are missing from the file. */
struct dp_loss {
	const char *reason; /* "file ends inside an event", "kernels without a start" */
	uint64_t records;   /* how many are known to be lost; 0: unknown */
	uint64_t offset;    /* in the file; 0: unknown */
};

/*
 * A time in which recording was off while the process went on, with launches before and after. The
 * process may have run operations in it. Operations launched before may run during it.
 */
struct dp_pause {
	uint32_t process; /* index of a struct dp_process */
	int64_t start_ns;
	int64_t end_ns;
};

/*
 * Set to DP_OPEN_OPTIONS_INIT, then change members. size identifies the members that the caller was
 * compiled with.
 */
struct dp_open_options {
	size_t size;
	const char *input_format; /* an importer's name; NULL: detect the format */
	bool allow_no_gpu;	  /* accept a trace without GPU operations */
	struct dp_log log;
	/* Called now and then; total_bytes is 0 if unknown. May be NULL. */
	void (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
	void *progress_ctx;
	/*
	 * What dp_trace_path() and errors call a file that stands for another, such as a temporary
	 * copy; NULL: its path.
	 */
	const char *label;
	/* The folder in which a compressed database is unpacked; NULL: /tmp. */
	const char *temporary_folder;
};

#define DP_OPEN_OPTIONS_INIT                                                                   \
	{                                                                                      \
		sizeof(struct dp_open_options), NULL, false, { NULL, NULL }, NULL, NULL, NULL, \
			NULL                                                                   \
	}

/*
 * Reads a trace file into memory. The format is detected from the content, gzip is transparent, and
 * "-" is standard input (not for databases). options may be NULL.
 *
 * Ownership: the caller frees *trace with dp_trace_free(); on failure it is not written. Of a
 * truncated file, the readable part is kept: see dp_trace_loss().
 * Errors: DP_ERR_IO, DP_ERR_FORMAT, DP_ERR_DAMAGED, DP_ERR_NO_GPU, DP_ERR_UNSUPPORTED,
 * DP_ERR_LIMIT (more than 2^32 events of one kind, 2 GiB of names, or a compressed file that
 * unpacks to more than 64 MiB and 200 times its size), DP_ERR_NOMEM, DP_ERR_ARGUMENT (an unknown
 * input_format). Cost: linear in the (decompressed) file; memory for the model, not for the file.
 * A compressed database is unpacked into a temporary file without a name, which disappears with
 * the process at the latest. If it has more than 64 MiB, and needs more than half of the space that
 * is free on the disk, it is refused (DP_ERR_LIMIT).
 */
DP_API int dp_trace_open(struct dp_trace **trace, const char *path,
			 const struct dp_open_options *options, struct dp_error *error);

/*
 * Whether a file of this name, given without its folders, is taken for a trace or a summary where a
 * folder is searched, in which logs, checkpoints and reports may lie, too. Constant cost.
 */
DP_API bool dp_trace_is_trace_name(const char *name);

/* Releases the caller's reference; analyses of the trace keep theirs. NULL is allowed. */
DP_API void dp_trace_free(struct dp_trace *trace);

/* The importer that read it ("nsys", "kineto", …), and the path. Borrowed from the trace. */
DP_API const char *dp_trace_format(const struct dp_trace *trace);
DP_API const char *dp_trace_path(const struct dp_trace *trace);

/* Details of the format, such as "schema 3.25.0", or "". Borrowed. */
DP_API const char *dp_trace_format_detail(const struct dp_trace *trace);

/* Records that some metrics need and not every trace has. */
enum dp_need {
	DP_NEED_NOTHING,
	DP_NEED_LAUNCHES, /* calls, and which of them launched an operation */
	DP_NEED_KINDS,	  /* copies' memory: pageable or pinned */
	DP_NEED_MEMORY,	  /* allocations of device memory */
	DP_NEED_SAMPLES,  /* clocks and power of devices */
	DP_NEED_HOST,	  /* what the processors did with the program's threads */
	DP_NEED_ACTIVITY, /* how busy the devices' units were */
	DP_NEEDS
};

/*
 * Whether a trace lacks these records. A trace without the events that they describe (without
 * copies, for DP_NEED_KINDS) lacks nothing. Cost: linear in the operations up to the first that
 * decides.
 */
DP_API bool dp_trace_lacks(const struct dp_trace *trace, enum dp_need need);

/* What such records are for, and how to record them. Static; NULL for DP_NEED_NOTHING. */
struct dp_need_info {
	const char *what;   /* "launches" */
	const char *gives;  /* "idle time by cause, launch delay, queue depth, the host's time" */
	const char *record; /* how to record them */
};

DP_API const struct dp_need_info *dp_need(enum dp_need need);

/*
 * The same for the tool that made the trace. Also NULL if the trace's format never has such
 * records, or if they are recorded only on request.
 */
DP_API const struct dp_need_info *dp_trace_need(const struct dp_trace *trace, enum dp_need need);

/* Columns; borrowed, constant cost. */
DP_API const struct dp_ops *dp_trace_ops(const struct dp_trace *trace);
DP_API const struct dp_calls *dp_trace_calls(const struct dp_trace *trace);
DP_API const struct dp_syncs *dp_trace_syncs(const struct dp_trace *trace);
DP_API const struct dp_collectives *dp_trace_collectives(const struct dp_trace *trace);
DP_API const struct dp_ranges *dp_trace_ranges(const struct dp_trace *trace);
DP_API const struct dp_memory *dp_trace_memory(const struct dp_trace *trace);
DP_API const struct dp_samples *dp_trace_samples(const struct dp_trace *trace);
DP_API const struct dp_activity *dp_trace_activity(const struct dp_trace *trace);
DP_API const struct dp_cpu_samples *dp_trace_cpu_samples(const struct dp_trace *trace);
DP_API const struct dp_off_cpu *dp_trace_off_cpu(const struct dp_trace *trace);
DP_API const struct dp_function_samples *
dp_trace_function_samples(const struct dp_trace *trace);
DP_API const struct dp_throttling *dp_trace_throttling(const struct dp_trace *trace);

/*
 * The indices in dp_trace_ops() of one stream's operations, in order, and their number in *count.
 * NULL and 0 beyond the last stream. Borrowed.
 */
DP_API const uint32_t *dp_trace_stream_ops(const struct dp_trace *trace, size_t stream,
					   size_t *count);

/* An interned string in valid UTF-8; "" for DP_NONE and unknown ids. Borrowed. */
DP_API const char *dp_trace_string(const struct dp_trace *trace, uint32_t id);

/* The number of strings, whose ids start at 0. */
DP_API size_t dp_trace_string_count(const struct dp_trace *trace);

/*
 * Tables; NULL beyond the last. Streams and devices are in order of process, device, context,
 * stream.
 */
DP_API size_t dp_trace_stream_count(const struct dp_trace *trace);
DP_API const struct dp_stream *dp_trace_stream(const struct dp_trace *trace, size_t index);
DP_API size_t dp_trace_device_count(const struct dp_trace *trace);
DP_API const struct dp_device *dp_trace_device(const struct dp_trace *trace, size_t index);

/* The number of GPUs: devices with the same UUID are one GPU, all others are one each. */
DP_API size_t dp_trace_gpu_count(const struct dp_trace *trace);
DP_API size_t dp_trace_process_count(const struct dp_trace *trace);
DP_API const struct dp_process *dp_trace_process(const struct dp_trace *trace, size_t index);
DP_API size_t dp_trace_thread_count(const struct dp_trace *trace);
DP_API const struct dp_thread *dp_trace_thread(const struct dp_trace *trace, size_t index);
DP_API size_t dp_trace_loss_count(const struct dp_trace *trace);
DP_API const struct dp_loss *dp_trace_loss(const struct dp_trace *trace, size_t index);

/* The number of records known to be lost, for all reasons together. */
DP_API uint64_t dp_trace_lost(const struct dp_trace *trace);

/* False if a loss has an unknown record count: dp_trace_lost() is then a lower bound. */
DP_API bool dp_trace_lost_known(const struct dp_trace *trace);

/* Facts that say why times are inexact: those of the host were moved, or are the profiler's. */
#define DP_FACT_CLOCKS "clocks"
#define DP_FACT_REPLAY "replay"

/*
 * Facts about the recording, by index; NULL beyond the last. Names are "host", "command",
 * "exit_status" (of the command), "driver", "cupti", "recorder" (the program and its version), and
 * those above. If processes differ, the value is that of the first. Constant cost.
 */
struct dp_fact {
	const char *name;
	const char *value;
};

DP_API const struct dp_fact *dp_trace_fact(const struct dp_trace *trace, size_t index);

/* Pauses in order of process and time; those of a process do not overlap. NULL beyond the last. */
DP_API size_t dp_trace_pause_count(const struct dp_trace *trace);
DP_API const struct dp_pause *dp_trace_pause(const struct dp_trace *trace, size_t index);

/* How long a process (an index) was not recorded. Cost: linear in its pauses. */
DP_API int64_t dp_trace_paused_ns(const struct dp_trace *trace, uint32_t process);

/* The number of events that ended before they started, and were given a duration of 0. */
DP_API uint64_t dp_trace_clamped(const struct dp_trace *trace);

/* Returns whether the date of time 0 is known, and writes it in ns since 1970, UTC. */
DP_API bool dp_trace_t0(const struct dp_trace *trace, int64_t *t0_ns);

/* Time 0 on the clock of the source. */
DP_API int64_t dp_trace_source_zero(const struct dp_trace *trace);

/* From the start of the first GPU operation to the end of the last. */
DP_API int64_t dp_trace_duration_ns(const struct dp_trace *trace);

/* The resolution of times: 1, or 1000 for a trace in whole microseconds. */
DP_API int64_t dp_trace_resolution_ns(const struct dp_trace *trace);

/*
 * The memory that the trace's largest parts occupy, in bytes: operations, calls, synchronizations,
 * ranges, allocations, samples of devices, and names.
 */
DP_API size_t dp_trace_bytes(const struct dp_trace *trace);

/* The importers by index: a name and one line of help; NULL beyond the last. Static. */
struct dp_format_info {
	const char *name;
	const char *help;
};

DP_API const struct dp_format_info *dp_format(size_t index);

#ifdef __cplusplus
}
#endif

#endif
