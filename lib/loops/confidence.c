/*
 * Logistic regression (Cox 1958) on a table of features, twice.
 *
 * The weights are fitted by tests/bench/fit_confidence.py and written between the marks below; do
 * not edit them by hand. Cost: constant.
 */
#include "loops/confidence.h"

#include <math.h>

/* fitted: begin */
/* 3117 loops, seeds 1000 to 1105; 'annotated' is given */
static const double loop_bias = 2.6251, boundary_bias = 3.8613;

const struct dp_feature_info dp_feature_table[DP_FEATURES] = {
	[DP_FEATURE_ITERATIONS] = { "iterations",
		"count",
		4.4707, 0.2297, 0.7871 },
	[DP_FEATURE_COVERAGE] = { "coverage",
		"a loop that is most of the sequence is the program's",
		0.9815, 2.7523, 0.0000 },
	[DP_FEATURE_EDITS] = { "edits",
		"iterations that differ are less like a loop",
		0.0675, -3.3470, -3.9045 },
	[DP_FEATURE_RENAMED] = { "renamed",
		"so are those whose kernels have other exact names",
		0.0141, 0.0000, -0.8830 },
	[DP_FEATURE_EDGES] = { "edges",
		"what differs next to a boundary may belong to either side",
		0.0672, 0.0000, -1.3356 },
	[DP_FEATURE_ENDS] = { "ends",
		"a program's loop mostly fills the capture to its beginning or end",
		1.6673, 0.7577, 1.6660 },
	[DP_FEATURE_LAYERS] = { "layers",
		"what is short, stands between other kernels, and runs once may be the layers of one pass",
		0.2871, -2.0340, 0.0000 },
	[DP_FEATURE_SHORT] = { "short",
		"a few short repetitions, or with little between them, may be layers, too",
		0, 0, 0 },
	[DP_FEATURE_STEP] = { "step",
		"uploads, waits or an optimizer run once per iteration, as in a step of a program",
		0.2727, 0.4120, 1.4775 },
	[DP_FEATURE_RESUMED] = { "resumed",
		"it goes on after other work",
		0.1376, -1.4673, 0.0000 },
	[DP_FEATURE_MARGIN] = { "margin",
		"votes for the boundary that is chosen, above the next best",
		2.7384, 0.0000, 0.6265 },
	[DP_FEATURE_COUNT_GIVEN] = { "count",
		"it has the number of iterations that -n gives",
		0.1858, -1.1468, 1.8621 },
	[DP_FEATURE_ANNOTATED] = { "annotated",
		"each iteration holds one annotation of the same name",
		0.0000, 3.0000, 0.0000 },
};
/* fitted: end */

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

static double above_typical(const struct dp_confidence *c, size_t i)
{
	return c->feature[i] - dp_feature_table[i].typical;
}

void dp_confidence__judge(struct dp_confidence *c)
{
	double loop = loop_bias, boundary = boundary_bias;

	for (size_t i = 0; i < DP_FEATURES; i++) {
		loop += dp_feature_table[i].loop * above_typical(c, i);
		boundary += dp_feature_table[i].boundary * above_typical(c, i);
	}
	c->loop = logistic(loop);
	c->boundary = logistic(boundary);
}

void dp_confidence__explain(const struct dp_confidence *c, struct dp_explain *explain,
			    size_t length, size_t iterations)
{
	for (size_t i = 0; i < DP_FEATURES && explain; i++) {
		const struct dp_feature_info *info = &dp_feature_table[i];
		double loop = info->loop * above_typical(c, i);
		double boundary = info->boundary * above_typical(c, i);

		dp_explain__add(explain, "feature",
				DP_FACTS({ info->name, "value", c->feature[i] },
					 { "loop", "log-odds", loop },
					 { "boundary", "log-odds", boundary }),
				"%s: {loop} for a loop, {boundary} for its boundaries: %s",
				info->name, info->why);
	}
	dp_explain__add(explain, "confidence",
			DP_FACTS({ "length", "count", (double)length },
				 { "iterations", "count", (double)iterations },
				 { "loop", "1", c->loop }, { "boundary", "1", c->boundary },
				 { "confidence", "1", dp_confidence__of(c) }),
			"{iterations:iteration} of {length:kernel}: a loop with {loop}, its "
			"boundaries right with {boundary}, both with {confidence}");
}
