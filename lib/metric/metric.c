/*
 * The metrics' table and the run of it over one loop: what all of them need (the intervals, the
 * device's uploads) is prepared here once.
 */
#include "metric/metric.h"

#include <math.h>

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
	uint32_t *copies;
	size_t copy_room;
	double *scratch;
};

static void find_intervals(struct prepared *made, const struct dp_metric_input *input)
{
	const struct dp_iteration *at = input->iterations;

	for (size_t k = 0; k < input->count; k++) {
		made->interval_start_ns[k] = made->interval_end_ns[k] = INT64_MIN;
		if (!k || at[k].partial || at[k - 1].partial)
			continue;
		made->interval_start_ns[k] = at[k - 1].end_ns;
		made->interval_end_ns[k] = DP_MAX(at[k].start_ns, at[k - 1].end_ns);
	}
}

/* Page migrations of unified memory count: they are that program's uploads. */
static bool is_upload(uint8_t copy_kind)
{
	return copy_kind == DP_COPY_HTOD || copy_kind == DP_COPY_HTOA ||
	       copy_kind == DP_COPY_UM_HTOD;
}

static bool has_copies(const struct dp_metric_input *input)
{
	const struct dp_stream *stream;

	for (size_t s = 0; (stream = dp_trace_stream(input->trace, s)); s++)
		if (stream->device == input->device && stream->copies)
			return true;
	return false;
}

static int find_copies(struct prepared *made, size_t *count, const struct dp_metric_input *input)
{
	const struct dp_ops *ops = dp_trace_ops(input->trace);

	*count = 0;
	if (!has_copies(input))
		return DP_OK;
	for (size_t i = 0; i < ops->count; i++) {
		if (ops->kind[i] != DP_OP_COPY || !is_upload(ops->copy_kind[i]) ||
		    dp_trace_stream(input->trace, ops->stream[i])->device != input->device)
			continue;
		if (dp_array__reserve(&made->copies, &made->copy_room, *count + 1,
				      sizeof(*made->copies)))
			return DP_ERR_NOMEM;
		made->copies[(*count)++] = (uint32_t)i;
	}
	return DP_OK;
}

static void prepared_fini(struct prepared *made)
{
	free(made->interval_start_ns);
	free(made->interval_end_ns);
	free(made->copies);
	free(made->scratch);
}

static int prepare(struct prepared *made, struct dp_metric_input *input, struct dp_error *error)
{
	struct dp_parts_input parts = { input->trace, input->device, input->stream,
					input->iterations, input->count };

	made->interval_start_ns = dp_alloc__array(input->count, sizeof(int64_t));
	made->interval_end_ns = dp_alloc__array(input->count, sizeof(int64_t));
	made->scratch = dp_alloc__array(input->count, sizeof(double));
	if (!made->interval_start_ns || !made->interval_end_ns || !made->scratch)
		return dp_error__nomem(error, dp_size__mul(input->count, sizeof(int64_t)));
	find_intervals(made, input);
	if (find_copies(made, &input->copy_count, input))
		return dp_error__nomem(error, 0);
	input->interval_start_ns = made->interval_start_ns;
	input->interval_end_ns = made->interval_end_ns;
	input->copies = made->copies;
	input->scratch = made->scratch;
	if (dp_parts__init(&input->parts, &parts, error))
		return DP_ERR_NOMEM;
	return dp_spans__init(&input->uploads, dp_trace_ops(input->trace), made->copies,
			      input->copy_count, error);
}

/* Partial iterations have no values, whatever a metric says. */
static void blank_partial(const struct dp_metric_input *input, double *values)
{
	for (size_t k = 0; k < input->count; k++)
		if (input->iterations[k].partial)
			values[k] = (double)NAN;
}

static int run_table(struct dp_metric_values *out, const struct dp_metric_input *input,
		     struct dp_error *error)
{
	size_t summary = 0;

	for (size_t i = 0; metrics[i]; i++) {
		double *values = out->values + i * input->count;
		size_t count = count_summaries(metrics[i]);
		int status = metrics[i]->compute(input, values, error);

		if (status)
			return status;
		blank_partial(input, values);
		for (size_t s = 0; s < count; s++)
			out->summary[summary++] = metrics[i]->summaries[s].reduce(input, values);
	}
	return DP_OK;
}

int dp_metric__compute_all(struct dp_metric_values *out, const struct dp_metric_input *input,
			   struct dp_error *error)
{
	struct dp_metric_values values = { NULL, NULL };
	struct dp_metric_input ready = *input;
	struct prepared made = { 0 };
	size_t summaries = 0;
	int status;

	while (dp_summary_metric(summaries))
		summaries++;
	ready.uploads = (struct dp_spans){ 0 };
	ready.parts = (struct dp_parts){ 0 };
	values.values = dp_alloc__array(dp_size__mul(input->count, DP_COUNT(metrics)),
					sizeof(*values.values));
	values.summary = dp_alloc__array(summaries, sizeof(*values.summary));
	if (values.values && values.summary)
		status = prepare(&made, &ready, error);
	else
		status = dp_error__nomem(error, dp_size__mul(input->count, sizeof(double)));
	if (!status)
		status = run_table(&values, &ready, error);
	dp_spans__fini(&ready.uploads);
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
	*values = (struct dp_metric_values){ NULL, NULL };
}
