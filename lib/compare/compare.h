/*
 * The internals of a comparison, and the steps that fill them, in this order: pairs, numbers,
 * places.
 */
#ifndef DP_COMPARE_COMPARE_H
#define DP_COMPARE_COMPARE_H

#include "base/base.h"
#include "base/lookup.h"
#include "base/strings.h"
#include "compare/difference.h"
#include <deepprof/compare.h>
#include <stdatomic.h>

struct dp_pair_data {
	struct dp_loop_pair info;
	size_t steady[2];   /* whole iterations after the warm-up, which kernels are counted in */
	double widening[2]; /* of kernel times in them: see dp_estimate__widening() */
	struct dp_difference *metrics; /* one per metric of iterations */
	size_t time_metric;	       /* the metric that stands for an iteration's time */
	struct dp_pair_part *parts;
	size_t part_count;
	struct dp_pair_place *places;
	size_t place_count;
	struct dp_pair_kernel *kernels;
	size_t kernel_count;
	struct dp_pair_finding *findings;
	size_t finding_count;
};

struct dp_comparison {
	atomic_size_t more_owners; /* besides the first */
	struct dp_analysis *run[2]; /* it is one of their owners */
	double confidence;
	double deviations; /* of a normal distribution, for the confidence */
	struct dp_pair_data *pairs;
	size_t pair_count;
};

/* Families of kernels with ids that two runs share, and the family of each name. */
struct dp_family_names {
	struct dp_strings families;
	struct dp_lookup of_name; /* by the name's address, which is unique within a trace */
	char *room;
	size_t size;
};

void dp_family_names__fini(struct dp_family_names *names);

/* A loop's pattern as families of its kernels, with ids that two runs share. */
struct dp_pattern_families {
	uint32_t *symbols; /* in order of the pattern */
	uint32_t *sorted;
	size_t length;
};

/*
 * The caller releases made with fini. Errors: DP_ERR_NOMEM. Cost: linear in the pattern, and in the
 * lengths of new names.
 */
int dp_families__init(struct dp_pattern_families *made, struct dp_family_names *names,
		      const struct dp_analysis *analysis, size_t loop);
void dp_families__fini(struct dp_pattern_families *families);

/*
 * Similarity of two patterns: twice the number of kernels they share, divided by the number of all
 * (Dice's coefficient). Cost: linear.
 */
double dp_families__alike(const struct dp_pattern_families *a, const struct dp_pattern_families *b);

/* Finds the pairs, with info except for what places give. Errors: as dp_comparison_run(). */
int dp_compare__pair(struct dp_comparison *comparison, const size_t *loops, struct dp_error *error);

/* Computes metrics and parts of the period. Errors: DP_ERR_NOMEM. */
int dp_compare__numbers(struct dp_comparison *comparison, struct dp_pair_data *pair);

/*
 * Compares the means of a metric over the steady iterations. Errors: DP_ERR_NOMEM. Cost: linear in
 * the iterations.
 */
int dp_compare__means(struct dp_difference *difference, const struct dp_comparison *comparison,
		      const struct dp_pair_data *pair, size_t metric);

/* Computes places, kernels, and the rest of info. Errors: DP_ERR_NOMEM. */
int dp_compare__places(struct dp_comparison *comparison, struct dp_pair_data *pair);
int dp_compare__kernels(struct dp_comparison *comparison, struct dp_pair_data *pair);

/*
 * Marks kernels of all pairs that the other run has elsewhere. Errors: DP_ERR_NOMEM. Cost: linear
 * in the operations of both runs; the names of kernels are sorted.
 */
int dp_compare__elsewhere(struct dp_comparison *comparison);

/* Compares findings. Errors: DP_ERR_NOMEM. */
int dp_compare__findings(struct dp_comparison *comparison, struct dp_pair_data *pair);

#endif
