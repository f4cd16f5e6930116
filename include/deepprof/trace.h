/*
 * The trace model: what a GPU did, and what the host did to make it so.
 *
 * A trace is read once and then never changes, so any number of threads may read it. Operations
 * are kept in columns, 48 bytes for each; names are interned. Times are integer nanoseconds
 * from the start of the first GPU operation (host times may be negative).
 */
#ifndef DEEPPROF_TRACE_H
#define DEEPPROF_TRACE_H

#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_trace;

/* What an operation is. A graph is one replay of a CUDA graph that was traced as a whole: it
 * counts among the kernels. */
enum dp_op_kind { DP_OP_KERNEL, DP_OP_GRAPH, DP_OP_COPY, DP_OP_SET };

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
	const uint64_t *bytes;	     /* copies and sets; 0 for kernels and where not known */
	const uint32_t *name;	     /* for dp_trace_string() */
	const uint32_t *stream;	     /* index of a struct dp_stream */
	const uint32_t *correlation; /* CUPTI's correlation id, 0 where not known */
	const uint32_t *call;	     /* index of the call that launched it, or DP_NONE */
	const uint8_t *kind;	     /* enum dp_op_kind */
	const uint8_t *copy_kind;    /* enum dp_copy_kind */
	const uint8_t *src_kind;     /* enum dp_memory_kind */
	const uint8_t *dst_kind;     /* enum dp_memory_kind; a set's memory */
};

/* True where an operation counts as a kernel: kernels and graph replays. */
static inline bool dp_op_is_kernel(uint8_t kind)
{
	return kind == DP_OP_KERNEL || kind == DP_OP_GRAPH;
}

/* What a host call does, judged by its name. */
enum dp_call_kind {
	DP_CALL_OTHER,
	DP_CALL_LAUNCH, /* a kernel, or a graph */
	DP_CALL_COPY,
	DP_CALL_SET,
	DP_CALL_SYNC,	/* waits for the device: …Synchronize */
	DP_CALL_MEMORY, /* allocates or frees */
	DP_CALL_CAPTURE, /* begins or ends the capture of a stream into a graph */
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
	 * Of a stream's wait for an event, where recorded: the stream that the event was recorded
	 * in, else DP_NONE; the correlation id of the call that recorded it: it stands for what was
	 * launched there before; and the event's number.
	 */
	const uint32_t *source;
	const uint32_t *source_correlation;
	const uint32_t *event;
};

/*
 * Calls of a communication library, as the trace describes them, in order of start: collectives,
 * and sends and receives. Where stream is known, times are those of the kernel that ran there; else
 * they are those of the host's call on thread, within which the kernel was launched.
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
	const uint32_t *group;	    /* what names its process group, or DP_NONE */
	const uint32_t *group_size; /* members, 0: not known */
	const int32_t *peer;	    /* the other rank of a send or a receive, in the group; -1 */
	const int32_t *self;	    /* this rank's number in the group, -1: not known */
};

/* What a range is. */
enum dp_range_kind {
	DP_RANGE_NVTX,	     /* an NVTX range */
	DP_RANGE_ANNOTATION, /* a profiler's annotation: ProfilerStep, record_function */
	DP_RANGE_OPERATOR,   /* a framework operator */
};

/* Ranges of host time in order of start; of equal starts the longer first. */
struct dp_ranges {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint32_t *name;
	const uint32_t *thread; /* or DP_NONE */
	const uint8_t *kind;	/* enum dp_range_kind */
};

/* Device memory as it is allocated and freed, in order of time. */
struct dp_memory {
	size_t count;
	const int64_t *time_ns;
	const int64_t *delta_bytes; /* freed: negative */
	const uint32_t *device;	    /* index of a struct dp_device */
};

/* The clocks are held down: NVML's reasons (nvmlClocksEventReasons) that cost speed. */
#define DP_THROTTLE_SLOW                                                             \
	(0x04u /* power cap */ | 0x08u /* hardware */ | 0x20u /* software, heat */ | \
	 0x40u /* hardware, heat */ | 0x80u /* power brake */)

/* A device's state as it was sampled, in order of time. 0 where a value is not known. */
struct dp_samples {
	size_t count;
	const int64_t *time_ns;
	const uint64_t *energy_mj; /* used since some time before */
	const uint32_t *power_mw;
	const uint32_t *clock_mhz; /* of its multiprocessors */
	const uint32_t *throttle;  /* NVML's reasons, as bits */
	const uint32_t *device;	   /* index of a struct dp_device */
};

/*
 * What threads have done since they began, as it was sampled, in order of time. A thread did the
 * same from one of its samples to the next.
 */
struct dp_cpu_samples {
	size_t count;
	const int64_t *time_ns;
	const int64_t *run_ns;	/* on a processor */
	const int64_t *wait_ns; /* runnable, but not on a processor; -1: not recorded */
	const int64_t *faults;	/* pages that were read from a disk; -1: not recorded */
	const uint32_t *thread; /* index of a struct dp_thread */
};

/* Why a thread was not on a processor. */
enum dp_off_kind {
	DP_OFF_BLOCKED,	  /* it waited for something, and then for a processor */
	DP_OFF_PREEMPTED, /* it could run, but another thread did */
	DP_OFF_FAULT,	  /* it waited for a page that was read from a disk */
	DP_OFF_KINDS
};

/* When threads were not on a processor, in order of start; those of a thread don't overlap. */
struct dp_off_cpu {
	size_t count;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint32_t *thread; /* index of a struct dp_thread */
	const uint8_t *kind;	/* enum dp_off_kind */
};

/* For how long a process's cgroup was kept from running since some time before, as sampled, in
 * order of time. */
struct dp_throttling {
	size_t count;
	const int64_t *time_ns;
	const int64_t *throttled_ns;
	const uint32_t *process; /* index of a struct dp_process */
};

enum dp_stream_class {
	DP_STREAM_MAIN,	  /* of its process and device the one with most kernel time, communication
			     excluded */
	DP_STREAM_COPY,	  /* copies, but no kernels */
	DP_STREAM_ASSIST, /* all others */
};

/* Identifiers are those of the trace; -1 is one that it does not tell. */
struct dp_stream {
	uint32_t process; /* index of a struct dp_process */
	uint32_t device;  /* index of a struct dp_device */
	int64_t context;
	int64_t stream;
	enum dp_stream_class stream_class;
	size_t kernels; /* graph replays included */
	size_t copies;
	size_t sets;
	int64_t busy_ns;    /* length of the union of its operations */
	int64_t compute_ns; /* and of its kernels, those of communication excluded */
};

/* A device as one process sees it: two processes on one device are two of these. */
struct dp_device {
	uint32_t process;
	int64_t id;
	uint32_t name;	      /* for dp_trace_string(), or DP_NONE */
	uint64_t total_bytes; /* memory, 0 where not known */
	uint32_t uuid;	      /* which GPU it is, for dp_trace_string(), or DP_NONE */
};

struct dp_process {
	int64_t pid;   /* -1 where not known */
	int64_t rank;  /* of a distributed job, or -1 */
	uint32_t name; /* command or label, or DP_NONE */
};

struct dp_thread {
	uint32_t process;
	int64_t tid;
	uint32_t name;
};

/* Something that the file should hold and does not. */
struct dp_loss {
	const char *reason; /* "file ends inside an event", "kernels without a start" */
	uint64_t records;   /* how many are known to be lost, 0: not known */
	uint64_t offset;    /* where in the file, 0: not known */
};

/*
 * Recording was off, while the process went on and launched operations before and after: that
 * nothing ran is not known. What was launched before may run in it.
 */
struct dp_pause {
	uint32_t process; /* index of a struct dp_process */
	int64_t start_ns;
	int64_t end_ns;
};

/*
 * How to open. Set to DP_OPEN_OPTIONS_INIT, then change members: size tells the library which of
 * them the caller was compiled with.
 */
struct dp_open_options {
	size_t size;
	const char *input_format; /* an importer's name, or NULL: by content */
	bool allow_no_gpu;	  /* a trace without GPU operations is no error */
	struct dp_log log;
	/* Called now and then; total is 0 where it is not known. May be NULL. */
	void (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
	void *progress_ctx;
	/* What dp_trace_path() and errors call the file, where it stands for another (a temporary
	 * copy); NULL: its path. */
	const char *label;
	/* Where a compressed database is unpacked; NULL: /tmp. */
	const char *temporary_folder;
};

#define DP_OPEN_OPTIONS_INIT                                                                   \
	{                                                                                      \
		sizeof(struct dp_open_options), NULL, false, { NULL, NULL }, NULL, NULL, NULL, \
			NULL                                                                   \
	}

/*
 * Reads a trace file whole; the format is found from the content, gzip is transparent, "-" is
 * standard input (not for databases). options may be NULL.
 *
 * Ownership: *trace is the caller's, to be freed with dp_trace_free(); on failure it is not
 * written. A file that is cut short gives what was readable: see dp_trace_loss().
 * Errors: DP_ERR_IO, DP_ERR_FORMAT, DP_ERR_DAMAGED, DP_ERR_NO_GPU, DP_ERR_UNSUPPORTED,
 * DP_ERR_LIMIT (more than 2^32 events of one kind, or 2 GiB of names), DP_ERR_NOMEM,
 * DP_ERR_ARGUMENT (an unknown input_format). Cost: linear in the (decompressed) file; memory for
 * the model, not for the file. A compressed database is unpacked into a temporary file without a
 * name, which is gone with the process at the latest, and which is refused (DP_ERR_LIMIT) where it
 * would have more than 200 times its size or leave less than 5% of the disk free.
 */
DP_API int dp_trace_open(struct dp_trace **trace, const char *path,
			 const struct dp_open_options *options, struct dp_error *error);

DP_API void dp_trace_free(struct dp_trace *trace);

/* The importer that read it ("nsys", "kineto", …), and the path. Borrowed from the trace. */
DP_API const char *dp_trace_format(const struct dp_trace *trace);
DP_API const char *dp_trace_path(const struct dp_trace *trace);

/* One line more about the format, as "schema 3.25.0", or "". Borrowed. */
DP_API const char *dp_trace_format_detail(const struct dp_trace *trace);

/* What not every trace holds, and metrics need. */
enum dp_need {
	DP_NEED_NOTHING,
	DP_NEED_LAUNCHES, /* calls, and which of them launched an operation */
	DP_NEED_KINDS,	  /* copies' memory: pageable or pinned */
	DP_NEED_MEMORY,	  /* allocations of device memory */
	DP_NEED_SAMPLES,  /* clocks and power of devices */
	DP_NEED_HOST,	  /* what the processors did with the program's threads */
	DP_NEEDS
};

/*
 * Does the trace lack it? A trace with nothing that could have it (no copies whose memory could be
 * recorded) lacks nothing. Cost: linear in the operations until the first that has it.
 */
DP_API bool dp_trace_lacks(const struct dp_trace *trace, enum dp_need need);

/* What a need is for, and how to record it. Static; NULL for DP_NEED_NOTHING and unknown ones. */
struct dp_need_info {
	const char *what;   /* "launches" */
	const char *gives;  /* "idle time by cause, launch delay, queue depth, the host's time" */
	const char *record; /* what to do to get it */
};

DP_API const struct dp_need_info *dp_need(enum dp_need need);

/*
 * The same for a trace: how to record it with what has made the trace. NULL also where its format
 * never holds it.
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
DP_API const struct dp_cpu_samples *dp_trace_cpu_samples(const struct dp_trace *trace);
DP_API const struct dp_off_cpu *dp_trace_off_cpu(const struct dp_trace *trace);
DP_API const struct dp_throttling *dp_trace_throttling(const struct dp_trace *trace);

/* Indices into dp_trace_ops() of one stream's operations in order; *count of them. Borrowed. */
DP_API const uint32_t *dp_trace_stream_ops(const struct dp_trace *trace, size_t stream,
					   size_t *count);

/* An interned string, valid UTF-8, "" for DP_NONE and unknown ids. Borrowed. */
DP_API const char *dp_trace_string(const struct dp_trace *trace, uint32_t id);

/* Strings have ids from 0 to this. */
DP_API size_t dp_trace_string_count(const struct dp_trace *trace);

/* Tables; NULL beyond the end. Streams and devices are in order of process, device, context,
 * stream. */
DP_API size_t dp_trace_stream_count(const struct dp_trace *trace);
DP_API const struct dp_stream *dp_trace_stream(const struct dp_trace *trace, size_t index);
DP_API size_t dp_trace_device_count(const struct dp_trace *trace);
DP_API const struct dp_device *dp_trace_device(const struct dp_trace *trace, size_t index);

/* How many GPUs the devices are: those of one UUID are one, all others are each their own. */
DP_API size_t dp_trace_gpu_count(const struct dp_trace *trace);
DP_API size_t dp_trace_process_count(const struct dp_trace *trace);
DP_API const struct dp_process *dp_trace_process(const struct dp_trace *trace, size_t index);
DP_API size_t dp_trace_thread_count(const struct dp_trace *trace);
DP_API const struct dp_thread *dp_trace_thread(const struct dp_trace *trace, size_t index);
DP_API size_t dp_trace_loss_count(const struct dp_trace *trace);
DP_API const struct dp_loss *dp_trace_loss(const struct dp_trace *trace, size_t index);

/* Records known to be lost, all reasons together. */
DP_API uint64_t dp_trace_lost(const struct dp_trace *trace);

/* False where a loss is of nobody knows how many records: then dp_trace_lost() is the least. */
DP_API bool dp_trace_lost_known(const struct dp_trace *trace);

/*
 * What the source reports about its recording, by index; NULL beyond the end. Names are "host",
 * "command", "exit_status" (of the command), "driver", "cupti" and "recorder" (the program and its
 * version); of processes that differ it is the first's. Constant cost.
 */
struct dp_fact {
	const char *name;
	const char *value;
};

DP_API const struct dp_fact *dp_trace_fact(const struct dp_trace *trace, size_t index);

/* Pauses, in order of process, then time; those of a process don't overlap. NULL beyond the end. */
DP_API size_t dp_trace_pause_count(const struct dp_trace *trace);
DP_API const struct dp_pause *dp_trace_pause(const struct dp_trace *trace, size_t index);

/* How much of the trace's duration a process (an index) was not recorded for. Cost: linear in its
 * pauses. */
DP_API int64_t dp_trace_paused_ns(const struct dp_trace *trace, uint32_t process);

/* Events whose end lay before their start: they were given a duration of 0. */
DP_API uint64_t dp_trace_clamped(const struct dp_trace *trace);

/* True, and the epoch (ns since 1970, UTC) of time 0, where the source knows it. */
DP_API bool dp_trace_t0(const struct dp_trace *trace, int64_t *t0_ns);

/* Time 0 as the source's own clock showed it, whatever that counts from. */
DP_API int64_t dp_trace_source_zero(const struct dp_trace *trace);

/* From the first GPU operation's start to the last one's end. */
DP_API int64_t dp_trace_duration_ns(const struct dp_trace *trace);

/* The coarsest step of the operations' times: 1, or 1000 for a trace in whole microseconds. */
DP_API int64_t dp_trace_resolution_ns(const struct dp_trace *trace);

/* Bytes of memory that the trace holds. */
DP_API size_t dp_trace_bytes(const struct dp_trace *trace);

/* The importers: name and one line of help for index 0, 1, …; NULL beyond the end. Static. */
struct dp_format_info {
	const char *name;
	const char *help;
};

DP_API const struct dp_format_info *dp_format(size_t index);

#ifdef __cplusplus
}
#endif

#endif
