/* Runs the program under test as the launcher would, and reads what it leaves. */
#ifndef DP_FAKE_RUN_H
#define DP_FAKE_RUN_H

#include "fake.h"
#include "spool/pool.h"

#include <stdbool.h>
#include <stddef.h>

#define RUN_POOLS 256

/* How to start the program, and what to do to it; NULL and 0 are the defaults. */
struct run_options {
	const char *options; /* DEEPPROF_OPTIONS */
	const char *cupti;   /* another libcupti than the fake; "" for none */
	const char *version; /* of the fake */
	const char *driver;  /* likewise, as cuDriverGetVersion counts */
	const char *fail;
	const char *holder;
	bool leaves;
	bool hang;
	bool late;		 /* CUPTI reports the size of records once it has made some */
	const char *switches[4]; /* of the fake, "NAME=value" */
	bool no_socket;
	unsigned int kill_after_us; /* SIGKILL */
	uint64_t kill_after_kernels; /* and not before this many were made */
	size_t pools;		    /* waits until this many processes have connected */
	uint64_t file_limit;	    /* RLIMIT_FSIZE */
	uint64_t disk_bytes;	    /* the spool on a tmpfs of that size (root only) */
	bool read_only;		    /* the spool's folder, likewise */
	uint64_t descriptors;	    /* RLIMIT_NOFILE */
	uint64_t address_space;	    /* RLIMIT_AS */
	/* For trouble.c, which is preloaded if one of these is set. */
	unsigned int trouble_call;
	bool trouble_on;
	const char *trouble_name, *trouble_step, *trouble_age, *trouble_fast, *trouble_late;
	/*
	 * What the launcher requests when the program waits for it; the program continues once that
	 * is so.
	 */
	enum { RUN_GOES_ON = 0, RUN_PAUSES, RUN_RUNS } at_go;
};

/* What a run leaves, summed over its processes. */
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
	unsigned int trouble_call; /* from the options */
	uint64_t trouble_calls;	   /* of functions in trouble.c, by the collector */
	struct fake_truth truth;
	int64_t first_launch_ns;		    /* from the pool of one process */
	uint64_t salvaged_kernels, untimed_kernels; /* of those delivered */
	char messages[8192];			    /* their codes and texts */
	/* Called for each record, if set before run_app(). */
	void (*each)(struct run *run, struct dp_spool *spool, const struct dp_spool_record *record);
	void *user;
};

/*
 * Runs fake_app with these words, which end with NULL, and checks that completed = stored + lost,
 * and that the reader returned what was stored, by kind. Returns false if the machine cannot (no
 * root).
 */
bool run_app(struct run *run, const struct run_options *options, const char *const *words);

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The kinds that the fake records. */
#define RUN_KINDS 17
extern const uint32_t run_kinds[RUN_KINDS];

/* Checks that all that the fake recorded is in the sums, and nothing is lost. */
void run_check_complete(const struct run *run);

/* Checks that it exited with this status and printed nothing. */
void run_check_exit(const struct run *run, int status);

/* Records of the kind that are neither stored nor lost. */
uint64_t run_unaccounted(const struct run *run, uint32_t kind);

/*
 * Checks that every kernel and every call that was completed is stored or counted as lost. At the
 * end each thread may hold a buffer that nobody can look at; it counts as one record, even if
 * empty.
 */
void run_check_launches(const struct run *run, uint64_t threads);

#endif
