/*
 * Logistic regression (Cox 1958), twice, on a table of features, each corrected by an isotonic map
 * (Zadrozny and Elkan 2002). Cost: constant.
 *
 * The numbers between the marks are written by tests/bench/confidence.py: do not edit them.
 */
#include "loops/confidence.h"

#include <math.h>

/* Changes of log-odds below this do not explain anything. */
#define WORTH_SAYING 0.1

const struct dp_feature_info dp_feature_table[DP_FEATURES] = {
	[DP_FEATURE_ITERATIONS] = { "iterations", "many iterations", "few iterations" },
	[DP_FEATURE_COVERAGE] = { "coverage", "covers nearly the whole sequence",
				  "covers only a part of the sequence" },
	[DP_FEATURE_EDITS] = { "edits", "iterations differ", "iterations hardly differ" },
	[DP_FEATURE_RENAMED] = { "renamed", "exact kernel names differ",
				 "exact kernel names are the same" },
	[DP_FEATURE_EDGES] = { "edges", "kernels differ next to boundaries",
			       "no kernel differs next to a boundary" },
	[DP_FEATURE_ENDS] = { "ends", "fills the capture to its ends",
			      "other work comes before it or after it" },
	[DP_FEATURE_LAYERS] = { "layers", "looks like the layers of a single pass",
				"does not look like the layers of a single pass" },
	[DP_FEATURE_SHORT] = { "short", "iterations are as short as layers",
			       "iterations are longer than layers" },
	[DP_FEATURE_STEP] = { "step", "uploads, waits or an optimizer once per iteration",
			      "no upload, wait or optimizer once per iteration" },
	[DP_FEATURE_RESUMED] = { "resumed", "resumes after other work",
				 "runs without interruption" },
	[DP_FEATURE_MARGIN] = { "margin", "the boundary is clear",
				"another boundary is nearly as likely" },
	[DP_FEATURE_COUNT_GIVEN] = { "count", "has the number of iterations that -n gives",
				     "-n does not confirm it" },
	[DP_FEATURE_ANNOTATED] = { "annotated", "an annotation in each iteration",
				   "no annotation confirms it" },
};

enum { KNOTS = 10 };

/* fitted: begin */
/* 2935 loops of eval_confidence 1000 6; 'annotated' is given. */
static const double bias[2] = { 0.7316, 1.9402 };
static const double fitted[DP_FEATURES][3] = {
	/* typical value, weight for a loop, weight for its boundaries */
	[DP_FEATURE_ITERATIONS] = { 4.1250, 0.0000, 0.1455 },
	[DP_FEATURE_COVERAGE] = { 0.9258, 0.0000, 0.0000 },
	[DP_FEATURE_EDITS] = { 0.0802, -4.1927, -5.8997 },
	[DP_FEATURE_RENAMED] = { 0.0043, 0.0000, 0.0000 },
	[DP_FEATURE_EDGES] = { 0.0572, 0.0000, 0.0000 },
	[DP_FEATURE_ENDS] = { 1.0041, 0.5275, 1.1545 },
	[DP_FEATURE_LAYERS] = { 0.4542, -2.3208, 0.0000 },
	[DP_FEATURE_SHORT] = { 0.0906, -0.9803, 0.0000 },
	[DP_FEATURE_STEP] = { 0.1952, 1.1056, 0.0000 },
	[DP_FEATURE_RESUMED] = { 0.0463, 0.0000, 0.0000 },
	[DP_FEATURE_MARGIN] = { 2.1414, 0.0000, 0.6512 },
	[DP_FEATURE_COUNT_GIVEN] = { 0.0913, 0.6877, 1.7779 },
	[DP_FEATURE_ANNOTATED] = { 0.0000, 3.0000, 0.0000 },
};
static const double knots[2][KNOTS][2] = {
	{
		{ 0.1097, 0.1224 },
		{ 0.2393, 0.1553 },
		{ 0.3414, 0.3537 },
		{ 0.5648, 0.6905 },
		{ 0.7954, 0.8191 },
		{ 0.8916, 0.8225 },
		{ 0.9322, 0.9626 },
		{ 0.9717, 0.9727 },
		{ 1.9717, 0.9727 },
		{ 2.9717, 0.9727 },
	},
	{
		{ 0.3699, 0.3390 },
		{ 0.7044, 0.7557 },
		{ 0.8411, 0.8362 },
		{ 0.8894, 0.8977 },
		{ 0.9408, 0.9237 },
		{ 0.9748, 0.9716 },
		{ 0.9847, 0.9831 },
		{ 0.9893, 0.9950 },
		{ 0.9949, 0.9950 },
		{ 1.9949, 0.9950 },
	},
};
/* fitted: end */

enum { TYPICAL, LOOP, BOUNDARY };

/* What a feature adds to the log-odds of a question. */
static double contribution(const struct dp_confidence *c, size_t feature, int question)
{
	return fitted[feature][question] * (c->feature[feature] - fitted[feature][TYPICAL]);
}

/* What the regression claims, and how often it was so: between two knots a line. */
static double calibrate(double claimed, const double (*knot)[2])
{
	size_t i = 1;

	while (i + 1 < KNOTS && knot[i][0] < claimed)
		i++;
	claimed = fmin(fmax(claimed, knot[i - 1][0]), knot[i][0]);
	return knot[i - 1][1] + (knot[i][1] - knot[i - 1][1]) * (claimed - knot[i - 1][0]) /
					(knot[i][0] - knot[i - 1][0]);
}

static double answer(const struct dp_confidence *c, int question)
{
	double odds = bias[question - LOOP];

	for (size_t i = 0; i < DP_FEATURES; i++)
		odds += contribution(c, i, question);
	return calibrate(1 / (1 + exp(-odds)), knots[question - LOOP]);
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
	dp_explain__add(explain, "confidence",
			DP_FACTS({ "length", "count", (double)length },
				 { "iterations", "count", (double)iterations },
				 { "loop", "1", c->loop }, { "boundary", "1", c->boundary },
				 { "confidence", "1", dp_confidence__of(c) }),
			"{iterations:iteration} of {length:kernel}: {loop} that it is a loop, times "
			"{boundary} that its boundaries are right");
	for (size_t i = 0; i < DP_FEATURES && explain; i++)
		explain_feature(c, explain, i);
}
