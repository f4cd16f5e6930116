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
	const char *fail;
	const char *holder;
	bool hang;
	bool no_socket;
	unsigned int kill_after_us;   /* SIGKILL */
	uint64_t file_limit;	      /* RLIMIT_FSIZE */
	uint64_t disk_bytes;	      /* the spool on a tmpfs of that size (root only) */
	uint32_t control_after_ms[3]; /* stages of the control word: run, pause, run */
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
	struct fake_truth truth;
	char messages[8192]; /* codes and texts */
	/* Called for each record, if set before. */
	void (*each)(struct run *run, struct dp_spool *spool, const struct dp_spool_record *record);
	void *user;
};

/* Words of fake_app, NULL at the end. False where the machine can't (no root). */
bool run_app(struct run *run, const struct run_options *options, const char *const *words);

/* Holds completed = stored + lost, and stored = what the reader gave, of each kind. */
void run_check_sums(const struct run *run);

/* Records of the kind that nothing says anything about. */
uint64_t run_unaccounted(const struct run *run, uint32_t kind);

#endif
