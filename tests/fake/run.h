/* Runs the program under test as the launcher would, and reads what it left. */
#ifndef DP_FAKE_RUN_H
#define DP_FAKE_RUN_H

#include "fake.h"
#include "spool/pool.h"

#include <stdbool.h>
#include <stddef.h>

#define RUN_POOLS 256

/* What to do to the program, and how to start it; NULL and 0 are the usual. */
struct run_options {
	const char *options; /* DEEPPROF_OPTIONS */
	const char *cupti;   /* another libcupti than the fake; "" for none */
	const char *version; /* of the fake */
	const char *driver;  /* likewise, as cuDriverGetVersion counts */
	const char *fail;
	const char *holder;
	bool leaves;
	bool hang;
	bool late;		 /* CUPTI knows its records when it makes them, not before */
	const char *switches[4]; /* of the fake, "NAME=value" */
	bool no_socket;
	unsigned int kill_after_us; /* SIGKILL */
	uint64_t kill_after_kernels; /* and not before this many were made */
	size_t pools;		    /* waits until this many processes were heard of */
	uint64_t file_limit;	    /* RLIMIT_FSIZE */
	uint64_t disk_bytes;	    /* the spool on a tmpfs of that size (root only) */
	bool read_only;		    /* the spool's folder, likewise */
	uint64_t descriptors;	    /* RLIMIT_NOFILE */
	uint64_t address_space;	    /* RLIMIT_AS */
	/* Of trouble.c, which is preloaded where one of these is set. */
	unsigned int trouble_call;
	bool trouble_on;
	const char *trouble_name, *trouble_step, *trouble_age, *trouble_fast, *trouble_late;
	/* What the launcher wants where the program waits for it, which goes on once that is so. */
	enum { RUN_GOES_ON = 0, RUN_PAUSES, RUN_RUNS } at_go;
};

/* What a run left, summed over its processes. */
struct run {
	int status; /* of waitpid() */
	double seconds;
	char output[4096]; /* stdout and stderr */
	char dir[128];
	size_t spools;
	size_t pools;
	size_t salvaged_spools;
	size_t ended_spools;
	uint64_t records[DP_SPOOL_TYPE_COUNT]; /* delivered by the reader, by type */
	uint64_t seen[DP_SPOOL_KINDS];	       /* the same, by kind */
	uint64_t completed[DP_SPOOL_KINDS];
	uint64_t stored[DP_SPOOL_KINDS];
	uint64_t lost[DP_SPOOL_KINDS];
	uint64_t lost_by[DP_LOSS_REASONS];
	uint64_t undefined;
	uint64_t spool_bytes;
	unsigned int trouble_call; /* as the options have it */
	uint64_t trouble_calls;	   /* that the collector made of what trouble.c has */
	struct fake_truth truth;
	int64_t first_launch_ns;		    /* as the pool of one process has it */
	uint64_t salvaged_kernels, untimed_kernels; /* of those delivered */
	char messages[8192];			    /* codes and texts */
	/* Called for each record, if set before. */
	void (*each)(struct run *run, struct dp_spool *spool, const struct dp_spool_record *record);
	void *user;
};

/* Words of fake_app, NULL at the end. False where the machine can't (no root). */
bool run_app(struct run *run, const struct run_options *options, const char *const *words);

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Those that the fake records. */
#define RUN_KINDS 17
extern const uint32_t run_kinds[RUN_KINDS];

/* All that the fake recorded is in the sums, and nothing is lost. */
void run_check_complete(const struct run *run);

/* It ended so, and printed nothing. */
void run_check_exit(const struct run *run, int status);

/* Holds completed = stored + lost, and stored = what the reader gave, of each kind. */
void run_check_sums(const struct run *run);

/* Records of the kind that nothing says anything about. */
uint64_t run_unaccounted(const struct run *run, uint32_t kind);

/*
 * Checks that every kernel and every call that was completed is stored or counted as lost. Threads
 * may each hold a buffer at the end that nobody can look at; it counts as a record, be it empty.
 */
void run_check_launches(const struct run *run, uint64_t threads);

#endif
