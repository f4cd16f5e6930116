/* Tables of an analysis. */
#include "table/table.h"

#include <math.h>

/* Loops. */

struct loop_row {
	int64_t loop, parent, device, context, stream;
	const char *found_by, *phase;
	double confidence, coverage;
	bool selected;
	int64_t length, occurrences, iterations, complete, variants, copies, sets;
	int64_t min_kernels, max_kernels;
	double copies_each;
};

static const struct dp_field loop_fields[] = {
	DP_FIELD(struct loop_row, loop, DP_CELL_INT64, NULL, "the loop's id"),
	DP_FIELD(struct loop_row, parent, DP_CELL_ID, NULL, "the id of the loop that encloses it"),
	DP_FIELD(struct loop_row, device, DP_CELL_ID, NULL, "the device's id"),
	DP_FIELD(struct loop_row, context, DP_CELL_ID, NULL, "the context's id"),
	DP_FIELD(struct loop_row, stream, DP_CELL_ID, NULL, "the stream's id"),
	DP_FIELD(struct loop_row, found_by, DP_CELL_TEXT, NULL, "count, auto or marks"),
	DP_FIELD(struct loop_row, phase, DP_CELL_TEXT, NULL, "what decided where iterations begin"),
	DP_FIELD(struct loop_row, confidence, DP_CELL_DOUBLE, "1",
		 "probability that the loop is right"),
	DP_FIELD(struct loop_row, coverage, DP_CELL_DOUBLE, "1",
		 "share of the stream's kernels in its iterations"),
	DP_FIELD(struct loop_row, selected, DP_CELL_BOOL, NULL, "at the level that is reported on"),
	DP_FIELD(struct loop_row, length, DP_CELL_INT64, "count", "kernels in the pattern"),
	DP_FIELD(struct loop_row, occurrences, DP_CELL_INT64, "count",
		 "exact occurrences of the pattern that do not overlap"),
	DP_FIELD(struct loop_row, iterations, DP_CELL_INT64, "count",
		 "iterations, partial ones included"),
	DP_FIELD(struct loop_row, complete, DP_CELL_INT64, "count",
		 "iterations that are not partial"),
	DP_FIELD(struct loop_row, variants, DP_CELL_INT64, "count",
		 "distinct edit scripts, that of the pattern included"),
	DP_FIELD(struct loop_row, copies, DP_CELL_INT64, "count",
		 "copies in each iteration, if kernels alone show no iterations"),
	DP_FIELD(struct loop_row, sets, DP_CELL_INT64, "count",
		 "memsets in each iteration, if kernels alone show no iterations"),
	DP_FIELD(struct loop_row, min_kernels, DP_CELL_INT64, "count",
		 "fewest kernels of a complete iteration; 0: there is none"),
	DP_FIELD(struct loop_row, max_kernels, DP_CELL_INT64, "count",
		 "most kernels of a complete iteration"),
	DP_FIELD(struct loop_row, copies_each, DP_CELL_DOUBLE, "count",
		 "copies in nearly every iteration, if their number is the same"),
	{ NULL },
};

static struct loop_row loop_row(const struct dp_analysis *analysis, size_t index)
{
	const struct dp_trace *trace = dp_analysis_trace(analysis);
	const struct dp_loop *loop = dp_analysis_loop(analysis, index);
	const struct dp_stream *stream = dp_trace_stream(trace, loop->stream);

	return (struct loop_row){
		loop->id,
		loop->parent == DP_NONE ? -1 : (int64_t)loop->parent,
		dp_trace_device(trace, loop->device)->id,
		stream->context,
		stream->stream,
		dp_found_by_name(loop->found_by),
		dp_phase_name(loop->phase),
		loop->confidence,
		loop->coverage,
		loop->selected,
		(int64_t)loop->length,
		(int64_t)loop->occurrences,
		(int64_t)loop->iterations,
		(int64_t)loop->complete,
		(int64_t)loop->variants,
		(int64_t)loop->copies,
		(int64_t)loop->memsets,
		(int64_t)loop->min_kernels,
		(int64_t)loop->max_kernels,
		loop->copies_each,
	};
}

/* The summaries of all loops, metric by metric, after a table's own columns. */
static int summaries(struct dp_table_rows *rows, struct dp_arrow_column *columns, size_t loops)
{
	size_t own = dp_table__own_fields(&dp_table__loops), metrics = rows->field_count - own;
	double *values = dp_table_rows__memory(rows, metrics, dp_size__mul(loops, sizeof(*values)));

	for (size_t m = 0; values && m < metrics; m++) {
		columns[own + m] =
			(struct dp_arrow_column){ values + m * loops, sizeof(*values), false };
		for (size_t i = 0; i < loops; i++)
			values[m * loops + i] = dp_analysis_loop_summary(
				rows->analysis, rows->first_loop + i, m);
	}
	return values ? DP_OK : DP_ERR_NOMEM;
}

static int list_loops(struct dp_table_rows *rows)
{
	size_t count = rows->end_loop - rows->first_loop;
	struct loop_row *loops;
	struct dp_arrow_column *columns;

	if (!count)
		return DP_OK;
	columns = dp_table_rows__batch(rows, count);
	loops = dp_table_rows__memory(rows, count, sizeof(*loops));
	if (!columns || !loops)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		loops[i] = loop_row(rows->analysis, rows->first_loop + i);
	for (size_t i = 0; loop_fields[i].name; i++)
		columns[i] = (struct dp_arrow_column){ (char *)loops + loop_fields[i].offset,
						       sizeof(*loops), false };
	return summaries(rows, columns, count);
}

const struct dp_table dp_table__loops = {
	.info = { "loops", "analysis", "the loops, with the summaries of metrics" },
	.fields = loop_fields,
	.metrics = DP_TABLE_SUMMARY_METRICS,
	.list = list_loops,
};

/* Iterations: columns of their loop, then members of struct dp_iteration, then metrics. */

enum {
	OF_LOOP = 2, /* columns before the members */
	STEADY = 14, /* the column among them that is no member */
};

static const struct dp_field iteration_fields[] = {
	{ "loop", DP_CELL_INT64, 0, NULL, "the loop's id" },
	{ "device", DP_CELL_ID, 0, NULL, "the device's id" },
	DP_FIELD(struct dp_iteration, index, DP_CELL_INT64, NULL,
		 "the iteration, from 0, in its loop"),
	DP_FIELD(struct dp_iteration, start_ns, DP_CELL_INT64, "ns", "start of its first kernel"),
	DP_FIELD(struct dp_iteration, end_ns, DP_CELL_INT64, "ns", "end of its last kernel"),
	DP_FIELD(struct dp_iteration, first_kernel, DP_CELL_INT64, NULL,
		 "its first kernel in the sequence of the loop's kernels, from 0"),
	DP_FIELD(struct dp_iteration, kernels, DP_CELL_INT64, "count", "its kernels"),
	DP_FIELD(struct dp_iteration, inserted, DP_CELL_UINT32, "count",
		 "kernels that are not in the pattern"),
	DP_FIELD(struct dp_iteration, deleted, DP_CELL_UINT32, "count",
		 "kernels of the pattern that are missing"),
	DP_FIELD(struct dp_iteration, substituted, DP_CELL_UINT32, "count",
		 "kernels that another one replaces"),
	DP_FIELD(struct dp_iteration, variant, DP_CELL_UINT32, NULL,
		 "number of its edit script; 0 is the pattern"),
	DP_FIELD(struct dp_iteration, partial, DP_CELL_BOOL, NULL,
		 "cut off by the capture; excluded from averages"),
	DP_FIELD(struct dp_iteration, warmup, DP_CELL_BOOL, NULL, "before the steady state"),
	DP_FIELD(struct dp_iteration, foreign_kernels, DP_CELL_INT64, "count",
		 "kernels between the previous iteration and this one"),
	{ "steady", DP_CELL_BOOL, 0, NULL, "in the averages of periods" },
	DP_FIELD(struct dp_iteration, slow, DP_CELL_BOOL, NULL,
		 "takes much longer than the others; always false if no rules were run"),
	{ NULL },
};

/* A loop's id and device: the same in each row. */
static int of_loop(struct dp_table_rows *rows, struct dp_arrow_column *columns, size_t loop)
{
	struct loop_row *row = dp_table_rows__memory(rows, 1, sizeof(*row));

	if (!row)
		return DP_ERR_NOMEM;
	*row = loop_row(rows->analysis, loop);
	columns[0] = (struct dp_arrow_column){ &row->loop, 0, false };
	columns[1] = (struct dp_arrow_column){ &row->device, 0, false };
	return DP_OK;
}

static bool *steady(struct dp_table_rows *rows, size_t loop, size_t count)
{
	bool *flags = dp_table_rows__memory(rows, count, sizeof(*flags));

	for (size_t i = 0; flags && i < count; i++)
		flags[i] = dp_analysis_loop_is_steady(rows->analysis, loop, i);
	return flags;
}

static int iterations_of(struct dp_table_rows *rows, size_t loop)
{
	static const double none = NAN;
	const struct dp_iteration *first = dp_analysis_loop_iteration(rows->analysis, loop, 0);
	size_t own = dp_table__own_fields(&dp_table__iterations);
	size_t count = dp_analysis_loop(rows->analysis, loop)->iterations;
	struct dp_arrow_column *columns = dp_table_rows__batch(rows, count);
	bool *flags = steady(rows, loop, count);

	if (!columns || !flags || of_loop(rows, columns, loop))
		return DP_ERR_NOMEM;
	for (size_t i = OF_LOOP; i < own; i++)
		columns[i] =
			(struct dp_arrow_column){ (const char *)first + iteration_fields[i].offset,
						  sizeof(*first), true };
	columns[STEADY] = (struct dp_arrow_column){ flags, sizeof(*flags), false };
	for (size_t i = own; i < rows->field_count; i++) {
		const double *values =
			dp_analysis_loop_metric_values(rows->analysis, loop, i - own);

		columns[i] = (struct dp_arrow_column){ values ? values : &none,
						       values ? sizeof(*values) : 0, true };
	}
	return DP_OK;
}

static int list_iterations(struct dp_table_rows *rows)
{
	int status = DP_OK;

	for (size_t i = rows->first_loop; !status && i < rows->end_loop; i++)
		if (dp_analysis_loop(rows->analysis, i)->selected)
			status = iterations_of(rows, i);
	return status;
}

const struct dp_table dp_table__iterations = {
	.info = { "iterations", "analysis",
		  "the iterations of the loops that are reported on, with all metrics" },
	.fields = iteration_fields,
	.metrics = DP_TABLE_ITERATION_METRICS,
	.list = list_iterations,
};

/* Variants. */

struct variant_row {
	int64_t loop, variant, count, first, period, inserted, deleted, substituted;
	double extra_ns;
};

static const struct dp_field variant_fields[] = {
	DP_FIELD(struct variant_row, loop, DP_CELL_INT64, NULL, "the loop's id"),
	DP_FIELD(struct variant_row, variant, DP_CELL_INT64, NULL, "its number; 0 is the pattern"),
	DP_FIELD(struct variant_row, count, DP_CELL_INT64, "count",
		 "complete iterations that have it"),
	DP_FIELD(struct variant_row, first, DP_CELL_INT64, NULL, "the first iteration that has it"),
	DP_FIELD(struct variant_row, period, DP_CELL_ID, "count",
		 "its period in iterations; null: it is irregular"),
	DP_FIELD(struct variant_row, inserted, DP_CELL_INT64, "count", "kernels inserted"),
	DP_FIELD(struct variant_row, deleted, DP_CELL_INT64, "count", "kernels missing"),
	DP_FIELD(struct variant_row, substituted, DP_CELL_INT64, "count", "kernels replaced"),
	DP_FIELD(struct variant_row, extra_ns, DP_CELL_DOUBLE, "ns",
		 "median time of an iteration, less that of the most frequent variant"),
	{ NULL },
};

static enum dp_table_row variant_row(void *out, const struct dp_table_rows *rows, size_t loop,
				     size_t i)
{
	const struct dp_variant *variant = dp_analysis_loop_variant(rows->analysis, loop, i);

	if (!variant)
		return DP_ROW_END;
	*(struct variant_row *)out = (struct variant_row){
		(int64_t)loop,
		(int64_t)i,
		(int64_t)variant->count,
		(int64_t)variant->first,
		variant->period ? (int64_t)variant->period : -1,
		variant->inserted,
		variant->deleted,
		variant->substituted,
		variant->extra_ns,
	};
	return DP_ROW;
}

const struct dp_table dp_table__variants = {
	.info = { "variants", "analysis", "distinct edit scripts of each loop's iterations" },
	.fields = variant_fields,
	.row_size = sizeof(struct variant_row),
	.each = DP_EACH_LOOP,
	.row = variant_row,
};

/* Times of kernels and operators. */

struct time_row {
	int64_t loop, index;
	struct dp_time_stat of;
};

#define TIME_FIELDS(what, number)                                                       \
	DP_FIELD(struct time_row, loop, DP_CELL_INT64, NULL, "the loop's id"),          \
		DP_FIELD(struct time_row, index, DP_CELL_INT64, NULL, number),          \
		DP_FIELD_OF(struct time_row, name, DP_CELL_TEXT, NULL, what),           \
		DP_FIELD_OF(struct time_row, count, DP_CELL_INT64, "count",             \
			    "kernels in complete iterations after the warm-up"),        \
		DP_FIELD_OF(struct time_row, total_ns, DP_CELL_DOUBLE, "ns",            \
			    "all of them together"),                                    \
		DP_FIELD_OF(struct time_row, mean_ns, DP_CELL_DOUBLE, "ns",             \
			    "mean duration"),                                           \
		DP_FIELD_OF(struct time_row, min_ns, DP_CELL_DOUBLE, "ns", "shortest"), \
		DP_FIELD_OF(struct time_row, max_ns, DP_CELL_DOUBLE, "ns", "longest"),  \
		DP_FIELD_OF(struct time_row, stddev_ns, DP_CELL_DOUBLE, "ns",           \
			    "standard deviation of the durations"),                     \
		DP_FIELD_OF(struct time_row, share, DP_CELL_DOUBLE, "1",                \
			    "of the time of all kernels"),                              \
		DP_FIELD_OF(struct time_row, rise_ns, DP_CELL_DOUBLE, "ns",             \
			    "rise of the time per iteration with each iteration")

static const struct dp_field kernel_fields[] = {
	TIME_FIELDS("the kernel's name", "rank by total time, from 0"),
	DP_FIELD_OF(struct time_row, sm_active, DP_CELL_DOUBLE, "1",
		    "share of multiprocessors with work while it ran; null: not sampled"),
	DP_FIELD_OF(struct time_row, tensor_active, DP_CELL_DOUBLE, "1",
		    "throughput of the tensor cores while it ran, as a share of their peak"),
	DP_FIELD_OF(struct time_row, dram_active, DP_CELL_DOUBLE, "1",
		    "throughput of device memory while it ran, as a share of its peak"),
	{ NULL },
};
static const struct dp_field place_fields[] = {
	TIME_FIELDS("the kernel's name in the pattern", "place in the pattern, from 0"),
	{ NULL },
};
static const struct dp_field operator_fields[] = {
	TIME_FIELDS("the innermost operator or NVTX range at the launch; empty: none",
		    "rank by total time, from 0"),
	{ NULL },
};

static enum dp_table_row time_row(struct time_row *row, size_t loop, size_t index,
				  const struct dp_time_stat *time)
{
	if (!time)
		return DP_ROW_END;
	*row = (struct time_row){ (int64_t)loop, (int64_t)index, *time };
	return DP_ROW;
}

static enum dp_table_row kernel_row(void *out, const struct dp_table_rows *rows, size_t loop,
				    size_t i)
{
	return time_row(out, loop, i, dp_analysis_loop_kernel_stat(rows->analysis, loop, i));
}

static enum dp_table_row place_row(void *out, const struct dp_table_rows *rows, size_t loop,
				   size_t i)
{
	return time_row(out, loop, i, dp_analysis_loop_position_stat(rows->analysis, loop, i));
}

static enum dp_table_row operator_row(void *out, const struct dp_table_rows *rows, size_t loop,
				      size_t i)
{
	return time_row(out, loop, i, dp_analysis_loop_operator_stat(rows->analysis, loop, i));
}

const struct dp_table dp_table__kernels = {
	.info = { "kernels", "analysis", "time of each loop's kernels by name" },
	.fields = kernel_fields,
	.row_size = sizeof(struct time_row),
	.each = DP_EACH_LOOP,
	.row = kernel_row,
};

const struct dp_table dp_table__places = {
	.info = { "places", "analysis", "time of each loop's kernels by place in the pattern" },
	.fields = place_fields,
	.row_size = sizeof(struct time_row),
	.each = DP_EACH_LOOP,
	.row = place_row,
};

const struct dp_table dp_table__operators = {
	.info = { "operators", "analysis",
		  "time of each loop's kernels by the operator that launched them" },
	.fields = operator_fields,
	.row_size = sizeof(struct time_row),
	.each = DP_EACH_LOOP,
	.row = operator_row,
};

/* Host ranges. */

struct host_range_row {
	int64_t loop;
	const char *activity, *outer, *inner;
	double typical_ns, slow_ns, calls;
};

static const struct dp_field host_range_fields[] = {
	DP_FIELD(struct host_range_row, loop, DP_CELL_INT64, NULL, "the loop's id"),
	DP_FIELD(struct host_range_row, activity, DP_CELL_TEXT, NULL,
		 "wait, input: the GPU was idle; sync: synchronizing calls; wait_sampled, "
		 "input_sampled: sampled functions while it was idle"),
	DP_FIELD(struct host_range_row, outer, DP_CELL_TEXT, NULL,
		 "the outermost operator, annotation or call; empty: none"),
	DP_FIELD(struct host_range_row, inner, DP_CELL_TEXT, NULL,
		 "the innermost; null: all of the outermost together"),
	DP_FIELD(struct host_range_row, typical_ns, DP_CELL_DOUBLE, "ns",
		 "mean per typical iteration: neither warm-up nor slow"),
	DP_FIELD(struct host_range_row, slow_ns, DP_CELL_DOUBLE, "ns", "mean per slow iteration"),
	DP_FIELD(struct host_range_row, calls, DP_CELL_DOUBLE, "count",
		 "of sync: mean number per iteration; of samples: their number"),
	{ NULL },
};

static enum dp_table_row host_range_row(void *out, const struct dp_table_rows *rows, size_t loop,
					size_t i)
{
	const struct dp_host_range *range = dp_analysis_loop_host_range(rows->analysis, loop, i);

	if (!range)
		return DP_ROW_END;
	*(struct host_range_row *)out = (struct host_range_row){
		(int64_t)loop,
		dp_host_activity_name(range->activity),
		range->outer,
		range->inner,
		range->typical_ns,
		range->slow_ns,
		range->activity >= DP_HOST_SYNC ? range->calls : (double)NAN,
	};
	return DP_ROW;
}

const struct dp_table dp_table__host_ranges = {
	.info = { "host_ranges", "analysis", "what the host did while the GPU was idle" },
	.fields = host_range_fields,
	.row_size = sizeof(struct host_range_row),
	.each = DP_EACH_LOOP,
	.row = host_range_row,
};

/* Findings, and the numbers that support them. */

struct finding_row {
	int64_t finding, loop;
	const char *rule, *severity;
	double confidence;
	int64_t first_iteration, last_iteration;
	double recoverable_ns;
	const char *metric, *overlaps, *advice;
};

static const struct dp_field finding_fields[] = {
	DP_FIELD(struct finding_row, finding, DP_CELL_INT64, NULL, "its number, from 0"),
	DP_FIELD(struct finding_row, loop, DP_CELL_ID, NULL,
		 "the id of the loop; null: the whole capture"),
	DP_FIELD(struct finding_row, rule, DP_CELL_TEXT, NULL, "the rule's id"),
	DP_FIELD(struct finding_row, severity, DP_CELL_TEXT, NULL, "info, warning or critical"),
	DP_FIELD(struct finding_row, confidence, DP_CELL_DOUBLE, "1",
		 "probability that it is right"),
	DP_FIELD(struct finding_row, first_iteration, DP_CELL_ID, NULL,
		 "the first to look at; null: the whole capture"),
	DP_FIELD(struct finding_row, last_iteration, DP_CELL_ID, NULL,
		 "the last to look at; null: the whole capture"),
	DP_FIELD(struct finding_row, recoverable_ns, DP_CELL_DOUBLE, "ns",
		 "recoverable time per iteration"),
	DP_FIELD(struct finding_row, metric, DP_CELL_TEXT, NULL,
		 "the metric that the cost is a part of"),
	DP_FIELD(struct finding_row, overlaps, DP_CELL_TEXT, NULL,
		 "the rule of an earlier finding that includes this cost"),
	DP_FIELD(struct finding_row, advice, DP_CELL_TEXT, NULL, "what to do"),
	{ NULL },
};

static enum dp_table_row finding_row(void *out, const struct dp_table_rows *rows, size_t of,
				     size_t index)
{
	const struct dp_finding *finding = dp_analysis_finding(rows->analysis, index);
	bool has_loop = finding && finding->loop != DP_NONE;

	if (!finding)
		return DP_ROW_END;
	*(struct finding_row *)out = (struct finding_row){
		(int64_t)index,
		has_loop ? (int64_t)finding->loop : -1,
		finding->rule,
		dp_severity_name(finding->severity),
		finding->confidence,
		has_loop ? (int64_t)finding->first_iteration : -1,
		has_loop ? (int64_t)finding->last_iteration : -1,
		finding->recoverable_ns,
		finding->metric,
		finding->overlaps,
		finding->advice,
	};
	return DP_ROW;
}

const struct dp_table dp_table__findings = {
	.info = { "findings", "analysis",
		  "the findings, by severity, then by the time that fixing them would save" },
	.fields = finding_fields,
	.row_size = sizeof(struct finding_row),
	.each = DP_EACH_TABLE,
	.row = finding_row,
};

struct evidence_row {
	int64_t finding;
	struct dp_evidence_value of;
};

static const struct dp_field evidence_fields[] = {
	DP_FIELD(struct evidence_row, finding, DP_CELL_INT64, NULL, "the finding's number"),
	DP_FIELD_OF(struct evidence_row, name, DP_CELL_TEXT, NULL, "what the number is"),
	DP_FIELD_OF(struct evidence_row, unit, DP_CELL_TEXT, NULL, "its unit; 1 for a share"),
	DP_FIELD_OF(struct evidence_row, value, DP_CELL_DOUBLE, NULL, "the number"),
	DP_FIELD_OF(struct evidence_row, call, DP_CELL_TEXT, NULL,
		    "the API call or kernel that it is about"),
	{ NULL },
};

static enum dp_table_row evidence_row(void *out, const struct dp_table_rows *rows, size_t of,
				      size_t i)
{
	const struct dp_finding *finding = dp_analysis_finding(rows->analysis, of);

	if (i >= finding->evidence_count)
		return DP_ROW_END;
	*(struct evidence_row *)out = (struct evidence_row){ (int64_t)of, finding->evidence[i] };
	return DP_ROW;
}

const struct dp_table dp_table__evidence = {
	.info = { "evidence", "analysis", "the numbers behind each finding" },
	.fields = evidence_fields,
	.row_size = sizeof(struct evidence_row),
	.each = DP_EACH_FINDING,
	.row = evidence_row,
};

struct finding_range_row {
	int64_t finding;
	const char *activity;
	struct dp_finding_range of;
};

static const struct dp_field finding_range_fields[] = {
	DP_FIELD(struct finding_range_row, finding, DP_CELL_INT64, NULL, "the finding's number"),
	DP_FIELD(struct finding_range_row, activity, DP_CELL_TEXT, NULL, "wait, input or sync"),
	DP_FIELD_OF(struct finding_range_row, name, DP_CELL_TEXT, NULL,
		    "the operator, annotation or call; empty: none"),
	DP_FIELD_OF(struct finding_range_row, ns, DP_CELL_DOUBLE, "ns", "time per iteration"),
	DP_FIELD_OF(struct finding_range_row, share, DP_CELL_DOUBLE, "1",
		    "of all of this activity"),
	{ NULL },
};

static enum dp_table_row finding_range_row(void *out, const struct dp_table_rows *rows, size_t of,
					   size_t i)
{
	const struct dp_finding *finding = dp_analysis_finding(rows->analysis, of);

	if (i >= finding->range_count)
		return DP_ROW_END;
	*(struct finding_range_row *)out =
		(struct finding_range_row){ (int64_t)of, dp_host_activity_name(finding->activity),
					    finding->ranges[i] };
	return DP_ROW;
}

const struct dp_table dp_table__finding_ranges = {
	.info = { "finding_ranges", "analysis",
		  "what the host did in the time that a finding costs" },
	.fields = finding_range_fields,
	.row_size = sizeof(struct finding_range_row),
	.each = DP_EACH_FINDING,
	.row = finding_range_row,
};

struct finding_loop_row {
	int64_t finding, loop;
};

static const struct dp_field finding_loop_fields[] = {
	DP_FIELD(struct finding_loop_row, finding, DP_CELL_INT64, NULL, "the finding's number"),
	DP_FIELD(struct finding_loop_row, loop, DP_CELL_INT64, NULL, "the id of a loop"),
	{ NULL },
};

static enum dp_table_row finding_loop_row(void *out, const struct dp_table_rows *rows, size_t of,
					  size_t i)
{
	const struct dp_finding *finding = dp_analysis_finding(rows->analysis, of);

	if (finding->loop == DP_NONE || i >= finding->loop_count)
		return DP_ROW_END;
	*(struct finding_loop_row *)out =
		(struct finding_loop_row){ (int64_t)of, finding->loops[i] };
	return DP_ROW;
}

const struct dp_table dp_table__finding_loops = {
	.info = { "finding_loops", "analysis", "the loops that each finding is about" },
	.fields = finding_loop_fields,
	.row_size = sizeof(struct finding_loop_row),
	.each = DP_EACH_FINDING,
	.row = finding_loop_row,
};
