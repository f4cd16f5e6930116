/*
 * The table of metrics, and computing them for one loop. What all of them need (the intervals, the
 * device's uploads) is prepared once.
 */
#include "activity/periods.h"
#include "metric/family.h"

#include <math.h>
#include <string.h>

#define DP_ENTRY(word) extern const struct dp_metric_family dp_family__##word;
#include "metric/metric_table.h"
#undef DP_ENTRY

static const struct dp_metric_family *const families[] = {
#define DP_ENTRY(word) &dp_family__##word,
#include "metric/metric_table.h"
#undef DP_ENTRY
};

const struct dp_metric *dp_metric__at(size_t index)
{
	for (size_t i = 0; i < DP_COUNT(families); i++) {
		if (index < families[i]->count)
			return &families[i]->rows[index];
		index -= families[i]->count;
	}
	return NULL;
}

const struct dp_metric_info *dp_metric(size_t index)
{
	const struct dp_metric *metric = dp_metric__at(index);

	return metric ? &metric->info : NULL;
}

static size_t count_summaries(const struct dp_metric *metric)
{
	size_t count = 0;

	while (metric->summaries[count].info.name)
		count++;
	return count;
}

const struct dp_metric_info *dp_summary_metric(size_t index)
{
	const struct dp_metric *metric;

	for (size_t i = 0; (metric = dp_metric__at(i)); i++) {
		size_t count = count_summaries(metric);

		if (index < count)
			return &metric->summaries[index].info;
		index -= count;
	}
	return NULL;
}

size_t dp_metric_count(void)
{
	size_t count = 0;

	for (size_t i = 0; i < DP_COUNT(families); i++)
		count += families[i]->count;
	return count;
}

const char *dp_metric_name(size_t index)
{
	size_t count = dp_metric_count();
	const struct dp_metric_info *info =
		index < count ? dp_metric(index) : dp_summary_metric(index - count);

	return info ? info->name : NULL;
}

size_t dp_summary_metric_count(void)
{
	const struct dp_metric *metric;
	size_t count = 0;

	for (size_t i = 0; (metric = dp_metric__at(i)); i++)
		count += count_summaries(metric);
	return count;
}

size_t dp_metric_find(const char *name)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (!strcmp(info->name, name))
			return i;
	return SIZE_MAX;
}

size_t dp_summary_metric_find(const char *name)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_summary_metric(i)); i++)
		if (!strcmp(info->name, name))
			return i;
	return SIZE_MAX;
}

bool dp_metric__has_interval(const struct dp_metric_input *input, size_t k)
{
	return input->interval_start_ns[k] != INT64_MIN;
}

double dp_metric__period_ns(const struct dp_metric_input *input, size_t k)
{
	return dp_period__ns(input->iterations, input->count, k);
}

static double divide(double value, double by)
{
	return by > 0 ? value / by : (double)NAN;
}

int dp_metric__parts(double *values, const struct dp_metric_input *input,
		     const struct dp_metric *row, struct dp_error *error)
{
	bool known = row->info.need != DP_NEED_LAUNCHES || input->parts.launches;

	for (size_t k = 0; k < input->count; k++) {
		double part = dp_parts__get(&input->parts, row->part, k);
		double other = dp_parts__get(&input->parts, row->other, k);
		double period_ns = dp_metric__period_ns(input, k);

		if (!known || isnan(period_ns))
			values[k] = (double)NAN;
		else if (row->form == DP_FORM_PART)
			values[k] = part;
		else if (row->form == DP_FORM_REST)
			values[k] = period_ns - part;
		else if (row->form == DP_FORM_WITHOUT)
			values[k] = part - other;
		else if (row->form == DP_FORM_SHARE)
			values[k] = divide(part, period_ns);
		else
			values[k] = divide(part, other) * (row->form == DP_FORM_RATE ? 1e9 : 1);
	}
	return DP_OK;
}

double dp_metric__mean(double *values, size_t count)
{
	return dp_stat__mean(values, count);
}

double dp_metric__min(double *values, size_t count)
{
	return dp_stat__min(values, count);
}

double dp_metric__max(double *values, size_t count)
{
	return dp_stat__max(values, count);
}

/* What is made for one run. */
struct prepared {
	int64_t *interval_start_ns;
	int64_t *interval_end_ns;
	double *scratch;
	struct dp_trace_index index;
	struct dp_device_timeline timeline;
	struct dp_replay_gaps gaps; /* of the iterations that are replayed: */
	size_t replay_first;
	size_t replay_end;
};

static void find_intervals(struct prepared *made, const struct dp_metric_input *input)
{
	const struct dp_iteration *at = input->iterations;

	for (size_t k = 0; k < input->count; k++) {
		made->interval_start_ns[k] = made->interval_end_ns[k] = INT64_MIN;
		if (!k || at[k].partial || at[k - 1].partial || at[k].resumed)
			continue;
		made->interval_start_ns[k] = at[k - 1].end_ns;
		made->interval_end_ns[k] = DP_MAX(at[k].start_ns, at[k - 1].end_ns);
	}
}

static void prepared_fini(struct prepared *made)
{
	free(made->interval_start_ns);
	free(made->interval_end_ns);
	free(made->scratch);
	free(made->gaps.gaps);
	dp_device_timeline__fini(&made->timeline);
	dp_trace_index__fini(&made->index);
}

/* Removes the values of partial iterations, whatever a metric computed. */
static void blank_partial(const struct dp_metric_input *input, double *values)
{
	for (size_t k = 0; k < input->count; k++)
		if (input->iterations[k].partial)
			values[k] = (double)NAN;
}

static bool is_had(const struct dp_metric_values *values, size_t metric)
{
	return dp_metric__at(metric)->reads == DP_READS_ITERATIONS ||
	       (!values->brief && (!values->asked || values->asked[metric]));
}

/* The number of metrics with a row before one. */
static size_t row_of(const struct dp_metric_values *values, size_t metric)
{
	size_t row = 0;

	if (!values->brief && !values->asked)
		return metric;
	for (size_t i = 0; i < metric; i++)
		row += is_had(values, i);
	return row;
}

const double *dp_metric_values__row(const struct dp_metric_values *values, size_t metric)
{
	return is_had(values, metric) ? values->values + row_of(values, metric) * values->count
				      : NULL;
}

/*
 * Returns true if a requested metric reads parts or, if most is set to that, the device's timeline.
 */
static bool reads(const struct dp_metric_values *values, enum dp_metric_reads most)
{
	const struct dp_metric *metric;

	for (size_t i = 0; (metric = dp_metric__at(i)); i++)
		if (is_had(values, i) && metric->reads <= most)
			return true;
	return false;
}

static int prepare(struct prepared *made, struct dp_metric_input *input,
		   const struct dp_metric_values *values, struct dp_error *error)
{
	struct dp_parts_input parts = { .rows = input->rows,
					.row_count = input->row_count,
					.iterations = input->iterations,
					.count = input->count };
	int status = DP_OK;

	made->interval_start_ns = dp_alloc__array(input->count, sizeof(int64_t));
	made->interval_end_ns = dp_alloc__array(input->count, sizeof(int64_t));
	made->scratch = dp_alloc__array(input->count, sizeof(double));
	if (!made->interval_start_ns || !made->interval_end_ns || !made->scratch)
		return dp_error__nomem(error, dp_size__mul(input->count, sizeof(int64_t)));
	find_intervals(made, input);
	input->interval_start_ns = made->interval_start_ns;
	input->interval_end_ns = made->interval_end_ns;
	input->scratch = made->scratch;
	if (!reads(values, DP_READS_TIMELINE))
		return DP_OK;
	if (!input->timeline) {
		status = dp_trace_index__init(&made->index, input->trace, error);
		if (!status)
			status = dp_device_timeline__init(&made->timeline, &made->index,
							  input->device, error);
		input->timeline = &made->timeline;
	}
	parts.timeline = input->timeline;
	if (status || !reads(values, DP_READS_PARTS))
		return status;
	if (!values->asked && !input->stretch &&
	    dp_replay__choose(&made->replay_first, &made->replay_end, input->iterations,
			      input->count, made->scratch)) {
		parts.gaps = &made->gaps;
		parts.gaps_first = made->replay_first;
		parts.gaps_end = made->replay_end;
	}
	return dp_parts__init(&input->parts, &parts, error);
}

static bool is_over(const struct dp_metric_input *input, enum dp_summarized over, size_t k)
{
	switch (over) {
	case DP_OVER_STEADY:
		return dp_period__is_steady(input->iterations, input->count, k);
	case DP_OVER_WARM:
		return !input->iterations[k].warmup;
	case DP_OVER_UNINTERRUPTED:
		return dp_metric__has_interval(input, k) && !input->iterations[k].foreign_kernels;
	default:
		return true;
	}
}

static double summarize(const struct dp_metric_summary *summary,
			const struct dp_metric_input *input, const double *values)
{
	size_t count = 0;

	if (summary->reduce)
		return summary->reduce(input, values);
	for (size_t k = 0; k < input->count; k++)
		if (!isnan(values[k]) && is_over(input, summary->over, k))
			input->scratch[count++] = values[k];
	return summary->stat(input->scratch, count);
}

static int run_table(struct dp_metric_values *out, const struct dp_metric_input *input,
		     struct dp_error *error)
{
	double *values = out->values, *summary = out->summary;
	const struct dp_metric *metric;

	for (size_t i = 0; (metric = dp_metric__at(i)); i++) {
		bool had = is_had(out, i);
		size_t count = count_summaries(metric);
		int status = had ? metric->compute(values, input, metric, error) : DP_OK;

		if (status)
			return status;
		if (had)
			blank_partial(input, values);
		for (size_t s = 0; s < count; s++)
			*summary++ =
				had ? summarize(&metric->summaries[s], input, values) : (double)NAN;
		values += had ? input->count : 0;
	}
	return DP_OK;
}

/* The share of the uploads' time that repeats, in the iterations that are replayed. */
static double repeated_share(const struct dp_metric_values *values,
			     const struct dp_metric_input *input, const struct prepared *made)
{
	const double *repeated_ns =
		dp_metric_values__row(values, dp_metric_find("repeated_upload_ns"));
	double repeated = 0, all = 0;

	for (size_t k = made->replay_first; repeated_ns && k < made->replay_end; k++) {
		repeated += isnan(repeated_ns[k]) ? 0 : repeated_ns[k];
		all += dp_parts__get(&input->parts, DP_PART_H2D_NS, k);
	}
	return all > 0 ? repeated / all : 0;
}

static int replay(struct dp_metric_values *values, const struct dp_metric_input *input,
		  const struct prepared *made, struct dp_error *error)
{
	struct dp_replay_input replayed = {
		.timeline = input->timeline,
		.iterations = input->iterations,
		.first = made->replay_first,
		.end = made->replay_end,
		.gaps = &made->gaps,
		.attribution = input->attribution,
	};

	if (made->replay_end == made->replay_first)
		return DP_OK;
	replayed.repeated_share = repeated_share(values, input, made);
	if (dp_replay__run(&values->replay, &replayed))
		return dp_error__nomem(error, 0);
	return DP_OK;
}

static int find_transfers(struct dp_metric_values *values, const struct dp_metric_input *input,
			  struct dp_error *error)
{
	if (!input->timeline || !input->count)
		return DP_OK;
	return dp_transfers__find(&values->transfers, input->timeline, input->attribution,
				  input->iterations[0].start_ns,
				  input->iterations[input->count - 1].start_ns)
		       ? dp_error__nomem(error, 0)
		       : DP_OK;
}

static int find_waits(struct dp_metric_values *values, const struct dp_metric_input *input,
		      struct dp_error *error)
{
	struct dp_stream_waits_input waits = { input->trace, input->stream, input->iterations,
					       input->count };

	return dp_stream_waits__find(&values->waits, &waits) ? dp_error__nomem(error, 0) : DP_OK;
}

int dp_metric__compute_all(struct dp_metric_values *out, const struct dp_metric_input *input,
			   struct dp_error *error)
{
	struct dp_metric_values values = { .count = input->count,
					   .brief = input->brief,
					   .asked = input->asked };
	struct dp_metric_input ready = *input;
	struct prepared made = { 0 };
	size_t summaries = dp_summary_metric_count(), rows = row_of(&values, dp_metric_count());
	int status;

	ready.parts = (struct dp_parts){ 0 };
	dp_replay__init(&values.replay);
	if (!ready.rows)
		ready.rows = dp_trace_stream_ops(input->trace, input->stream, &ready.row_count);
	values.values = dp_alloc__array(dp_size__mul(input->count, rows), sizeof(*values.values));
	values.summary = dp_alloc__array(summaries, sizeof(*values.summary));
	if (values.values && values.summary)
		status = prepare(&made, &ready, &values, error);
	else
		status = dp_error__nomem(error, dp_size__mul(input->count, sizeof(double)));
	if (!status)
		status = run_table(&values, &ready, error);
	if (!status)
		status = replay(&values, &ready, &made, error);
	if (!status && !values.brief && !values.asked)
		status = find_waits(&values, &ready, error);
	if (!status && !values.brief && !values.asked)
		status = find_transfers(&values, &ready, error);
	values.stalls = ready.parts.stalls;
	ready.parts.stalls = (struct dp_stalls){ 0 };
	values.ranges = ready.parts.ranges;
	ready.parts.ranges = (struct dp_host_ranges){ 0 };
	values.range_names = made.index.range_names;
	made.index.range_names = (struct dp_range_names){ 0 };
	dp_parts__fini(&ready.parts);
	prepared_fini(&made);
	if (status)
		dp_metric_values__fini(&values);
	else
		*out = values;
	return status;
}

void dp_metric_values__fini(struct dp_metric_values *values)
{
	free(values->values);
	free(values->summary);
	dp_stalls__fini(&values->stalls);
	dp_host_ranges__fini(&values->ranges);
	dp_range_names__fini(&values->range_names);
	dp_replay__fini(&values->replay);
	dp_stream_waits__fini(&values->waits);
	*values = (struct dp_metric_values){ 0 };
}
