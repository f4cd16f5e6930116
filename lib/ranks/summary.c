/* From an analysis to the summaries of its ranks. Cost: linear in the operations and iterations. */
#include "ranks/summary.h"
#include "base/communication.h"
#include "base/search.h"
#include "stats/stat.h"

#include <math.h>
#include <string.h>

struct part_metric {
	const char *name;
	enum dp_rank_part part;
};

/* The parts of a period, as in comparisons: they exclude each other, and sum up to it. */
static const struct part_metric part_metrics[] = {
	{ "compute_ns", DP_RANK_COMPUTE },	 { "comm_exposed_ns", DP_RANK_COMMUNICATION },
	{ "copy_exposed_ns", DP_RANK_COPY },	 { "idle_copy_ns", DP_RANK_COPY },
	{ "input_wait_ns", DP_RANK_INPUT_WAIT }, { "host_wait_ns", DP_RANK_HOST_WAIT },
	{ "idle_sync_ns", DP_RANK_HOST_WAIT },	 { "idle_launch_ns", DP_RANK_HOST_WAIT },
	{ "idle_other_ns", DP_RANK_OTHER },
};

static size_t metric_by_name(const char *name)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (!strcmp(info->name, name))
			return i;
	return SIZE_MAX;
}

static double metric_of(const struct dp_analysis *analysis, size_t loop, const char *name, size_t k)
{
	return dp_analysis_loop_metric(analysis, loop, metric_by_name(name), k);
}

/* Without launches idle time has no causes, and all of it is other. */
static void fill_step(struct dp_step_summary *step, const struct dp_analysis *analysis, size_t loop,
		      size_t k)
{
	const struct dp_iteration *from = dp_analysis_loop_iteration(analysis, loop, k);
	bool causes = true;

	*step = (struct dp_step_summary){
		.start_ns = from->start_ns,
		.end_ns = from->end_ns,
		.period_ns = metric_of(analysis, loop, "period_ns", k),
		.whole = !from->partial,
		.warmup = from->warmup,
	};
	for (size_t i = 0; i < DP_COUNT(part_metrics); i++) {
		double value = metric_of(analysis, loop, part_metrics[i].name, k);

		if (isfinite(value))
			step->part_ns[part_metrics[i].part] += value;
		else if (part_metrics[i].part >= DP_RANK_INPUT_WAIT)
			causes = false;
	}
	if (!causes) {
		step->part_ns[DP_RANK_INPUT_WAIT] = step->part_ns[DP_RANK_HOST_WAIT] = 0;
		step->part_ns[DP_RANK_OTHER] = metric_of(analysis, loop, "idle_ns", k);
	}
}

static int add_share(struct dp_rank_summary *rank, enum dp_rank_part part, bool operator_,
		     const char *name, double ns)
{
	struct dp_share_summary share = { NULL, ns, (uint8_t)part, operator_ };

	if (!(ns > 0) || rank->share_count >= DP_SHARES_MOST)
		return DP_OK;
	if (dp_array__reserve(&rank->shares, &rank->share_room, rank->share_count + 1,
			      sizeof(share)))
		return DP_ERR_NOMEM;
	share.name = dp_rank_summary__text(rank, name);
	if (!share.name)
		return DP_ERR_NOMEM;
	rank->shares[rank->share_count++] = share;
	return DP_OK;
}

/* Returns true for a range in which a framework fetches the next input. */
static bool is_loader(const char *name)
{
	return name && (strstr(name, "DataLoader") || strstr(name, "data_loader") ||
			strstr(name, "dataloader") || strstr(name, "get_batch"));
}

static int fill_shares(struct dp_rank_summary *rank, const struct dp_analysis *analysis,
		       size_t loop, double iterations)
{
	const struct dp_time_stat *stat;
	const struct dp_host_range *range;
	int status = DP_OK;

	for (size_t i = 0; !status && i < DP_SHARES_MOST / 4; i++) {
		stat = dp_analysis_loop_operator_stat(analysis, loop, i);
		if (!stat)
			break;
		if (stat->name[0] && !dp_communication__is_kernel(stat->name))
			status = add_share(rank, DP_RANK_COMPUTE, true, stat->name,
					   stat->total_ns / iterations);
	}
	for (size_t i = 0; !status && i < DP_SHARES_MOST / 4; i++) {
		stat = dp_analysis_loop_kernel_stat(analysis, loop, i);
		if (!stat)
			break;
		if (!dp_communication__is_kernel(stat->name))
			status = add_share(rank, DP_RANK_COMPUTE, false, stat->name,
					   stat->total_ns / iterations);
	}
	for (size_t i = 0; !status && (range = dp_analysis_loop_host_range(analysis, loop, i)); i++)
		if (!range->inner && range->outer[0] && range->activity < DP_HOST_SYNC)
			status = add_share(rank,
					   is_loader(range->outer) ? DP_RANK_INPUT_WAIT
								   : DP_RANK_HOST_WAIT,
					   true, range->outer, range->typical_ns);
	return status;
}

/*
 * Idle time before an upload counts as input wait, and other idle time of the host as host wait.
 * Ranges of a data loader show more exactly which it is: shares[] become the shares of input wait
 * and of host wait that they cover, in typical iterations or in slow ones.
 */
static void loader_shares(double shares[2], const struct dp_analysis *analysis, size_t loop,
			  bool slow)
{
	const struct dp_host_range *range;
	double all[2] = { 0, 0 }, loading[2] = { 0, 0 };
	bool any = false;

	for (size_t i = 0; (range = dp_analysis_loop_host_range(analysis, loop, i)); i++) {
		int input = range->activity == DP_HOST_INPUT ? 0 : 1;
		double ns = slow ? range->slow_ns : range->typical_ns;

		if (range->activity >= DP_HOST_SYNC)
			continue;
		if (!range->inner) {
			all[input] += ns;
		} else if (is_loader(range->outer) || is_loader(range->inner)) {
			loading[input] += ns;
			any = true;
		}
	}
	shares[0] = any && all[0] > 0 ? fmin(1, loading[0] / all[0]) : 1;
	shares[1] = any && all[1] > 0 ? fmin(1, loading[1] / all[1]) : 0;
}

/*
 * An iteration is slow here if it takes a tenth longer than the median one. This only decides which
 * of the two shares applies, not the cost.
 */
#define SLOW 1.1

static int split_waits(struct dp_rank_summary *rank, const struct dp_analysis *analysis,
		       size_t loop)
{
	double *periods = dp_alloc__array(rank->step_count + 1, sizeof(*periods)), median;
	double shares[2][2]; /* of typical iterations, of slow ones */
	size_t count = 0;

	if (!periods)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < rank->step_count; k++)
		if (isfinite(rank->steps[k].period_ns))
			periods[count++] = rank->steps[k].period_ns;
	median = dp_stat__median(periods, count);
	free(periods);
	loader_shares(shares[0], analysis, loop, false);
	loader_shares(shares[1], analysis, loop, true);
	for (size_t k = 0; k < rank->step_count; k++) {
		double *part = rank->steps[k].part_ns;
		const double *of = shares[rank->steps[k].period_ns > SLOW * median];
		double input = part[DP_RANK_INPUT_WAIT] * of[0] + part[DP_RANK_HOST_WAIT] * of[1];

		part[DP_RANK_HOST_WAIT] += part[DP_RANK_INPUT_WAIT] - input;
		part[DP_RANK_INPUT_WAIT] = input;
	}
	return DP_OK;
}

static double mean_metric(const struct dp_analysis *analysis, size_t loop, const char *name)
{
	size_t metric = metric_by_name(name), count = 0;
	double sum = 0;

	for (size_t k = 0; dp_analysis_loop_iteration(analysis, loop, k); k++) {
		double value = dp_analysis_loop_metric(analysis, loop, metric, k);

		if (isfinite(value)) {
			sum += value;
			count++;
		}
	}
	return count ? sum / (double)count : NAN;
}

/* What guessed times would make of iterations. */
static void forget_guesses(struct dp_rank_summary *rank)
{
	for (size_t k = 0; rank->untimed && k < rank->step_count; k++) {
		rank->steps[k].period_ns = NAN;
		for (int p = 0; p < DP_RANK_PARTS; p++)
			rank->steps[k].part_ns[p] = NAN;
	}
}

static int fill_loop(struct dp_rank_summary *rank, const struct dp_analysis *analysis, size_t loop)
{
	const struct dp_loop *info = dp_analysis_loop(analysis, loop);
	size_t steady = 0;

	rank->pattern = info->length;
	rank->steps = dp_alloc__array(info->iterations, sizeof(*rank->steps));
	if (!rank->steps)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < info->iterations; k++) {
		fill_step(&rank->steps[k], analysis, loop, k);
		steady += rank->steps[k].whole && !rank->steps[k].warmup;
	}
	rank->step_count = info->iterations;
	if (split_waits(rank, analysis, loop) || (!rank->untimed && dp_summary__join_steps(rank)))
		return DP_ERR_NOMEM;
	forget_guesses(rank);
	rank->clock_mhz = mean_metric(analysis, loop, "clock_MHz");
	rank->throttled = mean_metric(analysis, loop, "throttled");
	return fill_shares(rank, analysis, loop, (double)DP_MAX(steady, 1));
}

static void assign_iterations(struct dp_rank_summary *rank)
{
	for (size_t i = 0; i < rank->call_count; i++) {
		int64_t start_ns = rank->calls[i].start_ns;
		size_t next;

		DP_FIND(next, 0, rank->step_count, rank->steps[next].start_ns > start_ns);
		/* what runs after the last iteration's end is something else */
		if (next && (next < rank->step_count || isfinite(rank->steps[next - 1].period_ns) ||
			     start_ns <= rank->steps[next - 1].end_ns))
			rank->calls[i].iteration = (uint32_t)(next - 1);
	}
}

static const char *fact_of(const struct dp_trace *trace, const char *name)
{
	const struct dp_fact *fact;

	for (size_t i = 0; (fact = dp_trace_fact(trace, i)); i++)
		if (!strcmp(fact->name, name))
			return fact->value;
	return "";
}

static int fill_rank(struct dp_rank_summary *rank, const struct dp_analysis *analysis,
		     struct dp_call_reader *reader, uint32_t device, size_t loop)
{
	const struct dp_trace *trace = dp_analysis_trace(analysis);
	const struct dp_process *process =
		dp_trace_process(trace, dp_trace_device(trace, device)->process);
	int status;

	rank->rank = process->rank;
	rank->pid = process->pid;
	rank->device = dp_trace_device(trace, device)->id;
	rank->is_epoch = dp_trace_t0(trace, &rank->t0_ns);
	if (!rank->is_epoch)
		rank->t0_ns = dp_trace_source_zero(trace);
	rank->clock_mhz = rank->throttled = NAN;
	rank->untimed = !strcmp(fact_of(trace, "times"), "not recorded");
	rank->host = dp_rank_summary__text(rank, fact_of(trace, "host"));
	if (!rank->host)
		return DP_ERR_NOMEM;
	status = dp_summary__calls(rank, reader, device);
	if (!status && loop != SIZE_MAX)
		status = fill_loop(rank, analysis, loop);
	if (!status)
		assign_iterations(rank);
	return status;
}

/* Sums up the time of kernels per device, on all of its streams. */
static void find_busy(int64_t *busy_ns, const struct dp_trace *trace)
{
	const struct dp_stream *stream;

	for (size_t s = 0; (stream = dp_trace_stream(trace, s)); s++)
		if (stream->kernels)
			busy_ns[stream->device] =
				dp_sum__i64(busy_ns[stream->device], DP_MAX(stream->busy_ns, 1));
}

/* A process that states its rank is one rank: if it uses several devices, its busiest one. */
static bool is_rank(const struct dp_trace *trace, const int64_t *busy_ns, uint32_t device)
{
	const struct dp_device *self = dp_trace_device(trace, device), *other;

	if (!busy_ns[device] || dp_trace_process(trace, self->process)->rank < 0)
		return busy_ns[device] > 0;
	for (uint32_t d = 0; (other = dp_trace_device(trace, d)); d++)
		if (d != device && other->process == self->process &&
		    (busy_ns[d] > busy_ns[device] || (busy_ns[d] == busy_ns[device] && d < device)))
			return false;
	return true;
}

/* A rank of a file, and what its place among the others depends on. */
struct rank_key {
	int64_t gpu;
	uint32_t process, device;
};

static int compare_keys(const void *a, const void *b)
{
	const struct rank_key *x = a, *y = b;

	if (x->gpu != y->gpu)
		return x->gpu < y->gpu ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/*
 * Sorts by the GPUs' numbers, which reports show, if each rank has a GPU of its own; else, as on
 * several machines, by process.
 */
static void sort_keys(struct rank_key *keys, size_t count)
{
	bool distinct = true;

	if (count)
		qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < count; i++)
		distinct &= keys[i].gpu != keys[i - 1].gpu;
	for (size_t i = 0; i < count && !distinct; i++)
		keys[i].gpu = 0;
	if (!distinct)
		qsort(keys, count, sizeof(*keys), compare_keys);
}

/* Makes the summaries of a file's ranks. */
static int fill_ranks(struct dp_file_summary *file, const struct dp_analysis *analysis)
{
	const struct dp_trace *trace = dp_analysis_trace(analysis);
	size_t devices = dp_trace_device_count(trace), count = 0;
	int64_t *busy_ns = dp_alloc__zeroed(devices + 1, sizeof(*busy_ns));
	struct rank_key *keys = dp_alloc__array(devices + 1, sizeof(*keys));
	struct dp_call_reader *reader = NULL;
	int status = DP_ERR_NOMEM;

	file->ranks = dp_alloc__zeroed(devices + 1, sizeof(*file->ranks));
	if (busy_ns && keys && file->ranks)
		status = dp_call_reader__new(&reader, trace);
	if (status)
		goto out;
	find_busy(busy_ns, trace);
	for (uint32_t d = 0; d < devices; d++)
		if (is_rank(trace, busy_ns, d))
			keys[count++] = (struct rank_key){ dp_trace_device(trace, d)->id,
							   dp_trace_device(trace, d)->process, d };
	sort_keys(keys, count);
	for (size_t i = 0; i < count && !status; i++)
		status = fill_rank(&file->ranks[file->count++], analysis, reader, keys[i].device,
				   dp_analysis_main_loop(analysis, keys[i].device));
out:
	dp_call_reader__free(reader);
	free(busy_ns);
	free(keys);
	return status;
}

static int add_section(struct dp_summary *summary, const struct dp_file_summary *file)
{
	unsigned char *bytes;
	size_t size;

	summary->sections = dp_alloc__zeroed(1, sizeof(*summary->sections));
	if (!summary->sections || dp_summary__pack(&bytes, &size, file))
		return DP_ERR_NOMEM;
	summary->count = 1;
	return dp_section__init(summary->sections, bytes, size);
}

int dp_summary_run(struct dp_summary **summary, const struct dp_analysis *analysis,
		   const struct dp_summary_source *source, struct dp_error *error)
{
	struct dp_file_summary file = { .source = DP_SUMMARY_SOURCE_INIT };
	struct dp_summary *made;
	int status;

	if (!dp_analysis_is_diagnosed(analysis))
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "comparing ranks needs all metrics, and only named ones were "
				     "computed");
	made = dp_alloc__zeroed(1, sizeof(*made));
	memcpy(&file.source, source, DP_MIN(source->size, sizeof(file.source)));
	status = made ? fill_ranks(&file, analysis) : DP_ERR_NOMEM;
	if (!status)
		status = add_section(made, &file);
	dp_file_summary__fini(&file);
	if (status) {
		dp_summary_free(made);
		return dp_error__nomem(error, 0);
	}
	*summary = made;
	return DP_OK;
}
