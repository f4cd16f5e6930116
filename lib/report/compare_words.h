/* The words of comparisons, shared by all formats for people. */
#ifndef DP_REPORT_COMPARE_WORDS_H
#define DP_REPORT_COMPARE_WORDS_H

#include "report/text.h"
#include <deepprof/compare.h>

/* Room for two numbers and a word or two. */
#define DP_COMPARE_WORDS (3 * DP_NUMBER_SIZE)

enum dp_verdict_kind {
	DP_VERDICT_SAME,
	DP_VERDICT_FASTER,
	DP_VERDICT_SLOWER,
	DP_VERDICT_UNKNOWN, /* nothing or too few iterations to compare, or other units of work */
};

struct dp_verdict {
	enum dp_verdict_kind kind;
	char headline[DP_COMPARE_WORDS]; /* "26.8% faster" */
	struct dp_words detail;		 /* "median 176.2 → 128.9 ms (95% CI …)" */
};

void dp_verdict__of(struct dp_verdict *verdict, const struct dp_comparison *comparison, size_t pair,
		    bool ascii);

/* How much faster or slower the second run is: "12.3% faster", "2.40 times as long". */
char *dp_compare_words__percent(char buf[DP_COMPARE_WORDS], const double value[2]);

/* "95% CI". Returns buf. */
char *dp_compare_words__ci(char buf[DP_NUMBER_SIZE], double confidence);

/* "176.2 → 128.9 ms": the unit once if both share it. */
char *dp_compare_words__change(char buf[DP_COMPARE_WORDS], const double value[2], const char *unit,
			       bool ascii);

/* "26 → 15", or "26" if they are equal: calls of a kernel per iteration. */
char *dp_compare_words__calls(char buf[DP_COMPARE_WORDS], const double calls[2], bool ascii);

/* "+1.234 ms"; a change of shares is in percentage points. */
char *dp_compare_words__signed(char buf[DP_COMPARE_WORDS], double value, const char *unit,
			       bool ascii);
char *dp_compare_words__size(char buf[DP_NUMBER_SIZE], double value, const char *unit, bool ascii);

/* The name of a part of the period, by its metric. */
const char *dp_compare_words__part(const char *metric);

/* "Loop 0", "Loop 0, GPU 1 (after: loop 2, GPU 0)". */
void dp_compare_words__loops(struct dp_words *words, const struct dp_comparison *comparison,
			     size_t pair);

/*
 * "20 iterations of 181 kernels", as the run's analysis reports them. This and all below that take
 * a render change render->analysis.
 */
void dp_compare_words__iterations(struct dp_words *words, struct dp_render *render,
				  const struct dp_comparison *comparison, size_t pair, int run);

/* "20 iterations of 181 kernels; after: 24 of 170–176; 92.0% match in order" */
void dp_compare_words__match(struct dp_words *words, struct dp_render *render,
			     const struct dp_comparison *comparison, size_t pair);

/*
 * What compares if iterations do not: "Whole capture: 97.40 → 86.22 ms, streams busy for 32.24 →
 * 19.92 ms, 6,384 → 9,359 kernels".
 */
void dp_compare_words__whole(struct dp_words *words, const struct dp_comparison *comparison,
			     bool ascii);

/* Sets the mean time of one call, without interval. Returns false unless both runs have it. */
bool dp_compare_words__per_call(struct dp_difference *ns, const struct dp_pair_kernel *kernel);

/*
 * Finds the next loop of a run, from loop on, that is at the requested level and in no pair.
 * Returns false if there is none.
 */
bool dp_comparison__next_alone(const struct dp_comparison *comparison, enum dp_run run,
			       size_t *loop);

/* A loop without counterpart; and why there are no pairs. */
void dp_compare_words__alone(struct dp_words *words, struct dp_render *render,
			     const struct dp_comparison *comparison, enum dp_run run, size_t loop);
void dp_compare_words__nothing(struct dp_words *words, const struct dp_comparison *comparison);

/* Returns true if a kernel changed by a known amount of at least a thousandth of the period. */
bool dp_compare_words__shows(const struct dp_pair_kernel *kernel, double period_ns);

/*
 * The kind of change, for people: "left" instead of "removed", or "joined" instead of "added", for
 * a kernel that the other run has, too, but not in the loop. Static.
 */
const char *dp_compare_words__kind(const struct dp_pair_kernel *kernel);

/* The longer period of the two runs, as the reference for that. */
double dp_compare_words__period(const struct dp_comparison *comparison, size_t pair);

/* "new", "still", "gone". Static. */
const char *dp_compare_words__finding(enum dp_finding_change change);

/*
 * The same for people: if only one run has the finding, "worse" or "better" instead of "still" if
 * the mean of its metric, which is shown, changed significantly, and else "unclear". Static.
 */
const char *dp_compare_words__trend(const struct dp_pair_finding *both);

/*
 * "costs 15.93 → 1.495 ms per iteration, partly included in host-bound": what analyses of the runs
 * report. If only one has the finding, its cost, that the other does not report it, and the mean
 * of what it is a part of in both: "cost 4.774 ms per iteration; not reported after; mean host wait
 * fell: 6.293 ms → 0 ns".
 */
void dp_compare_words__cost(struct dp_words *words, struct dp_render *render,
			    const struct dp_comparison *comparison,
			    const struct dp_pair_finding *both);

/* The severity before if it changed, else NULL. */
const char *dp_compare_words__was(const struct dp_pair_finding *both);

#endif
