/*
 * The metrics' table and the run of it over one loop: what all of them need (the intervals, the
 * device's uploads) is prepared here once.
 */
#include "metric/metric.h"

#include <math.h>
#include <string.h>

#define DP_ENTRY(word) extern const struct dp_metric dp_metric__##word;
#include "metric/metric_table.h"
#undef DP_ENTRY

static const struct dp_metric *const metrics[] = {
#define DP_ENTRY(word) &dp_metric__##word,
#include "metric/metric_table.h"
#undef DP_ENTRY
	NULL
};

const struct dp_metric *dp_metric__at(size_t index)
{
	return index < DP_COUNT(metrics) ? metrics[index] : NULL;
}

const struct dp_metric_info *dp_metric(size_t index)
{
	const struct dp_metric *metric = dp_metric__at(index);

	return metric ? &metric->info : NULL;
}

static size_t count_summaries(const struct dp_metric *metric)
{
	size_t count = 0;

	while (metric->summaries && metric->summaries[count].reduce)
		count++;
	return count;
}

const struct dp_metric_info *dp_summary_metric(size_t index)
{
	for (size_t i = 0; metrics[i]; i++) {
		size_t count = count_summaries(metrics[i]);

		if (index < count)
			return &metrics[i]->summaries[index].info;
		index -= count;
	}
	return NULL;
}

size_t dp_metric_count(void)
{
	return DP_COUNT(metrics) - 1;
}

size_t dp_summary_metric_count(void)
{
	size_t count = 0;

	for (size_t i = 0; metrics[i]; i++)
		count += count_summaries(metrics[i]);
	return count;
}

size_t dp_metric_find(const char *name)
{
	for (size_t i = 0; metrics[i]; i++)
		if (!strcmp(metrics[i]->info.name, name))
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

bool dp_metric__uninterrupted(const struct dp_metric_input *input, size_t k)
{
	return dp_metric__has_interval(input, k) && !input->iterations[k].foreign_kernels;
}

size_t dp_metric__place(const uint32_t *rows, size_t count, uint32_t op)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle] < op)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What is made for one run. */
struct prepared {
	int64_t *interval_start_ns;
	int64_t *interval_end_ns;
	double *scratch;
	struct dp_work_index index;
	struct dp_work work;
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
	dp_work__fini(&made->work);
	dp_work_index__fini(&made->index);
}

/* Partial iterations have no values, whatever a metric says. */
static void blank_partial(const struct dp_metric_input *input, double *values)
{
	for (size_t k = 0; k < input->count; k++)
		if (input->iterations[k].partial)
			values[k] = (double)NAN;
}

static bool is_had(const struct dp_metric_values *values, size_t metric)
{
	return metrics[metric]->everywhere ||
	       (!values->brief && (!values->asked || values->asked[metric]));
}

/* How many metrics before one have a row. */
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

/* Does a metric that is had read the device's work, or parts? */
static bool reads(const struct dp_metric_values *values, bool parts)
{
	for (size_t i = 0; metrics[i]; i++)
		if (is_had(values, i) && !metrics[i]->everywhere &&
		    !(parts && metrics[i]->without_parts))
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
	if (!reads(values, false))
		return DP_OK;
	if (!input->work) {
		status = dp_work_index__init(&made->index, input->trace, error);
		if (!status)
			status = dp_work__init(&made->work, &made->index, input->device, error);
		input->work = &made->work;
	}
	parts.work = input->work;
	if (status || !reads(values, true))
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

static int run_table(struct dp_metric_values *out, const struct dp_metric_input *input,
		     struct dp_error *error)
{
	double *values = out->values, *summary = out->summary;

	for (size_t i = 0; metrics[i]; i++) {
		bool had = is_had(out, i);
		size_t count = count_summaries(metrics[i]);
		int status = had ? metrics[i]->compute(input, values, error) : DP_OK;

		if (status)
			return status;
		if (had)
			blank_partial(input, values);
		for (size_t s = 0; s < count; s++)
			*summary++ =
				had ? metrics[i]->summaries[s].reduce(input, values) : (double)NAN;
		values += had ? input->count : 0;
	}
	return DP_OK;
}

/* How much of the uploads' time repeats, in the iterations that are replayed. */
static double repeated_share(const struct dp_metric_values *values,
			     const struct dp_metric_input *input, const struct prepared *made)
{
	const double *repeated_ns = NULL;
	double repeated = 0, all = 0;

	for (size_t i = 0; metrics[i]; i++)
		if (!strcmp(metrics[i]->info.name, "repeated_upload_ns"))
			repeated_ns = dp_metric_values__row(values, i);
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
		.work = input->work,
		.iterations = input->iterations,
		.first = made->replay_first,
		.end = made->replay_end,
		.gaps = &made->gaps,
		.owners = input->owners,
	};

	if (made->replay_end == made->replay_first)
		return DP_OK;
	replayed.repeated_share = repeated_share(values, input, made);
	if (dp_replay__run(&values->replay, &replayed))
		return dp_error__nomem(error, 0);
	return DP_OK;
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
		ready.rows =
			dp_trace_stream_ops(input->trace, input->stream, &ready.row_count);
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
	values.stalls = ready.parts.stalls;
	ready.parts.stalls = (struct dp_stalls){ 0 };
	values.ranges = ready.parts.ranges;
	ready.parts.ranges = (struct dp_host_ranges){ 0 };
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
	dp_replay__fini(&values->replay);
	dp_stream_waits__fini(&values->waits);
	*values = (struct dp_metric_values){ 0 };
}
