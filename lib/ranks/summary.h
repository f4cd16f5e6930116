/* What is kept of a trace for comparing ranks: see dp_summary_run(). */
#ifndef DP_RANKS_SUMMARY_H
#define DP_RANKS_SUMMARY_H

#include "base/strings.h"

#include <deepprof/ranks.h>

/* A collective of one rank. Times are the trace's own. */
struct dp_call_summary {
	int64_t start_ns;
	int64_t end_ns;
	int64_t exposed_ns; /* of its time, that in which the rank neither computes nor runs an
			     * earlier collective */
	int64_t blocks_ns;  /* of its time, the last stretch, up to its end, in which the rank does
			     * not compute, whatever else runs */
	int64_t queued_ns;  /* it was ready this long before it started, behind another one on its
			     * stream; -1: not known */
	uint64_t bytes;
	int64_t sequence;   /* -1: not recorded */
	uint32_t group;	    /* index of a struct dp_group_summary */
	uint32_t iteration; /* index, or DP_NONE */
	int32_t peer;	    /* in the group, for a send or a receive; -1: unknown */
	int32_t self;	    /* this rank in the group; -1: unknown */
	uint8_t kind;	    /* enum dp_collective_kind */
	bool sends;
};

struct dp_group_summary {
	const char *name;
	uint32_t size; /* members, 0: not known */
};

struct dp_step_summary {
	int64_t start_ns;
	int64_t end_ns;
	double period_ns;	       /* NaN if no other follows */
	double part_ns[DP_RANK_PARTS]; /* of the period; communication includes waiting */
	bool whole;
	bool warmup;
};

/* Operators, kernels and host ranges of a rank: further ones cost too little to be a cause. */
enum { DP_SHARES_MOST = 1024 };

/* What a part's time is spent in. */
struct dp_share_summary {
	const char *name;
	double ns; /* per iteration */
	uint8_t part;
	bool operator_; /* of compute: an operator, rather than a kernel */
};

/* Texts are borrowed: from texts, or from the bytes that the rank was unpacked from. */
struct dp_rank_summary {
	int64_t rank; /* -1: the trace does not state it */
	int64_t pid;
	int64_t device; /* number of its GPU in the trace; -1: an older summary lacks it */
	int64_t t0_ns; /* time 0: since 1970, else by the source's clock */
	bool is_epoch;
	bool untimed; /* durations alone are recorded: times of calls are guessed */
	const char *host;
	size_t pattern; /* kernels of an iteration */
	double clock_mhz; /* mean of its multiprocessors; NaN if not recorded */
	double throttled; /* share of the iterations' time; NaN if not recorded */
	struct dp_group_summary *groups;
	size_t group_count, group_room;
	struct dp_call_summary *calls; /* in order of end */
	size_t call_count, call_room;
	struct dp_step_summary *steps; /* in order of time */
	size_t step_count;
	struct dp_share_summary *shares;
	size_t share_count, share_room;
	struct dp_strings texts;
};

void dp_rank_summary__fini(struct dp_rank_summary *rank);

/* Copies a text for the rank. NULL if memory runs out. */
const char *dp_rank_summary__text(struct dp_rank_summary *rank, const char *text);

/* The ranks of one trace file. */
struct dp_file_summary {
	struct dp_summary_source source; /* its texts are borrowed like those of ranks */
	struct dp_rank_summary *ranks;
	size_t count;
};

/* Frees the ranks, but not what they borrow. */
void dp_file_summary__fini(struct dp_file_summary *file);

/* The summary of one trace file, packed: see deepprof-summary(5). */
struct dp_section {
	unsigned char *bytes;
	size_t size;
	struct dp_summary_source source; /* texts are borrowed from the bytes */
};

/* One section or, in a merged summary file, several. */
struct dp_summary {
	struct dp_section *sections;
	size_t count;
};

/*
 * Packs a file's ranks. The caller frees *bytes with free(). Equal ranks give equal bytes. Times
 * are rounded to nanoseconds. Errors: DP_ERR_NOMEM. Cost: n log n in the calls.
 */
int dp_summary__pack(unsigned char **bytes, size_t *size, const struct dp_file_summary *file);

/*
 * Unpacks untrusted bytes. Texts are borrowed from them; at most some 60 times their size is
 * allocated. Errors: DP_ERR_DAMAGED, DP_ERR_NOMEM; *file is empty then.
 */
int dp_summary__unpack(struct dp_file_summary *file, const unsigned char *bytes, size_t size);

/*
 * Checks packed bytes, and passes their ownership to the section, also on failure. Errors: as
 * above.
 */
int dp_section__init(struct dp_section *section, unsigned char *bytes, size_t size);

/* The order of sections in a file: by size, then by bytes. */
int dp_section__compare(const struct dp_section *a, const struct dp_section *b);

/*
 * Lists the sections of summaries in that order, equal ones once. The caller frees *sections.
 * Errors: DP_ERR_NOMEM.
 */
int dp_summaries__list(const struct dp_section ***sections, size_t *count,
		       struct dp_summary *const *summaries, size_t summary_count);

/* Returns true if no member can leave before all have come. */
bool dp_collective__synchronizes(enum dp_collective_kind kind);

/* The rank in a file's name, or -1. Cost: linear in the name. */
int64_t dp_rank_name__read(const char *path);

/*
 * Joins iterations of one collective each. If all collectives are alike, and nothing else is
 * recorded, only regular long pauses show iterations. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_summary__join_steps(struct dp_rank_summary *rank);

/*
 * Reads the collectives of a trace's devices, one device after the other. The caller frees *reader
 * with dp_call_reader__free(). Errors: DP_ERR_NOMEM. Cost: linear in the trace.
 */
struct dp_call_reader;
int dp_call_reader__new(struct dp_call_reader **reader, const struct dp_trace *trace);
void dp_call_reader__free(struct dp_call_reader *reader);

/*
 * Adds the collectives of a device, in order of end. Errors: DP_ERR_NOMEM. Cost: n log n in the
 * device's operations.
 */
int dp_summary__calls(struct dp_rank_summary *rank, struct dp_call_reader *reader, uint32_t device);

#endif
