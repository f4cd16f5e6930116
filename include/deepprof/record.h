/*
 * Recording a program: what its processes hand over while they run, and the trace file made of it.
 *
 * The caller makes a private folder, opens a recording in it, starts the program with the
 * environment that the recording asks for, calls dp_recording_serve() whenever dp_recording_fd() is
 * readable, and has the trace file written when the program is gone. Starting the program, signals
 * and names of files are the caller's.
 */
#ifndef DEEPPROF_RECORD_H
#define DEEPPROF_RECORD_H

#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_recording;

/* What to record. Set to DP_RECORD_OPTIONS_INIT, then change members. Borrowed for the call. */
struct dp_record_options {
	size_t size;
	/* The folder of the libraries that are injected; NULL: where they were installed. */
	const char *collector;
	const char *cupti; /* a libcupti, or the folder that has it; NULL: the program's own */
	const char *chain; /* another injected library, called first; NULL: none */
	const char *nvml;  /* the library to sample with; NULL: libnvidia-ml.so.1 */
	bool api;	   /* calls of the CUDA APIs that an analysis uses */
	bool nvtx;
	bool memory;	       /* memory operations */
	bool graph_nodes;      /* CUDA graphs node by node, instead of whole */
	bool capture_profiler; /* only between cudaProfilerStart() and cudaProfilerStop() */
	bool exit_guard;       /* preload the library that catches _exit() */
	bool paused;	       /* don't record before dp_recording_control() says so */
	uint32_t sample_ms;    /* state of the GPUs, as often as this; 0: never */
	uint64_t max_memory;   /* of the shared buffers of each process, bytes; 0: the default */
	uint64_t max_spool;    /* of the temporary file of each process, bytes; 0: no limit */
	struct dp_log log;     /* what the processes have to say */
	/*
	 * Stop once this many complete iterations of its busiest stream's loop were seen in a
	 * process (deepprof/detector.h); 0: never. Each process stops by itself, and when all that
	 * have a loop did, so do the others. Of those beyond, which ran before the loop was
	 * certain, the file has one, and one more of each 50 that were asked for.
	 */
	uint64_t iterations;
	/*
	 * May be NULL. Called in dp_recording_serve() with a descriptor of the memory that a
	 * process shares, for another process to keep a copy of, and with -1 once that is of no use
	 * any more: dp_recording_take_memory().
	 */
	void (*on_memory)(void *ctx, const char *name, int fd);
	void *on_memory_ctx;
	/*
	 * A descriptor of the recording's folder, which then is opened by this and not by its name:
	 * another user who may write to the folder around it could have put a symbolic link there.
	 * -1: by its name, which must not be a link.
	 */
	int folder;
	bool command_lines; /* of the processes, without what looks like a secret */
	bool all_calls;	    /* and all others, which makes a recording much larger */
	uint32_t host_ms;   /* what the processes' threads do, as often as this; 0: never */
	bool first_launch;  /* note when the first kernel is launched: dp_record_status */
	bool switches;	    /* with host_ms: note when each thread is off a processor, and why */
};

#define DP_RECORD_OPTIONS_INIT                                                                     \
	{                                                                                          \
		sizeof(struct dp_record_options), NULL, NULL, NULL, NULL, true, true, true, false, \
			false, true, false, 100, 0, 0, { NULL, NULL }, 0, NULL, NULL, -1, true,    \
			false, 50, false, true,                                                    \
	}

/*
 * Opens a recording in an empty folder that only the caller can enter; folder is an absolute path.
 * A folder of another user is refused (DP_ERR_ARGUMENT). What is made there is made relative to a
 * descriptor of the folder, wherever its name leads later. *recording is the caller's, to be freed
 * with dp_recording_free(); on failure it is not written. Errors: DP_ERR_IO, DP_ERR_NOMEM;
 * DP_ERR_ARGUMENT where a value can't be handed on; DP_ERR_UNSUPPORTED where the libraries to
 * inject are not installed.
 */
DP_API int dp_recording_new(struct dp_recording **recording, const char *folder,
			    const struct dp_record_options *options, struct dp_error *error);

/*
 * Opens what a recording left in its folder whose process was killed, to be written. It is done
 * with the folder's processes: those that still run are stopped when their memory is adopted.
 * options, of which only log and folder count, may be NULL. Errors: as above; DP_ERR_UNSUPPORTED
 * where no recording was in the folder, DP_ERR_ARGUMENT where one still is, or the folder is
 * another user's.
 */
DP_API int dp_recording_recover(struct dp_recording **recording, const char *folder,
				const struct dp_record_options *options, struct dp_error *error);

/*
 * Takes the memory of a process, as options.on_memory() gave it. Only of a recording that is
 * recovered, and fd is the recording's then. Without it, what a process had not stored when it died
 * is lost. Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT (not a process of the folder's).
 */
DP_API int dp_recording_take_memory(struct dp_recording *recording, const char *name, int fd);

/* Ends it, and removes what it made in the folder, but no trace file. NULL is allowed. */
DP_API void dp_recording_free(struct dp_recording *recording);

/*
 * Where the trace file could not be written: what is in the folder stays when the recording is
 * freed, and what the processes' memory has goes there, for dp_recording_recover().
 */
DP_API void dp_recording_keep_folder(struct dp_recording *recording);

/*
 * The program's environment: "NAME=value" by index, NULL beyond the end. What LD_PRELOAD was before
 * is to be put behind what this says, with a colon. Borrowed.
 */
DP_API const char *dp_recording_environment(const struct dp_recording *recording, size_t index);

/* Becomes readable when there is something to serve. The recording's. */
DP_API int dp_recording_fd(const struct dp_recording *recording);

/*
 * Takes what the processes have sent; never waits. Starts sampling once a process has begun to
 * record. Errors: DP_ERR_NOMEM, DP_ERR_IO; the recording goes on without what it was about.
 */
DP_API int dp_recording_serve(struct dp_recording *recording);

enum dp_record_control { DP_RECORD_RUN, DP_RECORD_PAUSE, DP_RECORD_STOP };

/* Tells the processes, those that come later included; they follow within 0.1 s. */
DP_API void dp_recording_control(struct dp_recording *recording, enum dp_record_control control);

struct dp_record_status {
	uint32_t processes; /* that have begun to record */
	uint32_t connected; /* of those, the ones that still run */
	uint32_t active;    /* of those, the ones that were not stopped yet */
	uint64_t events;    /* recorded so far */
	uint64_t lost;
	uint64_t bytes;	     /* of the temporary files */
	uint64_t iterations; /* where they are counted: of the process that has had most */
	bool enough;	     /* they were as many as was asked for: nothing is recorded any more */
	/*
	 * With options.first_launch, when the first kernel was launched, or a process began that
	 * CUPTI can't record: CLOCK_MONOTONIC; 0: not yet.
	 */
	int64_t first_launch_ns;
};

/* How it stands. */
DP_API void dp_recording_status(struct dp_recording *recording, struct dp_record_status *status);

/*
 * Joins arguments (NULL ends them) with spaces, and replaces what looks like a secret, as the
 * processes' own command lines are stored: deepprof-record(1) lists the rules. *line is the
 * caller's, for free(); it is not written on failure. Errors: DP_ERR_NOMEM. Cost: linear.
 */
DP_API int dp_record_command_line(char **line, char *const *arguments, struct dp_error *error);

/* What is known of the program besides. Borrowed for the call. */
struct dp_record_about {
	size_t size;
	const char *command;  /* as dp_record_command_line() makes it, or NULL */
	const char *hostname; /* or NULL */
	int64_t pid;	      /* of the program itself */
	int exit_status;      /* of it: 128 and the signal's number where that ended it; -1: none */
	void (*progress)(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
	void *progress_ctx;
};

#define DP_RECORD_ABOUT_INIT                                                  \
	{                                                                     \
		sizeof(struct dp_record_about), NULL, NULL, 0, -1, NULL, NULL \
	}

struct dp_record_result {
	uint32_t processes;
	uint64_t operations; /* of the GPU */
	uint64_t events;     /* rows: operations, calls, ranges, … */
	uint64_t samples;
	uint64_t lost;
	/* Of those lost, where it is known why: */
	uint64_t lost_buffers; /* max_memory was in use */
	uint64_t lost_nvtx;    /* events of NVTX came faster than they were stored */
	uint64_t lost_limit;   /* max_spool was reached */
	uint64_t lost_disk;    /* the temporary file could not be written */
	uint64_t lost_cupti;   /* CUPTI itself has dropped them */
	uint64_t salvaged;     /* of the events, those of processes that died */
	uint32_t unsalvaged;   /* processes that died and left no memory to be salvaged */
	uint64_t unbalanced;   /* kinds of which completed is not stored + lost: a fault */
	uint64_t duration_ns;  /* from the first event to the end of the last */
	bool cupti;	       /* CUPTI has recorded in some process */
	uint64_t untimed;      /* operations whose times are missing; not in operations */
	uint64_t beyond;       /* records that followed the iterations asked for: not in the file */
	uint64_t graph_launches; /* of the operations: CUDA graphs, each as one */
};

/*
 * Writes the trace file (deepprof-trace(5)) at path, which must not exist, salvaging what processes
 * that died have left; it is on the disk when this returns. There is no file on failure, nor where
 * no process has recorded (processes is 0). Errors: DP_ERR_IO, DP_ERR_NOMEM.
 * Cost: linear in the events, two passes; memory for names, not for events.
 */
DP_API int dp_recording_write(struct dp_recording *recording, const char *path,
			      const struct dp_record_about *about, struct dp_record_result *result,
			      struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
