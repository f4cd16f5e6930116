/* Tables of a comparison: a row for each thing compared in a pair of loops. */
#include "table/table.h"

/* A number in both runs. */
struct difference {
	double before, after, change, change_low, change_high, ratio_low, ratio_high;
	bool significant;
	int64_t count_before, count_after;
};

/* suffix: of the names of fields that have a unit. */
#define DIFFERENCE_FIELD(type, member, suffix, cell, unit, help)                                \
	{                                                                                       \
#member suffix, cell, offsetof(type, of) + offsetof(struct difference, member), \
			unit, help                                                              \
	}
#define DIFFERENCE_FIELDS(type, suffix, unit)                                                      \
	DIFFERENCE_FIELD(type, before, suffix, DP_CELL_DOUBLE, unit, "in the first run"),          \
		DIFFERENCE_FIELD(type, after, suffix, DP_CELL_DOUBLE, unit, "in the second run"),  \
		DIFFERENCE_FIELD(type, change, suffix, DP_CELL_DOUBLE, unit, "after - before"),   \
		DIFFERENCE_FIELD(type, change_low, suffix, DP_CELL_DOUBLE, unit,                   \
				 "lower limit of the change's confidence interval"),               \
		DIFFERENCE_FIELD(type, change_high, suffix, DP_CELL_DOUBLE, unit,                  \
				 "upper limit of the change's confidence interval"),               \
		DIFFERENCE_FIELD(type, ratio_low, "", DP_CELL_DOUBLE, "1",                         \
				 "lower limit of the interval of after / before"),                 \
		DIFFERENCE_FIELD(type, ratio_high, "", DP_CELL_DOUBLE, "1",                        \
				 "upper limit of the interval of after / before"),                 \
		DIFFERENCE_FIELD(type, significant, "", DP_CELL_BOOL, NULL,                        \
				 "the interval excludes 0, and the change is at least 1%"),        \
		DIFFERENCE_FIELD(type, count_before, "", DP_CELL_INT64, "count",                   \
				 "values in the first run"),                                       \
		DIFFERENCE_FIELD(type, count_after, "", DP_CELL_INT64, "count",                    \
				 "values in the second run")

static struct difference difference(const struct dp_difference *of)
{
	return (struct difference){
		of->value[0],
		of->value[1],
		of->change,
		of->low,
		of->high,
		of->ratio_low,
		of->ratio_high,
		dp_difference_is_significant(of),
		(int64_t)of->count[0],
		(int64_t)of->count[1],
	};
}

/* The index of a pattern's position, or -1 (null). */
static int64_t place(size_t index)
{
	return index == SIZE_MAX ? -1 : (int64_t)index;
}

/* Pairs, with the time of an iteration. */

struct pair_row {
	int64_t pair, loop_before, loop_after;
	double similarity;
	bool paired_by_time, comparable;
	int64_t same, replaced, removed, added;
	struct difference of;
};

static const struct dp_field pair_fields[] = {
	DP_FIELD(struct pair_row, pair, DP_CELL_INT64, NULL, "the pair's number, from 0"),
	DP_FIELD(struct pair_row, loop_before, DP_CELL_INT64, NULL, "the loop in the first run"),
	DP_FIELD(struct pair_row, loop_after, DP_CELL_INT64, NULL, "the loop in the second run"),
	DP_FIELD(struct pair_row, similarity, DP_CELL_DOUBLE, "1", "share of kernels in common"),
	DP_FIELD(struct pair_row, paired_by_time, DP_CELL_BOOL, NULL,
		 "paired by their share of time, not by their kernels"),
	DP_FIELD(struct pair_row, comparable, DP_CELL_BOOL, NULL,
		 "an iteration is the same unit of work in both runs"),
	DP_FIELD(struct pair_row, same, DP_CELL_INT64, "count", "places with the same kernel"),
	DP_FIELD(struct pair_row, replaced, DP_CELL_INT64, "count", "places with another kernel"),
	DP_FIELD(struct pair_row, removed, DP_CELL_INT64, "count", "places of the first run only"),
	DP_FIELD(struct pair_row, added, DP_CELL_INT64, "count", "places of the second run only"),
	DIFFERENCE_FIELDS(struct pair_row, "_ns", "ns"),
	{ NULL },
};

static enum dp_table_row pair_row(void *out, const struct dp_table_rows *rows, size_t i,
				  size_t index)
{
	const struct dp_loop_pair *pair = dp_comparison_pair(rows->comparison, i);

	if (index)
		return DP_ROW_END;
	*(struct pair_row *)out = (struct pair_row){
		(int64_t)i,
		(int64_t)pair->loop[0],
		(int64_t)pair->loop[1],
		pair->similarity,
		pair->paired_by_time,
		pair->comparable,
		(int64_t)pair->same,
		(int64_t)pair->replaced,
		(int64_t)pair->removed,
		(int64_t)pair->added,
		difference(dp_pair_time(rows->comparison, i)),
	};
	return DP_ROW;
}

const struct dp_table dp_table__pairs = {
	.info = { "pairs", "comparison", "loops that were compared, with an iteration's time" },
	.fields = pair_fields,
	.row_size = sizeof(struct pair_row),
	.each = DP_EACH_PAIR,
	.row = pair_row,
};

/* Named rows: metrics and parts of the period. */

struct named_row {
	int64_t pair;
	const char *metric, *unit;
	struct difference of;
};

static const struct dp_field named_fields[] = {
	DP_FIELD(struct named_row, pair, DP_CELL_INT64, NULL, "the pair's number"),
	DP_FIELD(struct named_row, metric, DP_CELL_TEXT, NULL, "the metric's name"),
	DP_FIELD(struct named_row, unit, DP_CELL_TEXT, NULL, "unit of before, after and change"),
	DIFFERENCE_FIELDS(struct named_row, "", NULL),
	{ NULL },
};

static enum dp_table_row metric_row(void *out, const struct dp_table_rows *rows, size_t pair,
				    size_t i)
{
	const struct dp_metric_info *info = dp_metric(i);

	if (!info)
		return DP_ROW_END;
	*(struct named_row *)out =
		(struct named_row){ (int64_t)pair, info->name, info->unit,
				    difference(dp_pair_metric(rows->comparison, pair, i)) };
	return DP_ROW;
}

static enum dp_table_row part_row(void *out, const struct dp_table_rows *rows, size_t pair,
				  size_t i)
{
	const struct dp_pair_part *part = dp_pair_part(rows->comparison, pair, i);

	if (!part)
		return DP_ROW_END;
	*(struct named_row *)out =
		(struct named_row){ (int64_t)pair, part->metric, "ns", difference(&part->mean) };
	return DP_ROW;
}

const struct dp_table dp_table__pair_metrics = {
	.info = { "pair_metrics", "comparison", "medians of the metrics of an iteration" },
	.fields = named_fields,
	.row_size = sizeof(struct named_row),
	.each = DP_EACH_PAIR,
	.row = metric_row,
};

const struct dp_table dp_table__pair_parts = {
	.info = { "pair_parts", "comparison", "what the period is made of, the sum last" },
	.fields = named_fields,
	.row_size = sizeof(struct named_row),
	.each = DP_EACH_PAIR,
	.row = part_row,
};

/* Kernels by name, and by position. */

struct kernel_row {
	int64_t pair;
	const char *kind, *name_before, *name_after;
	int64_t places;
	double calls_before, calls_after;
	struct difference of;
};

static const struct dp_field kernel_fields[] = {
	DP_FIELD(struct kernel_row, pair, DP_CELL_INT64, NULL, "the pair's number"),
	DP_FIELD(struct kernel_row, kind, DP_CELL_TEXT, NULL,
		 "same, slower, faster, more, fewer, added, removed or replaced"),
	DP_FIELD(struct kernel_row, name_before, DP_CELL_TEXT, NULL, "name in the first run"),
	DP_FIELD(struct kernel_row, name_after, DP_CELL_TEXT, NULL, "name in the second run"),
	DP_FIELD(struct kernel_row, places, DP_CELL_INT64, "count",
		 "places of the pattern that has more of them"),
	DP_FIELD(struct kernel_row, calls_before, DP_CELL_DOUBLE, "count",
		 "calls per iteration in the first run"),
	DP_FIELD(struct kernel_row, calls_after, DP_CELL_DOUBLE, "count",
		 "calls per iteration in the second run"),
	DIFFERENCE_FIELDS(struct kernel_row, "_ns", "ns"),
	{ NULL },
};

static enum dp_table_row kernel_row(void *out, const struct dp_table_rows *rows, size_t pair,
				    size_t i)
{
	const struct dp_pair_kernel *kernel = dp_pair_kernel(rows->comparison, pair, i);

	if (!kernel)
		return DP_ROW_END;
	*(struct kernel_row *)out = (struct kernel_row){
		(int64_t)pair,		 dp_kernel_change_name(kernel->kind),
		kernel->name[0],	 kernel->name[1],
		(int64_t)kernel->places, kernel->calls[0],
		kernel->calls[1],	 difference(&kernel->ns),
	};
	return DP_ROW;
}

const struct dp_table dp_table__pair_kernels = {
	.info = { "pair_kernels", "comparison", "kernels by name, per iteration" },
	.fields = kernel_fields,
	.row_size = sizeof(struct kernel_row),
	.each = DP_EACH_PAIR,
	.row = kernel_row,
};

struct place_row {
	int64_t pair, place_before, place_after;
	const char *name_before, *name_after;
	struct difference of;
};

static const struct dp_field place_fields[] = {
	DP_FIELD(struct place_row, pair, DP_CELL_INT64, NULL, "the pair's number"),
	DP_FIELD(struct place_row, place_before, DP_CELL_ID, NULL,
		 "place in the first run's pattern"),
	DP_FIELD(struct place_row, place_after, DP_CELL_ID, NULL,
		 "place in the second run's pattern"),
	DP_FIELD(struct place_row, name_before, DP_CELL_TEXT, NULL, "kernel in the first run"),
	DP_FIELD(struct place_row, name_after, DP_CELL_TEXT, NULL, "kernel in the second run"),
	DIFFERENCE_FIELDS(struct place_row, "_ns", "ns"),
	{ NULL },
};

static const char *kernel_at(const struct dp_comparison *comparison, enum dp_run run, size_t loop,
			     size_t index)
{
	return index == SIZE_MAX ? NULL
				 : dp_analysis_loop_kernel(dp_comparison_analysis(comparison, run),
							   loop, index);
}

static enum dp_table_row place_row(void *out, const struct dp_table_rows *rows, size_t i, size_t k)
{
	const struct dp_comparison *comparison = rows->comparison;
	const struct dp_loop_pair *pair = dp_comparison_pair(comparison, i);
	const struct dp_pair_place *at = dp_pair_place(comparison, i, k);

	if (!at)
		return DP_ROW_END;
	*(struct place_row *)out = (struct place_row){
		(int64_t)i,
		place(at->index[0]),
		place(at->index[1]),
		kernel_at(comparison, DP_RUN_BEFORE, pair->loop[0], at->index[0]),
		kernel_at(comparison, DP_RUN_AFTER, pair->loop[1], at->index[1]),
		difference(&at->ns),
	};
	return DP_ROW;
}

const struct dp_table dp_table__pair_places = {
	.info = { "pair_places", "comparison", "kernels by place in the aligned patterns" },
	.fields = place_fields,
	.row_size = sizeof(struct place_row),
	.each = DP_EACH_PAIR,
	.row = place_row,
};

/* Findings. */

struct finding_row {
	int64_t pair;
	const char *rule, *change;
	double cost_before_ns, cost_after_ns;
	const char *metric;
	double metric_before_ns, metric_after_ns;
};

static const struct dp_field finding_fields[] = {
	DP_FIELD(struct finding_row, pair, DP_CELL_INT64, NULL, "the pair's number"),
	DP_FIELD(struct finding_row, rule, DP_CELL_TEXT, NULL, "the rule's id"),
	DP_FIELD(struct finding_row, change, DP_CELL_TEXT, NULL, "new, still or gone"),
	DP_FIELD(struct finding_row, cost_before_ns, DP_CELL_DOUBLE, "ns",
		 "cost per iteration in the first run"),
	DP_FIELD(struct finding_row, cost_after_ns, DP_CELL_DOUBLE, "ns",
		 "cost per iteration in the second run"),
	DP_FIELD(struct finding_row, metric, DP_CELL_TEXT, NULL,
		 "what the cost is a part of, if only one run has the finding"),
	DP_FIELD(struct finding_row, metric_before_ns, DP_CELL_DOUBLE, "ns",
		 "mean of that metric in the first run"),
	DP_FIELD(struct finding_row, metric_after_ns, DP_CELL_DOUBLE, "ns",
		 "mean of that metric in the second run"),
	{ NULL },
};

static const char *finding_change(enum dp_finding_change change)
{
	return change == DP_FINDING_NEW ? "new" : change == DP_FINDING_GONE ? "gone" : "still";
}

static enum dp_table_row finding_row(void *out, const struct dp_table_rows *rows, size_t pair,
				     size_t i)
{
	const struct dp_pair_finding *at = dp_pair_finding(rows->comparison, pair, i);

	if (!at)
		return DP_ROW_END;
	*(struct finding_row *)out = (struct finding_row){
		(int64_t)pair,
		at->finding[1] ? at->finding[1]->rule : at->finding[0]->rule,
		finding_change(at->change),
		at->cost_ns[0],
		at->cost_ns[1],
		at->metric,
		at->metric_ns[0],
		at->metric_ns[1],
	};
	return DP_ROW;
}

const struct dp_table dp_table__pair_findings = {
	.info = { "pair_findings", "comparison", "findings that are new, still there or gone" },
	.fields = finding_fields,
	.row_size = sizeof(struct finding_row),
	.each = DP_EACH_PAIR,
	.row = finding_row,
};
