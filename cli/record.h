/* deepprof record, in parts: cmd_record.c has the options and the order of things. */
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
	mode_t mode; /* of the trace file, the umask applied; 0: its owner's alone */
	bool chain;
	bool wait;
	int verbosity;
	int64_t delay_ns;
	int64_t duration_ns;  /* 0: to the end */
	int pause_signal;     /* 0: none */
	const char *recover;  /* a folder: run nothing */
	char **command;	      /* NULL ends it */
	char *line;	      /* the same as it is stored, or NULL */
	char *target;	      /* the file's name, for people */
	struct place place;   /* the same to work with; what had the name in the beginning, too */
	struct folder folder; /* private, for all that is temporary */
	struct folder other;  /* with --recover -o, where the file is written; none: in folder */
	bool noted;	      /* what it takes to recover it is written down there */
	bool unwritten;	      /* it could not be made a trace file */
	bool closed;	      /* done with the folder */
	pid_t janitor;	      /* another child next to the command; 0: none */
	struct dp_recording *recording;
};

#define RECORD_INIT                                                                            \
	{                                                                                      \
		.options = DP_RECORD_OPTIONS_INIT, .place = PLACE_INIT, .folder = FOLDER_INIT, \
		.other = FOLDER_INIT                                                           \
	}

/* record_file.c: names, and the file in its place. */

/* Why no CUPTI can be where --cupti says it is; NULL: there may be one. */
const char *record_wrong_cupti(const char *path);

/* Expands %p, %h, %q{VAR} and %%; the caller's; NULL after printing the error. */
char *record_name(const char *pattern);

/*
 * Finds the place of the target, whose name must be free unless it is to be overwritten or rotated.
 * Returns false after printing the error.
 */
bool record_target(struct record *record);

/* The absolute path of the folder that a place is in. The caller's; NULL after printing the error.
 */
char *record_above(const struct place *place);

/* Makes the private folder next to the target. Returns false after printing the error. */
bool record_folder(struct record *record);

/*
 * The folder that the target is in may have been renamed since; target and the private folder's
 * path then get the new name. Returns false where the private folder was removed, after saying so.
 */
bool record_find_folder(struct record *record);

/*
 * Puts the file "trace.db" of a private folder at the target's name; record->target is the name
 * that it got. Returns false after printing the error.
 */
bool record_place(struct record *record, const struct folder *from);

/*
 * Has the name still what it had in the beginning? What came there meanwhile, as by a deepprof
 * record in the command, is no earlier run's.
 */
bool record_target_is_old(const struct record *record);

/* record_run.c: runs the program and serves the recording. */

struct record_end {
	bool started;	 /* the command was found, and ran */
	int failure;	 /* errno, where it was not */
	int wait_status; /* waitpid()'s */
	pid_t pid;
	uint32_t left; /* processes that still record */
	bool enough;   /* as many iterations as were wanted */
	uint64_t iterations;
	bool recovered; /* nothing was run: another process has, and was killed */
	bool delayed;	/* --delay was not over */
	bool early;	/* the recording has ended, the program has not */
	bool kept;	/* the file is there, and whole */
};

/* Runs it and writes the file. Returns false after printing the error if no process starts. */
bool record_run(struct record *record, struct record_end *end);

/* record_count.c: false where that is not known. */
bool record_count(const char *path, const struct dp_record_result *result, uint64_t *iterations);

/* record_say.c: what is known of the machine when the program has begun, and said at the end. */
void record_say_ahead(const struct record *record);

/* Tells the deepprof record that runs this one, if any, that it is this one that records. */
void record_tell_outer(void);

void record_say_nothing(const struct record *record, const struct record_end *end,
			const struct dp_record_result *result);
struct dp_log record_log(const struct record *record);
void record_say_kept(const struct folder *folder);
void record_say_done(const struct record *record, const struct record_end *end,
		     const struct dp_record_result *result);

/* record_keep.c: writes the file and says so; false where it could not be kept whole. */
bool record_keep(struct record *record, const struct record_end *end);

/*
 * Done with the recording and its folder, but for what could not be written. The descriptors stay
 * until record_fini(), which does that, too, if it has not been done.
 */
void record_close(struct record *record);
void record_fini(struct record *record);

/* Both, while another thread heeds signals. The end is as it was when that began. */
struct record_keeping {
	struct record *record;
	struct record_end end;
	pthread_t thread;
	int fd;	   /* becomes readable at the end of it */
	bool done; /* it has ended; until then what record has is the thread's */
	bool kept;
	char *name;	      /* of the file that was wanted */
	struct folder folder; /* the record's descriptors, and the path at that time */
};
void record_keep_begin(struct record_keeping *keeping, struct record *record,
		       const struct record_end *end);

/* Looks whether it is done, and never waits. */
void record_keep_look(struct record_keeping *keeping);
void record_keep_fini(struct record_keeping *keeping);

/* The program's, as a shell has it. */
int record_exit_status(const struct record_end *end);

/*
 * janitor.c: a process of its own that makes the private folder, and removes it when this process
 * is gone, after it has finished the recording if this one was killed. *pid is 0 where there is
 * none, and the folder is all there is. janitor_finish() has it remove the folder now, or leave it
 * to be recovered.
 */
bool janitor_start(struct folder *folder, int above, const char *above_path, const char *stem,
		   pid_t *pid);
void janitor_finish(const struct folder *folder, bool leave);

/* Of a folder that folder_remove() has left. */
void janitor_say_stays(const struct folder *folder);

/* For dp_record_options.on_memory. */
void janitor_keep(void *ctx, const char *name, int fd);

/* What is recorded is to stay in the folder, with what processes share, when this one is gone. */
void janitor_put_away(void);

/* record_recover.c */
struct recovery {
	struct record record;
};

/* Writes down what it takes to finish the recording. */
bool recover_note(const struct record *record);

/* Says where an earlier recording of this name waits to be finished. */
void recover_hint(const struct record *record);

/* The same for a name in the current folder that has no file, or what goes on; false for neither.
 */
bool recover_suggest(const char *target);

/* Opens the folder of a recording of the caller's. Returns false after printing the error. */
bool recover_find(struct folder *folder, const char *path);

/*
 * Opens what was left in a folder, which it takes. Returns false after printing the error, and the
 * folder stays the caller's. Then finishes it, or says why not.
 */
bool recover_open(struct recovery *recovery, const struct folder *folder);
bool recover_finish(struct recovery *recovery);

/* Before that: the file is to be what the options say, not what was written down. */
bool recover_to(struct recovery *recovery, const struct record *args);

/* Instead: it stays as it is, with what processes share. */
void recover_leave(struct recovery *recovery);

#endif
