/*
 * Annotations that mark iterations. Programs name their ranges freely ("train step 17", "batch"),
 * and mark steps, parts of steps and epochs alike; the loop that the kernels show decides which
 * ones mark iterations.
 */
#include "sequence/marks.h"
#include "base/parameters.h"

#include <string.h>

/*
 * The number of iterations that the ends of the capture may cut off, plus a few without annotation.
 */
static size_t tolerance(size_t count)
{
	return dp_param.marks_apart + (size_t)(dp_param.marks_apart_share * (double)count);
}

struct fit {
	size_t common; /* kernels both in marks and in iterations */
	size_t marked, looped;
	size_t same; /* first kernels */
};

static struct fit compare_with_loop(const struct dp_marks *marks,
				    const struct dp_sequence_iteration *iterations, size_t count)
{
	struct fit fit = {
		.marked = dp_iterations__covered(marks->iterations, marks->count),
		.looped = dp_iterations__covered(iterations, count),
	};
	size_t k = 0;

	for (size_t i = 0; i < count; i++) {
		while (k < marks->count && marks->iterations[k].end <= iterations[i].first)
			k++;
		for (size_t j = k;
		     j < marks->count && marks->iterations[j].first < iterations[i].end; j++) {
			fit.common += DP_MIN(marks->iterations[j].end, iterations[i].end) -
				      DP_MAX(marks->iterations[j].first, iterations[i].first);
			fit.same += marks->iterations[j].first == iterations[i].first;
		}
	}
	return fit;
}

static bool fits_loop(const struct dp_marks *marks, const struct fit *fit, size_t count)
{
	size_t apart = marks->count > count ? marks->count - count : count - marks->count;

	return marks->count >= dp_param.marks_least && apart <= tolerance(count) &&
	       (double)fit->common >= dp_param.marks_loop * (double)fit->looped &&
	       (double)fit->common >= dp_param.marks_inside * (double)fit->marked;
}

static bool is_better_fit(const struct fit *fit, const struct fit *best)
{
	if (fit->common != best->common)
		return fit->common > best->common;
	return fit->same > best->same;
}

/* Returns true if marks hold whole iterations only, most of them several, and nearly all. */
static bool hold_several(const struct dp_marks *marks,
			 const struct dp_sequence_iteration *iterations, size_t count)
{
	size_t k = 0, held = 0, several = 0;

	for (size_t j = 0; j < marks->count; j++) {
		size_t before = held;

		while (k < count && iterations[k].end <= marks->iterations[j].first)
			k++;
		for (; k < count && iterations[k].first < marks->iterations[j].end; k++, held++)
			if (iterations[k].first < marks->iterations[j].first ||
			    iterations[k].end > marks->iterations[j].end)
				return false;
		several += held > before + 1;
	}
	return several * 2 > marks->count && marks->count >= dp_param.marks_least &&
	       (double)held >= dp_param.marks_loop * (double)count;
}

/*
 * Tries the names one by one, those with the longest ranges first: for those that are the loop's
 * iterations or, if `around`, for those that hold several of these.
 */
static int try_keys(struct dp_marks *marks, const struct dp_sequence *sequence,
		    struct dp_annotations *annotations,
		    const struct dp_sequence_iteration *iterations, size_t count, bool around)
{
	const struct dp_range_keys *keys = &annotations->keys;
	struct fit best = { 0 };
	size_t tried = 0;
	int status;

	for (size_t i = 0; i < keys->count && tried < dp_param.marks_tried; i++) {
		const struct dp_range_key *key = &keys->keys[i];
		struct dp_marks own;
		struct fit fit = { 0 };
		bool better;

		/* each thread may have its own */
		if (key->count < dp_param.marks_least ||
		    (!around && key->count + tolerance(count) < count))
			continue;
		tried++;
		status = dp_marks__labeled(&own, sequence, annotations, &annotations->repeated,
					   key->id);
		if (status)
			return status;
		if (around) {
			better = own.count > marks->count && hold_several(&own, iterations, count);
		} else {
			fit = compare_with_loop(&own, iterations, count);
			better = fits_loop(&own, &fit, count) &&
				 (!marks->count || is_better_fit(&fit, &best));
		}
		if (better) {
			struct dp_marks swap = *marks;

			*marks = own;
			own = swap;
			best = fit;
		}
		dp_marks__fini(&own);
	}
	return DP_OK;
}

/* Makes the index of the ranges by name, unless there is one. */
static int find_names(struct dp_annotations *annotations, const struct dp_trace *trace)
{
	struct dp_range_keys *keys = &annotations->keys;
	int status;

	if (annotations->repeated.rows)
		return DP_OK;
	status = dp_range_keys__count(keys, trace, false);
	return status ? status : dp_range_index__init(&annotations->repeated, trace, keys->of);
}

/* Returns true if there are kernels between most marks and the next ones. */
static bool leave_kernels(const struct dp_marks *marks)
{
	size_t gaps = 0;

	for (size_t i = 1; i < marks->count; i++)
		gaps += marks->iterations[i].first > marks->iterations[i - 1].end;
	return gaps * 2 > marks->count - 1;
}

/* Returns true if each iteration holds exactly one whole mark. */
static bool are_inside(const struct dp_marks *marks, const struct dp_sequence_iteration *iterations,
		       size_t count)
{
	if (marks->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (marks->iterations[i].first < iterations[i].first ||
		    marks->iterations[i].end > iterations[i].end)
			return false;
	return true;
}

/* Returns true if all kernels [from, to) belong to the loop. Iterations before *k end earlier. */
static bool is_of_loop(size_t from, size_t to, const struct dp_sequence_iteration *iterations,
		       size_t count, size_t *k)
{
	while (*k < count && iterations[*k].end <= from)
		++*k;
	for (size_t i = *k; i < count && iterations[i].first <= from && from < to; i++)
		from = iterations[i].end;
	return from >= to;
}

/*
 * Extends each mark to the next one, but not over kernels outside the loop; the last one by as much
 * as the least extended of the others.
 */
static void extend_marks(struct dp_marks *marks, const struct dp_sequence_iteration *iterations,
			 size_t count)
{
	size_t k = 0, last = marks->count - 1, least = SIZE_MAX, to;

	for (size_t i = 0; i < last; i++) {
		to = marks->iterations[i + 1].first;
		if (!is_of_loop(marks->iterations[i].end, to, iterations, count, &k))
			continue;
		least = DP_MIN(least, to - marks->iterations[i].end);
		marks->iterations[i].end = to;
	}
	if (least == SIZE_MAX)
		return;
	to = marks->iterations[last].end + least;
	if (is_of_loop(marks->iterations[last].end, to, iterations, count, &k))
		marks->iterations[last].end = to;
}

/* Finds the best ranges; there may be none. */
static int find_ranges(struct dp_marks *marks, const struct dp_sequence *sequence,
		       struct dp_annotations *annotations,
		       const struct dp_sequence_iteration *iterations, size_t count, bool around)
{
	int status;

	memset(marks, 0, sizeof(*marks));
	/* without launches only a kernel's own start is known, which may be far behind its range */
	if (!sequence->launches || count < dp_param.marks_least ||
	    !dp_trace_ranges(sequence->trace)->count)
		return DP_OK;
	status = find_names(annotations, sequence->trace);
	if (!status)
		status = try_keys(marks, sequence, annotations, iterations, count, around);
	if (status)
		dp_marks__fini(marks);
	return status;
}

int dp_sequence__repeated(struct dp_marks *marks, const struct dp_sequence *sequence,
			  struct dp_annotations *annotations,
			  const struct dp_sequence_iteration *iterations, size_t count)
{
	int status = find_ranges(marks, sequence, annotations, iterations, count, false);

	if (!status && marks->count && leave_kernels(marks)) {
		marks->inside = are_inside(marks, iterations, count);
		if (!marks->inside)
			extend_marks(marks, iterations, count);
	}
	return status;
}

int dp_sequence__around(struct dp_marks *marks, const struct dp_sequence *sequence,
			struct dp_annotations *annotations,
			const struct dp_sequence_iteration *iterations, size_t count)
{
	return find_ranges(marks, sequence, annotations, iterations, count, true);
}
