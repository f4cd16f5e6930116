/* The words of a verdict on the ranks of a job, for text, Markdown and HTML. */
#include "base/text.h"
#include "report/ranks_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Room for a list of ranks. */
#define RANK_LIST 160

static char *duration(char buf[DP_NUMBER_SIZE], const struct dp_render *render, double ns)
{
	return dp_human__duration(buf, ns, render->options->ascii);
}

/* The number of iterations that some rank has as a whole. */
static size_t count_whole(const struct dp_ranks *ranks)
{
	size_t count = 0;

	for (size_t k = 0; k < dp_ranks_iteration_count(ranks); k++)
		for (size_t r = 0; r < dp_ranks_count(ranks); r++)
			if (dp_ranks_iteration(ranks, r, k)) {
				count++;
				break;
			}
	return count;
}

void dp_ranks_words__head(struct dp_words *words, const struct dp_render *render,
			  const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	const struct dp_ranks_matching *matching = dp_ranks_matching(ranks);
	char number[DP_NUMBER_SIZE];

	dp_words__add(words, "%s", dp_text__plural(number, dp_ranks_count(ranks), "rank"));
	if (matching->absent)
		dp_words__add(words, " (%zu more %s no trace)", matching->absent,
			      matching->absent == 1 ? "has" : "have");
	if (dp_ranks_iteration_count(ranks))
		dp_words__add(words, ", %s",
			      dp_text__plural(number, count_whole(ranks), "iteration"));
	else
		dp_words__add(words, ", no iterations found");
	if (isfinite(verdict->period_ns))
		dp_words__add(words, ", median period %s",
			      duration(number, render, verdict->period_ns));
}

/* Is any computing recorded? Logs of collectives have none. */
static bool is_compute_recorded(const struct dp_ranks *ranks)
{
	const struct dp_rank *rank;

	for (size_t r = 0; (rank = dp_ranks_rank(ranks, r)); r++)
		if (rank->part_ns[DP_RANK_COMPUTE] > 0)
			return true;
	return false;
}

const char *dp_ranks_words__part(const struct dp_ranks *ranks, enum dp_rank_part part)
{
	static const char *const words[DP_RANK_PARTS] = {
		"compute",   "exposed communication", "exposed copies", "input wait",
		"host wait", "other idle time",
	};

	return part != DP_RANK_OTHER || is_compute_recorded(ranks) ? words[part]
								   : "time between collectives";
}

char *dp_ranks_words__place(char buf[DP_LABEL_SIZE], const struct dp_rank *rank, size_t columns,
			    bool ascii)
{
	const char *slash = strrchr(rank->file, '/'), *file = slash ? slash + 1 : rank->file;
	char name[DP_LABEL_SIZE], gpu[DP_TEXT_SIZE] = "";
	size_t used = 0;

	if (rank->file_ranks > 1 && rank->device >= 0)
		used = (size_t)snprintf(gpu, sizeof(gpu), "GPU %lld %s ", (long long)rank->device,
					*rank->host ? "on" : "of");
	dp_label__text(name, *rank->host ? rank->host : file, columns - DP_MIN(used, columns),
		       ascii);
	snprintf(buf, DP_LABEL_SIZE, "%s%.*s", gpu, DP_LABEL_SIZE - (int)sizeof(gpu), name);
	return buf;
}

/* The end of a run of consecutive ranks. */
static size_t run_end(const struct dp_ranks *ranks, const uint32_t *indices, size_t count,
		      size_t first)
{
	size_t end = first + 1;

	while (end < count && dp_ranks_rank(ranks, indices[end])->rank ==
				      dp_ranks_rank(ranks, indices[end - 1])->rank + 1)
		end++;
	return end;
}

/* Writes "rank 3", "ranks 0, 1 and 4 to 7", in order; a few at most. Returns buf. */
static char *list_of(char buf[RANK_LIST], const struct dp_ranks *ranks, const uint32_t *indices,
		     size_t count)
{
	size_t used = (size_t)snprintf(buf, RANK_LIST, count == 1 ? "rank " : "ranks ");

	for (size_t i = 0, end; i < count; i = end) {
		char text[64];
		int length;

		end = run_end(ranks, indices, count, i);
		if (end - i < 3)
			end = i + 1;
		length = snprintf(text, sizeof(text), end - i > 1 ? "%s%lld to %lld" : "%s%lld",
				  i ? ", " : "", (long long)dp_ranks_rank(ranks, indices[i])->rank,
				  (long long)dp_ranks_rank(ranks, indices[end - 1])->rank);
		if (used + (size_t)length + sizeof(" and 4294967295 more") > RANK_LIST) {
			snprintf(buf + used, RANK_LIST - used, " and %zu more", count - i);
			break;
		}
		memcpy(buf + used, text, (size_t)length + 1);
		used += (size_t)length;
	}
	return buf;
}

/* Its file has several ranks, which other reports show by the numbers of their GPUs. */
static void add_gpu(char list[RANK_LIST], const struct dp_rank *rank)
{
	size_t used = strlen(list);

	if (rank->file_ranks > 1 && rank->device >= 0)
		snprintf(list + used, RANK_LIST - used, " (GPU %lld)", (long long)rank->device);
}

void dp_ranks_words__headline(struct dp_words *words, const struct dp_ranks *ranks, bool ascii)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	char list[RANK_LIST], label[DP_LABEL_SIZE];

	list_of(list, ranks, verdict->ranks, verdict->rank_count);
	if (verdict->rank_count == 1)
		add_gpu(list, dp_ranks_rank(ranks, verdict->ranks[0]));
	switch (verdict->kind) {
	case DP_VERDICT_STRAGGLER:
		dp_words__add(words,
			      verdict->rank_count > 1 ? "Stragglers: %s hold the others up"
						      : "Straggler: %s holds the others up",
			      list);
		break;
	case DP_VERDICT_SLOW_COMMUNICATION:
		dp_words__add(words, "Slow communication in group %s",
			      dp_label__text(label, verdict->group, 40, ascii));
		break;
	case DP_VERDICT_STAGE_IMBALANCE:
		dp_words__add(words, "Stage imbalance: the pipeline stage of %s is the slowest",
			      list);
		break;
	case DP_VERDICT_SEQUENCE_IMBALANCE:
		dp_words__add(words, "Sequence imbalance: another rank computes longest each time");
		break;
	case DP_VERDICT_NONE:
		dp_words__add(words,
			      *verdict->why ? "No verdict: %s"
			      : dp_ranks_matching(ranks)->absent
				      ? "No rank that has a trace holds the others up"
				      : "No rank holds the others up",
			      verdict->why);
		break;
	}
}

/* For one straggler, and for several. */
struct advice {
	const char *one, *several;
};

static const struct advice throttled = {
	"check that GPU's power and cooling: nvidia-smi -q -d PERFORMANCE",
	"check those GPUs' power and cooling: nvidia-smi -q -d PERFORMANCE",
};

static const struct advice unrecorded = {
	"record a trace of that rank to see the cause: deepprof record, or PyTorch's profiler",
	"record traces of those ranks to see the cause: deepprof record, or PyTorch's profiler",
};

static const struct advice by_part[DP_RANK_PARTS] = {
	[DP_RANK_COMPUTE] = {
		"compare that GPU with the others (clocks, temperature, other processes: "
		"nvidia-smi -q), or its share of the work",
		"compare those GPUs with the others (models, clocks, temperatures, other "
		"processes: nvidia-smi -q), or their share of the work",
	},
	[DP_RANK_COMMUNICATION] = {
		"check that rank's links: nvidia-smi topo -m, nccl-tests",
		"check those ranks' links: nvidia-smi topo -m, nccl-tests",
	},
	[DP_RANK_COPY] = {
		"check that rank's PCIe link and its pinned memory",
		"check those ranks' PCIe links and their pinned memory",
	},
	[DP_RANK_INPUT_WAIT] = {
		"check that rank's input: storage, DataLoader workers, sizes of its shard",
		"check those ranks' input: storage, DataLoader workers, sizes of their shards",
	},
	[DP_RANK_HOST_WAIT] = {
		"check that rank's host: CPU pinning, other processes, logging or garbage "
		"collection on this rank alone",
		"check those ranks' hosts: CPU pinning, other processes, logging or garbage "
		"collection on these ranks alone",
	},
	[DP_RANK_OTHER] = {
		"analyze that rank's trace by itself: deepprof analyze",
		"analyze those ranks' traces one by one: deepprof analyze",
	},
};

static const char *straggler_advice(const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	const struct advice *advice = &by_part[verdict->part];

	if (verdict->part == DP_RANK_OTHER && dp_ranks_iteration_count(ranks) &&
	    !is_compute_recorded(ranks))
		advice = &unrecorded;
	else if (verdict->throttled)
		advice = &throttled;
	return verdict->rank_count > 1 ? advice->several : advice->one;
}

const char *dp_ranks_words__advice(const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);

	switch (verdict->kind) {
	case DP_VERDICT_STRAGGLER:
		return straggler_advice(ranks);
	case DP_VERDICT_SLOW_COMMUNICATION:
		return "check the links between these ranks: nccl-tests, NCCL_DEBUG=INFO, "
		       "nvidia-smi nvlink -s, ibstat";
	case DP_VERDICT_STAGE_IMBALANCE:
		return "move layers from that stage to others";
	case DP_VERDICT_SEQUENCE_IMBALANCE:
		return "give ranks batches of equal work: sort or pack sequences by length";
	case DP_VERDICT_NONE:
		break;
	}
	return "";
}

/*
 * Bounds that differ by a smaller share of the cost come from the replay's rounding and from calls
 * at the edges of captures.
 */
#define WIDE 0.05

/* Returns true if no more is known of the cost than what it is at most. */
static bool is_upper_bound(const struct dp_ranks_verdict *verdict)
{
	return !(verdict->cost_least_ns > 0) && verdict->cost_most_ns > 0 &&
	       verdict->cost_most_ns <= verdict->cost_ns * (1 + WIDE);
}

/* Without iterations, costs are shown for all collectives together. */
static double shown_cost(const struct dp_ranks_verdict *verdict, double cost_ns)
{
	return verdict->collectives ? cost_ns * (double)verdict->collectives : cost_ns;
}

/* Returns true if the bounds of the cost are shown. */
static bool is_wide(const struct dp_ranks_verdict *verdict)
{
	return verdict->cost_most_ns - verdict->cost_least_ns > WIDE * verdict->cost_ns;
}

static void add_bounds(struct dp_words *words, const struct dp_render *render,
		       const struct dp_ranks_verdict *verdict)
{
	char least[DP_NUMBER_SIZE], most[DP_NUMBER_SIZE];

	if (!is_wide(verdict))
		return;
	if (verdict->cost_least_ns > 0)
		dp_words__add(words, "; at least %s and at most %s",
			      duration(least, render, shown_cost(verdict, verdict->cost_least_ns)),
			      duration(most, render, shown_cost(verdict, verdict->cost_most_ns)));
	else if (!is_upper_bound(verdict))
		dp_words__add(words, "; at most %s",
			      duration(most, render, shown_cost(verdict, verdict->cost_most_ns)));
	/* without iterations there is no replay */
	dp_words__add(words, verdict->collectives
				     ? ", part of which the other ranks may hide"
				     : ", as the traces do not show all that ranks wait for");
}

static void add_unit(struct dp_words *words, const struct dp_render *render,
		     const struct dp_ranks_verdict *verdict)
{
	double unit_ns = verdict->collectives ? verdict->collective_ns : verdict->period_ns;
	char share[DP_NUMBER_SIZE], each[DP_NUMBER_SIZE];

	dp_words__add(words, verdict->collectives ? " in all" : " per iteration");
	if (unit_ns > 0)
		dp_words__add(words, " (%s)", dp_human__share(share, verdict->cost_ns / unit_ns));
	if (verdict->collectives)
		dp_words__add(words, ", %s per collective",
			      duration(each, render, verdict->cost_ns));
}

static void add_when(struct dp_words *words, size_t every, int64_t since)
{
	if (every)
		dp_words__add(words, ", in every %zu%s iteration", every,
			      dp_text__ordinal_ending(every));
	else if (since)
		dp_words__add(words, ", since iteration %lld", (long long)since);
}

static bool are_several(const struct dp_ranks *ranks)
{
	return dp_ranks_straggler(ranks, 1) != NULL;
}

/* Several stragglers with the cost of each. */
static void add_each(struct dp_words *words, const struct dp_render *render,
		     const struct dp_ranks *ranks)
{
	const struct dp_ranks_straggler *at;
	char cost[DP_NUMBER_SIZE];

	for (size_t i = 0; (at = dp_ranks_straggler(ranks, i)); i++) {
		dp_words__add(
			words, "; rank %lld alone %s",
			(long long)dp_ranks_rank(ranks, at->rank)->rank,
			duration(cost, render, shown_cost(dp_ranks_verdict(ranks), at->cost_ns)));
		add_when(words, at->every, at->since_iteration);
	}
}

void dp_ranks_words__cost(struct dp_words *words, const struct dp_render *render,
			  const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	double hidden_ns = verdict->part_ns - verdict->cost_most_ns;
	bool exact = !is_wide(verdict);
	char cost[DP_NUMBER_SIZE];

	dp_words__add(words, "%s%s", is_upper_bound(verdict) ? "at most " : "",
		      duration(cost, render, shown_cost(verdict, verdict->cost_ns)));
	add_unit(words, render, verdict);
	if (!are_several(ranks))
		add_when(words, verdict->every, verdict->since_iteration);
	add_bounds(words, render, verdict);
	if (are_several(ranks)) {
		add_each(words, render, ranks);
		return;
	}
	/* a cause much larger than its cost needs an explanation */
	if (verdict->kind == DP_VERDICT_STRAGGLER && hidden_ns > verdict->cost_ns)
		dp_words__add(words,
			      "; %s %s of the cause overlap work and launches of the other ranks",
			      exact ? "the other" : "at least",
			      duration(cost, render,
				       exact ? verdict->part_ns - verdict->cost_ns : hidden_ns));
}

/*
 * "host wait, 8.10 ms longer per iteration than on the other ranks; mostly X (3.1 ms)", with X in
 * at most this many columns.
 */
void dp_ranks_words__cause(struct dp_words *words, const struct dp_render *render,
			   const struct dp_ranks *ranks, size_t columns)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	bool is_recorded = verdict->part != DP_RANK_OTHER || is_compute_recorded(ranks);
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE];

	if (!isfinite(verdict->part_ns)) {
		dp_words__add(words, "%s",
			      dp_ranks_iteration_count(ranks)
				      ? "not recorded: the logs have durations of "
					"collectives without their times"
				      : "unknown, since no iterations were found");
		return;
	}
	dp_words__add(words, "%s%s, %s longer per iteration%s than on the other ranks",
		      verdict->throttled ? "throttled clock, compute"
					 : dp_ranks_words__part(ranks, verdict->part),
		      is_recorded ? "" : " (compute, host or idle: not recorded)",
		      duration(number, render, verdict->part_ns),
		      verdict->rank_count > 1 ? " on the slowest one" : "");
	if (*verdict->operator_)
		dp_words__add(
			words, "; %s %s (%s)",
			2 * verdict->operator_ns >= verdict->part_ns ? "mostly" : "largest share:",
			dp_label__text(label, verdict->operator_, columns, render->options->ascii),
			duration(number, render, verdict->operator_ns));
}

/* The largest of the stragglers' p-values; NaN if none was tested. */
static double largest_p(const struct dp_ranks *ranks)
{
	const struct dp_ranks_straggler *at;
	double p = dp_ranks_verdict(ranks)->p_value;

	for (size_t i = 0; (at = dp_ranks_straggler(ranks, i)); i++)
		p = fmax(p, at->p_value);
	return p;
}

static void add_last(struct dp_words *words, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	const struct dp_ranks_straggler *at;

	if (!verdict->shared)
		return;
	if (are_several(ranks))
		dp_words__add(
			words, "; rank %lld was",
			(long long)dp_ranks_rank(ranks, dp_ranks_straggler(ranks, 0)->rank)->rank);
	dp_words__add(words, "%s last to reach %zu of %zu synchronizing collectives",
		      are_several(ranks) ? "" : ";", verdict->last, verdict->shared);
	for (size_t i = 1; (at = dp_ranks_straggler(ranks, i)); i++)
		dp_words__add(words, ", rank %lld to reach %zu",
			      (long long)dp_ranks_rank(ranks, at->rank)->rank, at->last);
}

void dp_ranks_words__evidence(struct dp_words *words, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	double p_value = largest_p(ranks);
	char p[DP_TEXT_SIZE];

	dp_words__add(words, verdict->by_compute       ? "computes longer while its peers are idle"
			     : verdict->rank_count > 1 ? "have longer own times than their peers"
						       : "has a longer own time than its peers");
	if (isfinite(p_value))
		dp_words__add(words, ", unlikely to be chance (p %s %s)",
			      p_value <= 0.0005 ? "<=" : "=", dp_text__fixed(p, p_value, 4));
	add_last(words, ranks);
}

enum { PAUSES_LISTED = 4 };

static void add_pauses(struct dp_words *words, const struct dp_render *render,
		       const struct dp_ranks *ranks)
{
	const struct dp_ranks_pauses *pauses = dp_ranks_pauses(ranks);
	char number[DP_NUMBER_SIZE], longer[DP_NUMBER_SIZE];

	if (!pauses)
		return;
	dp_words__add(words, "rank %lld takes %s longer than usual in %zu of %s",
		      (long long)dp_ranks_rank(ranks, pauses->rank)->rank,
		      duration(longer, render, pauses->longer_ns), pauses->count,
		      dp_text__plural(number, count_whole(ranks), "iteration"));
	for (size_t i = 0; pauses->count <= PAUSES_LISTED && i < pauses->count; i++)
		dp_words__add(words, "%s%u%s", i ? ", " : " (", (unsigned int)pauses->iterations[i],
			      i + 1 < pauses->count ? "" : ")");
	dp_words__add(words,
		      " (%s), and the others wait for it: too rare to tell from chance; %s on this "
		      "rank alone looks like this",
		      dp_ranks_words__part(ranks, pauses->part),
		      pauses->part == DP_RANK_COMPUTE ? "an evaluation or a long batch"
						      : "a checkpoint or logging");
}

/* Less cannot hold a job up by much, however slow its links are. */
#define MUCH_COMMUNICATION 0.1

static void add_communication(struct dp_words *words, const struct dp_render *render,
			      const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	double least_ns = INFINITY;
	const struct dp_rank *rank;
	char number[DP_NUMBER_SIZE], share[DP_NUMBER_SIZE];

	for (size_t r = 0; (rank = dp_ranks_rank(ranks, r)); r++)
		if (rank->part_ns[DP_RANK_COMMUNICATION] < least_ns)
			least_ns = rank->part_ns[DP_RANK_COMMUNICATION];
	if (!isfinite(least_ns) ||
	    dp_ranks_matching(ranks)->absent || /* it may be waiting for them */
	    !(least_ns >= MUCH_COMMUNICATION * verdict->period_ns) || !is_compute_recorded(ranks))
		return;
	dp_words__add(words,
		      "exposed communication takes at least %s per iteration (%s) on every rank, "
		      "excluding waits; a link that was slow from the start for all of these calls "
		      "cannot be distinguished from slow hardware: compare the bus bandwidth with "
		      "nccl-tests",
		      duration(number, render, least_ns),
		      dp_human__share(share, least_ns / verdict->period_ns));
}

void dp_ranks_words__note(struct dp_words *words, const struct dp_render *render,
			  const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);

	if (verdict->kind != DP_VERDICT_NONE || *verdict->why)
		return;
	add_pauses(words, render, ranks);
	if (!words->used)
		add_communication(words, render, ranks);
}

void dp_ranks_words__matching(struct dp_words *words, const struct dp_render *render,
			      const struct dp_ranks *ranks)
{
	const struct dp_ranks_matching *matching = dp_ranks_matching(ranks);
	char number[DP_NUMBER_SIZE];

	dp_words__add(words, "%s of ",
		      dp_human__value(number, (double)matching->matched, "count", false));
	dp_words__add(words, "%s calls matched; ",
		      dp_human__value(number, (double)matching->collectives, "count", false));
	if (matching->clock_known)
		dp_words__add(words, "clocks agree within %s",
			      duration(number, render, matching->resolution_ns));
	else
		dp_words__add(words, "clocks not aligned");
}

void dp_ranks_words__sources(struct dp_words *words, const struct dp_ranks *ranks)
{
	size_t counts[DP_RANK_FROM_ORDER + 1] = { 0 };
	const struct dp_rank *rank;

	for (size_t r = 0; (rank = dp_ranks_rank(ranks, r)); r++)
		counts[rank->rank_from]++;
	if (counts[DP_RANK_FROM_NAME])
		dp_words__add(words, "%zu of %zu from file names", counts[DP_RANK_FROM_NAME],
			      dp_ranks_count(ranks));
	if (counts[DP_RANK_FROM_ORDER])
		dp_words__add(words,
			      "%s%zu of %zu from the order of files and of GPUs in them, as "
			      "neither traces nor names state them",
			      words->used ? ", " : "", counts[DP_RANK_FROM_ORDER],
			      dp_ranks_count(ranks));
}

void dp_ranks_words__rest(struct dp_words *words, const struct dp_render *render,
			  const struct dp_ranks *ranks, const struct dp_rank_rows *rows)
{
	double low = INFINITY, high = -INFINITY;
	size_t count = dp_ranks_count(ranks) - rows->count;
	char number[DP_NUMBER_SIZE], range[3 * DP_NUMBER_SIZE];

	if (!count)
		return;
	for (size_t r = 0; r < dp_ranks_count(ranks); r++) {
		double own = dp_ranks_rank(ranks, r)->own_ns;

		if (isfinite(own) && !dp_ranks_rows__has(rows, r)) {
			low = fmin(low, own);
			high = fmax(high, own);
		}
	}
	dp_words__add(words, "%s", dp_text__plural(number, count, "more rank"));
	if (low <= high)
		dp_words__add(words, ", own time %s",
			      dp_human__range(range, low, high, render->options->ascii));
}

char *dp_ranks_words__groups(char buf[DP_LABEL_SIZE], const struct dp_collective_row *row,
			     size_t columns, bool ascii)
{
	size_t size = row->first->group_size;

	if (row->groups == 1 && !size)
		return dp_label__text(buf, row->first->group, columns, ascii);
	if (row->groups == 1)
		snprintf(buf, DP_LABEL_SIZE, "%zu ranks", size);
	else if (size)
		snprintf(buf, DP_LABEL_SIZE, "%zu x %zu ranks", row->groups, size);
	else
		snprintf(buf, DP_LABEL_SIZE, "%zu groups", row->groups);
	return buf;
}
