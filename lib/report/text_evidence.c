/*
 * What a finding costs, and the evidence, as words; the second continues where the first ends.
 * "costs 26.58 ms of each iteration (56.6%)", "waiting for input, GPU busy 40.6%". Each number is
 * shown once; a comma leads to a part of what precedes it. Cost: quadratic in the few numbers of a
 * finding.
 */
#include "base/text.h"
#include "report/text_sayings.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RANGE_COLUMNS 32
#define MOST_OF_IT 0.5
#define ALL_OF_IT 0.97 /* larger shares are shown as all of it */
#define SAME_PERIOD 0.01
#define SAME 0.01
#define VISIBLE 0.001	  /* a difference in the last digit that is shown */
#define LEAST_SAVED 0.001 /* of the period, for it to be shorter */
#define SAME_SHARE 0.0005 /* half of the last digit that is shown */
#define LEAST_P 0.001

/* The value of evidence, NaN if there is none of this name. */
static double evidence_of(const struct dp_finding *finding, const char *name)
{
	for (size_t i = 0; i < finding->evidence_count; i++)
		if (!strcmp(finding->evidence[i].name, name))
			return finding->evidence[i].value;
	return (double)NAN;
}

/* What a finding's cost is a part of: the period that it was measured with, else the mean. */
static double period_of(const struct dp_render *render, const struct dp_finding *finding)
{
	double period_ns = evidence_of(finding, DP_EVIDENCE_PERIOD);

	return isnan(period_ns) ? dp_text__summary(render, finding->loop, "avg_period_ns")
				: period_ns;
}

bool dp_text__is_typical(const struct dp_render *render, const struct dp_finding *finding)
{
	return period_of(render, finding) <
	       (1 - SAME_PERIOD) * dp_text__summary(render, finding->loop, "avg_period_ns");
}

/* What the cost is a part of, in words. */
static const char *whole_of(const struct dp_render *render, const struct dp_finding *finding)
{
	if (finding->loop == DP_NONE)
		return dp_text__has_range(render) ? "of the range" : "of the capture";
	if (finding->single)
		return "of the iteration";
	if (dp_text__period_count(render, finding->loop) == 1)
		return dp_analysis_loop(render->analysis, finding->loop)->complete == 2
			       ? "of the only period recorded"
			       : "of the only steady period";
	return dp_text__is_typical(render, finding) ? "per typical iteration" : "per iteration";
}

double dp_text__cost_in_all(const struct dp_finding *finding)
{
	return evidence_of(finding, "cost_ns");
}

static bool is_same(double a, double b)
{
	return fabs(a - b) <= SAME * fmax(fabs(a), fabs(b));
}

/* Adds why notably more is saved than a finding costs, if so. */
static void add_more(struct dp_words *words, const struct dp_render *render,
		     const struct dp_finding *finding)
{
	char time[DP_NUMBER_SIZE];

	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct dp_evidence_value *at = &finding->evidence[i];

		dp_human__duration(time, at->value, render->options->ascii);
		if (!strcmp(at->name, "saved_idle_ns"))
			dp_words__add(words, ", since another %s of idle time ends, too", time);
		else if (!strcmp(at->name, "saved_overlap_ns"))
			dp_words__add(words, ", %s other work then overlaps for another %s",
				      isnan(evidence_of(finding, "saved_idle_ns")) ? "since"
										   : "and",
				      time);
	}
}

/* What must keep up for a prediction: other GPUs of the trace, or ranks that it lacks. */
static const char *others_of(const struct dp_render *render, const struct dp_finding *finding)
{
	size_t devices = dp_trace_device_count(dp_analysis_trace(render->analysis));

	if (finding->loop_count >= devices)
		return "ranks keep";
	return finding->loop_count + 1 == devices ? "GPU keeps" : "GPUs keep";
}

/*
 * Adds " instead of 190.7 µs on average": what is predicted is a mean, which needs its own present
 * value if the loop's title has a notably different median.
 */
static void add_mean(struct dp_words *words, const struct dp_render *render,
		     const struct dp_finding *finding)
{
	char time[DP_NUMBER_SIZE];

	if (finding->loop != DP_NONE &&
	    !is_same(finding->predicted_from_ns,
		     dp_text__summary(render, finding->loop, "median_period_ns")))
		dp_words__add(words, " instead of %s on average",
			      dp_human__duration(time, finding->predicted_from_ns,
						 render->options->ascii));
}

/*
 * Adds the predicted period without the finding, unless the cost implies it; if brief, only by how
 * much it is shorter, and nothing if others must keep up for that, which takes more room to say.
 */
static void add_prediction(struct dp_words *words, const struct dp_render *render,
			   const struct dp_finding *finding, bool brief)
{
	double saved = 1 - finding->predicted_ns / finding->predicted_from_ns;
	bool ascii = render->options->ascii;
	char time[DP_NUMBER_SIZE], share[DP_NUMBER_SIZE];
	const char *with = finding->predicted_with;

	if (!isfinite(saved) || (brief && finding->needs_others && saved >= LEAST_SAVED) ||
	    is_same(saved * finding->predicted_from_ns, finding->recoverable_ns))
		return;
	if (saved < LEAST_SAVED)
		dp_words__add(words, "; the period would stay the same without it");
	else if (brief)
		dp_words__add(words, "; without %s%s %s%s", with ? "this and " : "it",
			      with ? with : "", dp_number__sign(true, ascii),
			      dp_human__share(share, saved));
	else {
		dp_words__add(words, "; without %s%s%s %s", with ? "this and " : "it",
			      with ? with : "", with ? "," : "",
			      dp_human__duration(time, finding->predicted_ns, ascii));
		add_mean(words, render, finding);
		dp_words__add(words, " (%s%s", dp_number__sign(true, ascii),
			      dp_human__share(share, saved));
		add_more(words, render, finding);
		dp_words__add(words, ")");
	}
	if (finding->needs_others && saved >= LEAST_SAVED)
		dp_words__add(words, " if the other %s up", others_of(render, finding));
}

/* Adds ", mostly in 1 of 3 iterations" to a mean that few iterations cause. */
static void add_costly(struct dp_words *words, const struct dp_finding *finding)
{
	double count = evidence_of(finding, "cost_iterations");
	double all = evidence_of(finding, "typical_iterations");
	char number[DP_TEXT_SIZE];

	if (!isfinite(count) || !isfinite(all))
		return;
	dp_words__add(words, ", mostly in %s", dp_text__count(number, (uint64_t)count));
	dp_words__add(words, " of %s iterations", dp_text__count(number, (uint64_t)all));
}

void dp_text__cost(struct dp_words *words, const struct dp_render *render,
		   const struct dp_finding *finding, bool brief)
{
	double share = finding->recoverable_ns / period_of(render, finding);
	double once_ns = dp_text__cost_in_all(finding);
	bool once = isfinite(once_ns), ascii = render->options->ascii;
	char number[DP_NUMBER_SIZE];

	if (!isfinite(finding->recoverable_ns)) {
		if (finding->evidence_count)
			dp_saying__add_alone(words, &finding->evidence[0], ascii);
		return;
	}
	if (once)
		dp_words__add(words, "costs %s in all",
			      dp_human__duration(number, once_ns, ascii));
	else
		dp_words__add(words, "costs %s%s%s",
			      dp_human__duration(number, finding->recoverable_ns, ascii),
			      brief ? "" : " ", brief ? "" : whole_of(render, finding));
	if (isfinite(share))
		dp_words__add(words, " (%s%s)", dp_human__share(number, share),
			      once ? " of the loop" : "");
	add_costly(words, finding);
	if (finding->overlaps)
		dp_words__add(words, ", partly included in %s", finding->overlaps);
	if (!once)
		add_prediction(words, render, finding, brief);
}

/*
 * Returns true for a number that would be shown as zero; a zero probability of chance is not left
 * out.
 */
static bool is_nothing(const struct dp_evidence_value *at)
{
	return fabs(at->value) < (strcmp(at->unit, "1") ? DBL_MIN : SAME_SHARE) &&
	       strcmp(at->name, "p") != 0;
}

static bool is_cost(const struct dp_finding *finding, size_t index)
{
	const struct dp_evidence_value *at = &finding->evidence[index];

	return !strcmp(at->unit, "ns") && is_same(at->value, finding->recoverable_ns);
}

/*
 * Returns true for the number of long gaps, or of iterations with some, if there is only one: the
 * longest gap is shown.
 */
static bool is_only_gap(const struct dp_finding *finding, const struct dp_evidence_value *at)
{
	return (!strcmp(at->name, "long_gaps") || !strcmp(at->name, "long_gap_iterations")) &&
	       at->value == 1 && finding->evidence != at;
}

/* Returns true if the cost implies a number, or it adds nothing to the cost. */
static bool is_shown(const struct dp_finding *finding, size_t index)
{
	const struct dp_evidence_value *at = &finding->evidence[index];

	if (!isfinite(at->value) || !strcmp(at->name, DP_EVIDENCE_PERIOD))
		return true;
	if (!isfinite(finding->recoverable_ns))
		return index == 0;
	if (is_nothing(at) || is_only_gap(finding, at))
		return true;
	return !strcmp(at->name, "share_of_period") || !strcmp(at->name, "waited_share") ||
	       !strcmp(at->name, "cost_ns") || !strcmp(at->name, "share_of_loop") ||
	       !strncmp(at->name, "saved_", strlen("saved_")) ||
	       (strstr(at->name, "_iterations") &&
		(!strncmp(at->name, "more_", strlen("more_")) ||
		 !strcmp(at->name, "cost_iterations") || !strcmp(at->name, "typical_iterations")));
}

/* The first of the numbers that equal the cost: what the cost consists of. */
static size_t find_cost(const struct dp_finding *finding)
{
	const struct dp_saying *saying;

	for (size_t i = 0; i < finding->evidence_count; i++) {
		saying = dp_saying__of(finding->evidence[i].name);
		if (saying && saying->cost && !is_shown(finding, i) && is_cost(finding, i))
			return i;
	}
	return SIZE_MAX;
}

/* Returns true if a number is all of what it is a part of. */
static bool is_all(const struct dp_saying *saying, const struct dp_finding *finding, size_t index)
{
	const struct dp_evidence_value *at = finding->evidence;

	if (!saying->of)
		return is_cost(finding, index);
	for (size_t i = 0; i < index; i++)
		if (!strcmp(at[i].name, saying->of))
			return strcmp(at[index].unit, "count")
				       ? is_same(at[i].value, at[index].value)
				       : fabs(at[i].value - at[index].value) < 0.5;
	return false;
}

/* Returns true if a part of a finding's number, called all of it, is visibly less than that. */
static bool is_nearly_all(const struct dp_saying *saying, const struct dp_finding *finding,
			  size_t index)
{
	const struct dp_evidence_value *at = finding->evidence;

	if (!saying->of || strncmp(saying->all, "all of it", strlen("all of it")) != 0)
		return false;
	for (size_t i = 0; i < index; i++)
		if (!strcmp(at[i].name, saying->of))
			return at[index].value < (1 - VISIBLE) * at[i].value;
	return false;
}

/* Returns true if a number continues what the one before it is about; words begin a new clause. */
static bool continues(const struct dp_finding *finding, size_t index)
{
	const struct dp_saying *saying = dp_saying__of(finding->evidence[index].name);

	if (saying && saying->of)
		return !saying->before[0] || is_all(saying, finding, index);
	return saying &&
	       (!strncmp(saying->after, " of it ", 7) || !strncmp(saying->after, " of that ", 9));
}

/* Adds the probability that a rise is chance. */
static void add_p(struct dp_words *words, const char *gap, double p)
{
	char number[DP_TEXT_SIZE];

	if (p < LEAST_P)
		dp_words__add(words, "%sp < %s", gap, dp_text__fixed(number, LEAST_P, 3));
	else
		dp_words__add(words, "%sp = %s", gap, dp_text__fixed(number, p, 3));
}

/* Returns true for a number without slow iterations if those change it, or the period. */
static bool leaves_out_slow(const struct dp_render *render, const struct dp_finding *finding,
			    const struct dp_evidence_value *at)
{
	double all = strstr(at->name, "interval_ns") ? dp_text__mean_interval(render, finding->loop)
						     : (double)NAN;

	return dp_text__is_typical(render, finding) || (isfinite(all) && !is_same(at->value, all));
}

/* The words after a number that is joined to none. */
static const char *after_of(const struct dp_saying *saying, const struct dp_render *render,
			    const struct dp_finding *finding, const struct dp_evidence_value *at)
{
	if (saying->of_capture && finding->loop == DP_NONE)
		return dp_text__has_range(render) ? " of the range" : " of the capture";
	return saying->typical && leaves_out_slow(render, finding, at) ? saying->typical
								       : saying->after;
}

/* The words after a number that is joined to another. */
static const char *close_of(const struct dp_saying *saying, const struct dp_finding *finding)
{
	return saying->mean && finding->loop != DP_NONE && !finding->single ? saying->mean
									    : saying->close;
}

/*
 * Adds " (in 2 of them)" to what takes longer, on average, in slow iterations, if that is so in
 * only some of them.
 */
static void add_some(struct dp_words *words, const struct dp_finding *finding, const char *name)
{
	char number[DP_TEXT_SIZE], other[64];
	double count;

	if (strncmp(name, "more_", strlen("more_")) != 0)
		return;
	snprintf(other, sizeof(other), "%.*siterations", (int)(strlen(name) - strlen("ns")), name);
	count = evidence_of(finding, other);
	if (isfinite(count))
		dp_words__add(words, " (in %s of them)", dp_text__count(number, (uint64_t)count));
}

/* Adds one number behind the others; last is the name of the one before. */
static void add_evidence(struct dp_words *words, const struct dp_render *render, const char *gap,
			 const struct dp_finding *finding, size_t index, size_t cost,
			 const char *last)
{
	bool ascii = render->options->ascii;
	const struct dp_evidence_value *at = &finding->evidence[index];
	const struct dp_saying *saying = dp_saying__of(at->name);

	if (!strcmp(at->name, "p")) {
		add_p(words, gap, at->value);
	} else if (!saying) {
		dp_words__add(words, "%s", gap);
		dp_saying__add_alone(words, at, ascii);
	} else if (index == cost) {
		dp_words__add(words, "%s", saying->cost);
		dp_saying__add_call(words, at, ascii);
	} else if (saying->all && is_all(saying, finding, index)) {
		if (*saying->all) {
			dp_words__add(words, "%s%s%s", gap,
				      is_nearly_all(saying, finding, index) ? "nearly " : "",
				      saying->all);
			dp_saying__add_call(words, at, ascii);
		}
	} else {
		bool joined = saying->behind && !strcmp(saying->behind, last);

		dp_saying__add(words, gap, saying, at, joined,
			       joined ? close_of(saying, finding)
				      : after_of(saying, render, finding, at),
			       ascii);
		dp_saying__add_call(words, at, ascii);
		add_some(words, finding, at->name);
	}
}

const char *dp_text__outside(const struct dp_trace *trace)
{
	return dp_trace_calls(trace)->count && !dp_trace_ranges(trace)->count
		       ? "outside API calls"
		       : "outside operators";
}

/*
 * The '#' in "Optimizer.step#SGD.step" or "enumerate(DataLoader)#_Iter.__next__", behind which a
 * class follows, or an instance's number; NULL if there is none. Elsewhere '#' stands for numbers:
 * "layer_#_forward", "layer#_forward".
 */
static const char *find_class(const char *name)
{
	for (const char *at = name; (at = strchr(at, '#')); at++) {
		bool call = at > name && at[-1] == ')';

		if (at > name && (call || isalnum((unsigned char)at[-1])) &&
		    (isalnum((unsigned char)at[1]) || (call && at[1] == '_')))
			return at;
	}
	return NULL;
}

char *dp_text__range(char buf[DP_LABEL_SIZE], const struct dp_render *render, const char *name,
		     size_t columns)
{
	static const char autograd[] = "autograd::engine::evaluate_function: ";
	bool ascii = render->options->ascii;
	char text[DP_LABEL_SIZE];
	const char *class;

	if (!name[0])
		name = dp_text__outside(dp_analysis_trace(render->analysis));
	if (!strncmp(name, autograd, strlen(autograd)))
		name += strlen(autograd);
	class = find_class(name);
	if (!class)
		return dp_label__text(buf, name, columns, ascii);
	snprintf(text, sizeof(text), "%.*s", (int)DP_MIN((size_t)(class - name), sizeof(text) - 1),
		 name);
	return dp_label__text(buf, text, columns, ascii);
}

/*
 * The sum of the shares of all ranges with the label of one, 0 if an earlier one has it: labels do
 * not tell all ranges apart.
 */
static double labelled_share(char label[DP_LABEL_SIZE], const struct dp_render *render,
			     const struct dp_finding *finding, size_t range)
{
	char other[DP_LABEL_SIZE];
	double share = 0;

	dp_text__range(label, render, finding->ranges[range].name, RANGE_COLUMNS);
	for (size_t i = 0; i < finding->range_count; i++) {
		dp_text__range(other, render, finding->ranges[i].name, RANGE_COLUMNS);
		if (strcmp(other, label) != 0)
			continue;
		if (i < range)
			return 0;
		share += finding->ranges[i].share;
	}
	return share;
}

/* What leads to the ranges: "mostly" only if they are at least half of it. */
static const char *lead_of(const struct dp_finding *finding)
{
	double share = 0;

	for (size_t i = 0; i < finding->range_count; i++)
		share += finding->ranges[i].share;
	if (finding->activity == DP_HOST_SYNC)
		return "with synchronization in ";
	return share >= MOST_OF_IT ? "mostly " : "";
}

/*
 * Adds "mostly aten::conv2d 36%, Optimizer.zero_grad 20%": what the host did meanwhile, or where it
 * waited.
 */
static void add_ranges(struct dp_words *words, const struct dp_render *render,
		       const struct dp_finding *finding)
{
	const char *lead = lead_of(finding);
	char name[DP_LABEL_SIZE], text[DP_NUMBER_SIZE];

	for (size_t i = 0; i < finding->range_count; i++) {
		double share = labelled_share(name, render, finding, i);

		if (!(share > 0))
			continue;
		snprintf(text, sizeof(text), " %.0f%%", share * 100);
		dp_words__add(words, "%s%s%s%s", words->used ? ", " : "", i ? "" : lead, name,
			      share < ALL_OF_IT ? text : "");
	}
}

/* What takes longer in slow iterations precedes the ranges, unless it is a cost. */
static bool leads_to_ranges(const char *name, bool costs)
{
	return !costs && !strncmp(name, "more_", strlen("more_"));
}

/* Returns true if the ranges come first. */
static bool begins_with_ranges(const struct dp_finding *finding, bool costs)
{
	for (size_t i = 0; i < finding->evidence_count; i++)
		if (leads_to_ranges(finding->evidence[i].name, costs))
			return false;
	return true;
}

/*
 * Returns true for what is never cut: calls and kernels, but the one that ends a gap, the part that
 * grows, and how many threads must take what is moved.
 */
static bool leads_to_advice(const struct dp_evidence_value *at)
{
	return (at->call && strcmp(at->name, "gap_before_ns") != 0) ||
	       strstr(at->name, "_rise_ns") || !strcmp(at->name, "moved_ns") ||
	       !strcmp(at->name, "outside_ns") || !strcmp(at->name, "threads");
}

void dp_text__evidence(struct dp_words *words, const struct dp_render *render,
		       const struct dp_finding *finding, size_t columns)
{
	size_t cost = find_cost(finding);
	const char *last = "";
	bool named = begins_with_ranges(finding, cost != SIZE_MAX), full = false;

	if (cost != SIZE_MAX) {
		add_evidence(words, render, "", finding, cost, cost, last);
		last = finding->evidence[cost].name;
	}
	if (named)
		add_ranges(words, render, finding);
	for (size_t i = 0; i < finding->evidence_count; i++) {
		size_t before = words->used;

		if (i == cost || is_shown(finding, i) ||
		    (full && !leads_to_advice(&finding->evidence[i])))
			continue;
		add_evidence(words, render,
			     !before		     ? ""
			     : continues(finding, i) ? ", "
						     : "; ",
			     finding, i, cost, last);
		if (words->used != before)
			last = finding->evidence[i].name;
		if (!named && leads_to_ranges(last, cost != SIZE_MAX)) {
			add_ranges(words, render, finding);
			named = true;
			continue;
		}
		if (leads_to_advice(&finding->evidence[i]) ||
		    dp_label_width(words->text) <= columns)
			continue;
		words->text[before] = '\0';
		words->used = before;
		full = true;
	}
}
