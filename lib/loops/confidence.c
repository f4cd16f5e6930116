/*
 * Two logistic regressions (Cox 1958) on a table of features, each followed by a calibration map
 * (isotonic: Zadrozny and Elkan 2002). Cost: constant.
 *
 * The numbers between the two marks are written by tests/bench/confidence.py: do not edit them.
 */
#include "loops/confidence.h"

#include <math.h>

/* Smaller changes of log-odds are left out of explanations. */
#define WORTH_SAYING 0.1

const struct dp_feature_info dp_feature_table[DP_FEATURES] = {
	[DP_FEATURE_ITERATIONS] = { "iterations", "feature_iterations", "many iterations",
				    "few iterations" },
	[DP_FEATURE_EDITS] = { "edits", "feature_edits", "iterations differ",
			       "iterations hardly differ" },
	[DP_FEATURE_RENAMED] = { "renamed", "feature_renamed", "exact kernel names differ",
				 "exact kernel names are the same" },
	[DP_FEATURE_ENDS] = { "ends", "feature_ends", "few or no other kernels run before or after it",
			      "other kernels run before or after it" },
	[DP_FEATURE_LAYERS] = { "layers", "feature_layers",
				"looks like the layers of a single pass",
				"does not look like the layers of a single pass" },
	[DP_FEATURE_MAYBE_LAYERS] = { "maybe_layers", "feature_maybe_layers", "may be layers",
				      "clearly layers, or clearly none" },
	[DP_FEATURE_STEP] = { "step", "feature_step",
			      "uploads, downloads, waits or an optimizer once per iteration",
			      "no upload, download, wait or optimizer once per iteration" },
	[DP_FEATURE_MARGIN] = { "margin", "feature_margin", "the boundary is clear",
				"another boundary is nearly as likely" },
	[DP_FEATURE_COUNT_GIVEN] = { "count", "feature_count",
				     "equal iterations, as many as -n gives",
				     "-n does not confirm it" },
	[DP_FEATURE_ANNOTATED] = { "annotated", "feature_annotated",
				   "an annotation in each iteration", "no annotation confirms it" },
};

/* How often loops with a claimed probability were right. */
struct map {
	size_t count; /* of knots, 2 or more */
	double knots[30][2];
};

/* fitted: begin */
/*
 * 8943 loops of eval_confidence 1300 28, and 4344 rows of presets and of parts of captures.
 * Given: the weights for a loop, and what 'count' and 'annotated' say of a loop.
 */
static const double bias[2] = { 1.6750, 2.0612 };
static const double fitted[DP_FEATURES][3] = {
	/* typical value, weight for a loop, weight for its boundaries */
	[DP_FEATURE_ITERATIONS] = { 4.1024, 0.0000, 0.2344 },
	[DP_FEATURE_EDITS] = { 0.0732, -3.3472, -3.2288 },
	[DP_FEATURE_RENAMED] = { 0.0094, 0.0000, -2.2329 },
	[DP_FEATURE_ENDS] = { 1.0252, 1.1105, 0.5381 },
	[DP_FEATURE_LAYERS] = { 0.3377, -1.3794, 0.0000 },
	[DP_FEATURE_MAYBE_LAYERS] = { 0.0670, -0.4494, 0.0000 },
	[DP_FEATURE_STEP] = { 0.2149, 1.3675, 0.7387 },
	[DP_FEATURE_MARGIN] = { 0.8584, 0.0000, 3.0420 },
	[DP_FEATURE_COUNT_GIVEN] = { 0.0000, 3.3000, 2.5800 },
	[DP_FEATURE_ANNOTATED] = { 0.0000, 3.0000, 0.0000 },
};
static const struct map maps[2] = {
	{
		8,
		{
			{ 0.2797, 0.2503 },
			{ 0.4005, 0.2853 },
			{ 0.6165, 0.7923 },
			{ 0.8437, 0.8406 },
			{ 0.9282, 0.9229 },
			{ 0.9580, 0.9256 },
			{ 0.9666, 0.9846 },
			{ 0.9898, 0.9923 },
		},
	},
	{
		14,
		{
			{ 0.2919, 0.3950 },
			{ 0.4451, 0.4425 },
			{ 0.5460, 0.4484 },
			{ 0.6378, 0.5362 },
			{ 0.7102, 0.6421 },
			{ 0.7464, 0.8707 },
			{ 0.8512, 0.8771 },
			{ 0.9239, 0.9242 },
			{ 0.9332, 0.9262 },
			{ 0.9455, 0.9324 },
			{ 0.9577, 0.9330 },
			{ 0.9647, 0.9767 },
			{ 0.9729, 0.9778 },
			{ 0.9879, 0.9950 },
		},
	},
};
/* fitted: end */

enum { TYPICAL, LOOP, BOUNDARY };

/* A feature's contribution to the log-odds of a question. */
static double contribution(const struct dp_confidence *c, size_t feature, int question)
{
	return fitted[feature][question] * (c->feature[feature] - fitted[feature][TYPICAL]);
}

/* Maps the regression's claim to how often such claims were right, linearly between two knots. */
static double calibrate(double claimed, const struct map *map)
{
	const double *a, *b;
	size_t i = 1;

	while (i + 1 < map->count && map->knots[i][0] < claimed)
		i++;
	a = map->knots[i - 1];
	b = map->knots[i];
	claimed = fmin(fmax(claimed, a[0]), b[0]);
	return a[1] + (b[1] - a[1]) * (claimed - a[0]) / (b[0] - a[0]);
}

static double answer(const struct dp_confidence *c, int question)
{
	double odds = bias[question - LOOP];

	for (size_t i = 0; i < DP_FEATURES; i++)
		odds += contribution(c, i, question);
	return calibrate(1 / (1 + exp(-odds)), &maps[question - LOOP]);
}

void dp_confidence__judge(struct dp_confidence *c)
{
	c->loop = answer(c, LOOP);
	c->boundary = answer(c, BOUNDARY);
}

static void explain_feature(const struct dp_confidence *c, struct dp_explain *explain, size_t i)
{
	const struct dp_feature_info *info = &dp_feature_table[i];
	double loop = contribution(c, i, LOOP), boundary = contribution(c, i, BOUNDARY);
	bool above = c->feature[i] > fitted[i][TYPICAL];

	if (fabs(loop) < WORTH_SAYING && fabs(boundary) < WORTH_SAYING)
		return;
	dp_explain__add(explain, "feature",
			DP_FACTS({ info->name, "number", c->feature[i] },
				 { "loop", "log-odds", loop },
				 { "boundary", "log-odds", boundary }),
			"%s: {loop} that it is a loop, {boundary} that its boundaries are right",
			above ? info->above : info->below);
}

void dp_confidence__explain(const struct dp_confidence *c, struct dp_explain *explain,
			    size_t length, size_t iterations)
{
	struct dp_stage_fact facts[5 + DP_FEATURES + 1] = {
		{ "length", "count", (double)length },
		{ "iterations", "count", (double)iterations },
		{ "loop", "1", c->loop },
		{ "boundary", "1", c->boundary },
		{ "confidence", "1", dp_confidence__of(c) },
	};

	for (size_t i = 0; i < DP_FEATURES; i++)
		facts[5 + i] = (struct dp_stage_fact){ dp_feature_table[i].fact, "number",
						       c->feature[i] };
	dp_explain__add(explain, "confidence", facts,
			"{iterations:iteration} of {length:symbol}: {loop} that it is a loop, "
			"times {boundary} that its boundaries are right");
	for (size_t i = 0; i < DP_FEATURES && explain; i++)
		explain_feature(c, explain, i);
}
