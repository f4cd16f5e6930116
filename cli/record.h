/* deepprof record, in parts: cmd_record.c has the options and the main steps. */
#ifndef DP_CLI_RECORD_H
#define DP_CLI_RECORD_H

#include "folder.h"
#include "place.h"

#include <deepprof/record.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The trace file's name in a private folder. */
#define RECORD_TRACE "trace.db"

struct record {
	struct dp_record_options options;
	const char *output; /* -o, NULL: the default name */
	bool force;
	mode_t mode; /* of the trace file, after the umask; 0: owner only */
	bool chain;
	bool wait;
	int verbosity;
	int64_t delay_ns;
	int64_t duration_ns;  /* 0: to the end */
	int pause_signal;     /* 0: none */
	const char *recover;  /* a folder to recover; runs nothing */
	char **command;	      /* NULL ends it */
	char *line;	      /* the same as text to store, or NULL */
	char *target;	      /* the file's name, for messages */
	struct place place;   /* the same as a place; also what had the name at the start */
	struct folder folder; /* private, for all temporary files */
	struct folder other;  /* with --recover -o, where the file is written */
	bool noted;	      /* the data for recovery is stored in folder */
	bool unwritten;	      /* the trace file could not be written */
	bool closed;	      /* the folder is no longer needed */
	pid_t janitor;	      /* a child besides the command; 0: none */
	struct dp_recording *recording;
};

#define RECORD_INIT                                                                            \
	{                                                                                      \
		.options = DP_RECORD_OPTIONS_INIT, .place = PLACE_INIT, .folder = FOLDER_INIT, \
		.other = FOLDER_INIT                                                           \
	}

/* record_file.c: names, and placing the file. */

/* Returns why --cupti cannot name a CUPTI; NULL if it may. */
const char *record_wrong_cupti(const char *path);

/* Expands %p, %h, %q{VAR} and %%. The caller frees it; NULL after printing the error. */
char *record_name(const char *pattern);

/*
 * Finds the place of the target, whose name must be free unless it may be overwritten or rotated.
 * Returns false after printing the error.
 */
bool record_target(struct record *record);

/* Returns the absolute path of a place's folder, to be freed; NULL after printing the error. */
char *record_above(const struct place *place);

/* Creates the private folder next to the target. Returns false after printing the error. */
bool record_folder(struct record *record);

/*
 * Updates the paths of the target and the private folder, in case their parent was renamed. Returns
 * false after printing the error if the private folder was removed.
 */
bool record_find_folder(struct record *record);

/*
 * Moves "trace.db" from a private folder to the target's name; record->target is then its actual
 * name. Returns false after printing the error.
 */
bool record_place(struct record *record, const struct folder *from);

/*
 * Returns true if the target is the same file as at the start, from an earlier run. A new one may
 * be from a deepprof record inside the command.
 */
bool record_target_is_old(const struct record *record);

/* record_run.c: runs the program and serves the recording. */

struct record_end {
	bool started;	 /* the command was found, and ran */
	int failure;	 /* errno if it did not */
	int wait_status; /* from waitpid() */
	pid_t pid;
	uint32_t left; /* processes still recording */
	bool enough;   /* the requested iterations were recorded */
	uint64_t iterations;
	bool recovered; /* nothing was run: recovers another process's recording */
	bool delayed;	/* --delay had not passed */
	bool early;	/* the recording has ended before the program */
	bool kept;	/* the file exists and is complete */
};

/* Runs it and writes the file. Returns false after printing the error if no process starts. */
bool record_run(struct record *record, struct record_end *end);

/* record_say.c: warns at the start of what may prevent recording; the others report at the end. */
void record_say_ahead(const struct record *record);

/* Tells an outer deepprof record, if any, that this one records. */
void record_tell_outer(void);

void record_say_nothing(const struct record *record, const struct record_end *end,
			const struct dp_record_result *result);
struct dp_log record_log(const struct record *record);
void record_say_kept(const struct folder *folder);
void record_say_done(const struct record *record, const struct record_end *end,
		     const struct dp_record_result *result);

/* record_keep.c: writes the file and reports it. Returns false if it could not be kept complete. */
bool record_keep(struct record *record, const struct record_end *end);

/*
 * Ends the recording and its folder, except what could not be written. Descriptors stay open until
 * record_fini(), which also does this if needed.
 */
void record_close(struct record *record);
void record_fini(struct record *record);

/* Keeps and closes the recording in a thread, while another handles signals. end is a copy. */
struct record_keeping {
	struct record *record;
	struct record_end end;
	pthread_t thread;
	int fd;	   /* becomes readable when it has ended */
	bool done; /* it has ended; before that, the thread owns record */
	bool kept;
	char *name;	      /* name of the requested file */
	struct folder folder; /* the record's descriptors, and the path at that time */
};
void record_keep_begin(struct record_keeping *keeping, struct record *record,
		       const struct record_end *end);

/* Checks whether it is done, without waiting. */
void record_keep_look(struct record_keeping *keeping);
void record_keep_fini(struct record_keeping *keeping);

/* Returns the program's exit status, as a shell defines it. */
int record_exit_status(const struct record_end *end);

/*
 * janitor.c: a separate process that creates the private folder, and removes it when this process
 * is gone, after finishing the recording if this one was killed. *pid is 0 if it does not exist;
 * then there is only the folder. janitor_finish() lets it remove the folder now, or leave it for
 * recovery.
 */
bool janitor_start(struct folder *folder, int above, const char *above_path, const char *stem,
		   pid_t *pid);
void janitor_finish(const struct folder *folder, bool leave);

/* Reports a folder that folder_remove() did not remove. */
void janitor_say_stays(const struct folder *folder);

/* For dp_record_options.on_memory. */
void janitor_keep(void *ctx, const char *name, int fd);

/* Keeps the recording in the folder, with the pools of processes, when this process is gone. */
void janitor_put_away(void);

/* record_recover.c */
struct recovery {
	struct record record;
};

/* Stores the data needed to finish the recording. */
bool recover_note(const struct record *record);

/* Reports where an earlier recording of this name can be finished. */
void recover_hint(const struct record *record);

/*
 * Reports the same for a target in the current folder, or that a recording of it is in progress.
 * Returns false if there is neither.
 */
bool recover_suggest(const char *target);

/* Opens the folder of a recording of the caller's. Returns false after printing the error. */
bool recover_find(struct folder *folder, const char *path);

/*
 * recover_open() opens the recording in a folder, which it takes; on failure, returns false after
 * printing the error, and the folder stays the caller's. recover_finish() finishes it, or prints
 * why not.
 */
bool recover_open(struct recovery *recovery, const struct folder *folder);
bool recover_finish(struct recovery *recovery);

/* Call before finishing: the file is placed by the options instead of the stored data. */
bool recover_to(struct recovery *recovery, const struct record *args);

/* Call instead of finishing: keeps the recording, with the pools of processes. */
void recover_leave(struct recovery *recovery);

#endif
