/*
 * Records a program: receives what its processes record while they run, and writes the trace file.
 *
 * The caller creates a private folder, opens a recording in it, starts the program with the
 * recording's environment, calls dp_recording_serve() whenever dp_recording_fd() is readable, and
 * writes the trace file after the program has exited. The caller is responsible for starting the
 * program, for signals and for file names.
 *
 * Thread-safety: a recording may be used by one thread at a time. Its messages come on the thread
 * that calls it.
 */
#ifndef DEEPPROF_RECORD_H
#define DEEPPROF_RECORD_H

#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_recording;

/* Set to DP_RECORD_OPTIONS_INIT, then change members. Pointers are borrowed for the call. */
struct dp_record_options {
	size_t size;
	/* The folder of the injected libraries; NULL: where they were installed. */
	const char *collector;
	const char *cupti; /* a libcupti, or the folder that contains it; NULL: the program's own */
	const char *chain; /* another injected library, called first; NULL: none */
	const char *nvml;  /* the library that samples GPUs; NULL: libnvidia-ml.so.1 */
	bool api;	   /* CUDA API calls that an analysis uses */
	bool nvtx;
	bool memory;	       /* allocations and releases of device memory */
	bool graph_nodes;      /* CUDA graphs node by node instead of as a whole */
	bool capture_profiler; /* only between cudaProfilerStart() and cudaProfilerStop() */
	bool exit_guard;       /* preload the library that intercepts _exit() */
	bool paused;	       /* record nothing before dp_recording_control(…, DP_RECORD_RUN) */
	uint32_t sample_ms;    /* interval at which GPUs are sampled; 0: never */
	uint64_t max_memory_bytes; /* bytes in the shared buffers of each process; 0: 512 MiB */
	uint64_t max_spool_bytes;  /* bytes in the temporary file of each process; 0: unlimited */
	struct dp_log log;     /* receives the messages of the processes */
	/*
	 * Stop each process after this many complete iterations of the loop on its busiest stream
	 * (deepprof/detector.h), and those without a loop once all others have stopped; 0: never.
	 * Of further iterations, which ran before the loop was established, the file has one, and
	 * one more for every 50 requested.
	 */
	uint64_t iterations;
	/*
	 * May be NULL. dp_recording_serve() calls it with a descriptor of the memory that a process
	 * shares, so that another process can keep a copy for dp_recording_take_memory(), and with
	 * -1 when the copy is no longer needed.
	 */
	void (*on_memory)(void *ctx, const char *name, int fd);
	void *on_memory_ctx;
	/*
	 * A descriptor of the recording's folder, used instead of its name, which a user who can
	 * write to the parent folder could replace by a symbolic link. -1: open the name, which
	 * must not be a link.
	 */
	int folder;
	bool command_lines; /* store those of the processes, with secrets replaced */
	bool all_calls;	    /* with api: all API calls, for a much larger recording */
	uint32_t host_ms;   /* interval at which threads are sampled; 0: never */
	bool first_launch;  /* note when the first kernel is launched, in dp_record_status */
	bool switches;	    /* with host_ms: when and why threads are off a processor, call stacks */
	/*
	 * Interval at which hardware counters of the GPUs are sampled, in microseconds; 0: never.
	 * A child process does it: dp_record_status.
	 */
	uint32_t gpu_metrics_us;
};

#define DP_RECORD_OPTIONS_INIT                                                                     \
	{                                                                                          \
		sizeof(struct dp_record_options), NULL, NULL, NULL, NULL, true, true, true, false, \
			false, true, false, 100, 0, 0, { NULL, NULL }, 0, NULL, NULL, -1, true,    \
			false, 50, false, true, 0,                                                 \
	}

/*
 * Opens a recording in an empty folder that only the caller can enter; folder is an absolute path.
 * Files are created there relative to a descriptor of the folder, wherever its name leads later.
 * The caller frees *recording with dp_recording_free(); on failure it is not written. Errors:
 * DP_ERR_IO; DP_ERR_NOMEM; DP_ERR_ARGUMENT if the folder is another user's, or a value cannot be
 * passed on to processes; DP_ERR_UNSUPPORTED if the injected libraries are not installed.
 */
DP_API int dp_recording_new(struct dp_recording **recording, const char *folder,
			    const struct dp_record_options *options, struct dp_error *error);

/*
 * Opens a recording whose process was killed, to write its trace file. The recorded processes that
 * still run are stopped when their memory is taken. options may be NULL; only log and folder are
 * used. The only functions that accept such a recording are dp_recording_take_memory(),
 * dp_recording_write() and dp_recording_free(), which leaves the folder as it is. Errors: as above;
 * DP_ERR_UNSUPPORTED if the folder has no recording, DP_ERR_ARGUMENT if the recording is still
 * running.
 */
DP_API int dp_recording_recover(struct dp_recording **recording, const char *folder,
				const struct dp_record_options *options, struct dp_error *error);

/*
 * Adds the memory of a process, as passed to options.on_memory(), to a recovered recording, which
 * then owns fd. Without it, whatever a process had not stored when it died is lost. Errors:
 * DP_ERR_NOMEM, DP_ERR_ARGUMENT (not a process of this folder).
 */
DP_API int dp_recording_take_memory(struct dp_recording *recording, const char *name, int fd);

/* Ends a recording and removes its files from the folder, except a trace file. NULL is allowed. */
DP_API void dp_recording_free(struct dp_recording *recording);

/*
 * Makes dp_recording_free() leave the folder's files, and stores the processes' memory there as
 * well, for dp_recording_recover(): for when the trace file could not be written.
 */
DP_API void dp_recording_keep_folder(struct dp_recording *recording);

/*
 * The variables to start the program with: "NAME=value" by index; NULL beyond the last. Append an
 * existing value of LD_PRELOAD after a colon. Borrowed.
 */
DP_API const char *dp_recording_environment(const struct dp_recording *recording, size_t index);

/* A descriptor that is readable when there is something to serve. The recording owns it. */
DP_API int dp_recording_fd(const struct dp_recording *recording);

/*
 * Receives what the processes have sent; never blocks. Starts to sample once a process records.
 * Errors: DP_ERR_NOMEM, DP_ERR_IO; they concern one process, and the others are still recorded.
 */
DP_API int dp_recording_serve(struct dp_recording *recording);

enum dp_record_control { DP_RECORD_RUN, DP_RECORD_PAUSE, DP_RECORD_STOP };

/* Controls all processes, including later ones; takes effect within 0.1 s. */
DP_API void dp_recording_control(struct dp_recording *recording, enum dp_record_control control);

/* Set to DP_RECORD_STATUS_INIT before use. */
struct dp_record_status {
	size_t size;
	uint32_t processes; /* that have recorded */
	uint32_t connected; /* of those, still running */
	uint32_t active;    /* of those, not stopped yet */
	uint64_t events;    /* recorded so far */
	uint64_t lost;
	uint64_t bytes;	     /* of the temporary files */
	uint64_t iterations; /* if they are counted: of the process with most */
	bool enough;	     /* the requested number was reached, and recording has ended */
	/*
	 * With options.first_launch, when the first kernel was launched, or a process started that
	 * CUPTI cannot record, on CLOCK_MONOTONIC; 0: not yet.
	 */
	int64_t first_launch_ns;
	/* Child process that samples the GPUs, which the library waits for; 0: none. */
	int64_t sampler;
};

#define DP_RECORD_STATUS_INIT                                                     \
	{                                                                         \
		sizeof(struct dp_record_status), 0, 0, 0, 0, 0, 0, 0, false, 0, 0 \
	}

/* Writes the current state to *status. Errors: DP_ERR_ARGUMENT, a size that is 0 or unknown. */
DP_API int dp_recording_status(struct dp_recording *recording, struct dp_record_status *status);

/*
 * Joins arguments, up to a NULL, with spaces, and replaces values that look like secrets by the
 * rules in deepprof-record(1). The caller releases *line with free(); on failure it is not written.
 * Errors: DP_ERR_NOMEM. Cost: linear.
 */
DP_API int dp_record_command_line(char **line, char *const *arguments, struct dp_error *error);

/* What only the caller knows. Set to DP_RECORD_ABOUT_INIT; borrowed for the call. */
struct dp_record_about {
	size_t size;
	const char *command;  /* from dp_record_command_line(), or NULL */
	const char *hostname; /* or NULL */
	int64_t pid;	      /* of the program itself */
	int exit_status;      /* its status: 128 plus the number of a fatal signal; -1: none */
	void (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
	void *progress_ctx;
};

#define DP_RECORD_ABOUT_INIT                                                  \
	{                                                                     \
		sizeof(struct dp_record_about), NULL, NULL, 0, -1, NULL, NULL \
	}

/* Set to DP_RECORD_RESULT_INIT before use. */
struct dp_record_result {
	size_t size;
	uint32_t processes;
	uint64_t operations; /* of the GPU */
	uint64_t events;     /* rows: operations, calls, ranges, … */
	uint64_t samples; /* of the GPUs' states */
	uint64_t lost;	  /* records, for any reason */
	/* Lost for a known reason: */
	uint64_t lost_buffers; /* max_memory_bytes was in use */
	uint64_t lost_nvtx;    /* NVTX events came faster than they could be stored */
	uint64_t lost_limit;   /* max_spool_bytes was reached */
	uint64_t lost_disk;    /* the temporary file could not be written */
	uint64_t lost_cupti;   /* CUPTI dropped them */
	uint64_t salvaged;     /* events of processes that died */
	uint32_t unsalvaged;   /* processes that died and whose memory is gone */
	uint64_t unbalanced;   /* kinds with completed != stored + lost, which is a bug */
	uint64_t duration_ns;  /* from the first event to the end of the last */
	bool cupti;	       /* CUPTI recorded in at least one process */
	uint64_t untimed;      /* operations without times, not counted in operations */
	uint64_t beyond;       /* records after the requested iterations, not in the file */
	uint64_t graph_launches; /* operations that are CUDA graphs recorded as a whole */
	/* CUDA calls that returned CUDA_ERROR_LAUNCH_FAILED, in processes that ran CUDA graphs. */
	uint64_t graph_failures;
};

#define DP_RECORD_RESULT_INIT                                                                     \
	{                                                                                         \
		sizeof(struct dp_record_result), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, \
			0, 0, 0, 0                                                                \
	}

/*
 * Writes the trace file (deepprof-trace(5)) at path, which must not exist, including the events of
 * processes that died, and flushes it to disk. There is no file on failure, or if no process has
 * recorded (processes is 0). Errors: DP_ERR_ARGUMENT (a size that is 0 or unknown), DP_ERR_IO,
 * DP_ERR_NOMEM. Cost: linear in the events, in two passes; memory for names, not for events.
 */
DP_API int dp_recording_write(struct dp_recording *recording, const char *path,
			      const struct dp_record_about *about, struct dp_record_result *result,
			      struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
