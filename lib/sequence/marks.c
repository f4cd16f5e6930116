/*
 * Iterations from annotations. A range belongs to the host, a kernel to the device: they meet where
 * the kernel was launched, on any thread of the process (autograd has its own). If several threads
 * have matching ranges, those of the thread that launches most kernels count. Cost: linear in
 * ranges, once for all sequences of a trace, and in kernels times the logarithm of the ranges; the
 * regex is evaluated once per name.
 */
#include "sequence/marks.h"
#include "base/search.h"
#include "base/text.h"

#include <errno.h>
#include <regex.h>
#include <string.h>

void dp_marks__fini(struct dp_marks *marks)
{
	free(marks->iterations);
	memset(marks, 0, sizeof(*marks));
}

/*
 * Returns true for the names of steps: PyTorch's schedule writes ProfilerStep#7, XPlanes have
 * steps.
 */
static bool is_step(const char *name)
{
	return !strncmp(name, "ProfilerStep", strlen("ProfilerStep")) ||
	       !strncmp(name, "Step#", strlen("Step#"));
}

enum { MARK }; /* the label of names that mark steps */

/*
 * Decides whether a name is a mark. If regexec() runs out of memory the answer is unknown; glibc
 * returns REG_NOMATCH then, but malloc() has set errno.
 */
static int set_label(uint32_t *label, const char *name, const regex_t *regex)
{
	int code;

	errno = 0;
	if (regex)
		code = regexec(regex, name, 0, NULL, 0);
	else
		code = is_step(name) ? 0 : REG_NOMATCH;
	if (code && (code != REG_NOMATCH || errno == ENOMEM))
		return DP_ERR_NOMEM;
	*label = code ? DP_NONE : MARK;
	return DP_OK;
}

static int index_steps(struct dp_annotations *annotations, const struct dp_trace *trace,
		       const regex_t *regex)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	size_t names = dp_trace_string_count(trace);
	uint32_t *labels = dp_alloc__array(names, sizeof(*labels));
	int status = labels ? DP_OK : DP_ERR_NOMEM;

	for (size_t i = 0; i < names && labels; i++)
		labels[i] = DP_NONE;
	for (size_t i = 0; i < ranges->count && labels; i++)
		if (ranges->name[i] < names)
			labels[ranges->name[i]] = MARK;
	for (uint32_t i = 0; i < names && !status; i++)
		if (labels[i] == MARK)
			status = set_label(&labels[i], dp_trace_string(trace, i), regex);
	if (!status)
		status = dp_range_index__init(&annotations->steps, trace, labels);
	free(labels);
	return status;
}

/* Makes the index of the ranges that mark steps, unless there is one. */
static int find_steps(struct dp_annotations *annotations, const struct dp_trace *trace,
		      struct dp_error *error)
{
	const char *text = annotations->regex;
	regex_t regex;
	int status, code;

	if (annotations->steps.rows)
		return DP_OK;
	if (text) {
		code = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);
		if (code == REG_ESPACE)
			return DP_ERR_NOMEM;
		if (code) {
			char why[128];

			regerror(code, &regex, why, sizeof(why));
			return dp_error__set(error, DP_ERR_ARGUMENT, "marks '%s': %s", text, why);
		}
	}
	status = index_steps(annotations, trace, text ? &regex : NULL);
	if (text)
		regfree(&regex);
	return status;
}

void dp_annotations__fini(struct dp_annotations *annotations)
{
	dp_range_index__fini(&annotations->steps);
	dp_range_index__fini(&annotations->repeated);
	dp_range_keys__fini(&annotations->keys);
	free(annotations->launches);
}

/* The counter of the thread that launched a kernel, by place; NULL if no launch was recorded. */
static size_t *launches_of(size_t *launches, const struct dp_sequence *sequence, size_t i,
			   uint32_t *thread)
{
	uint32_t call = dp_trace_ops(sequence->trace)->call[sequence->ops[i]];

	if (call == DP_NONE)
		return NULL;
	*thread = dp_trace_calls(sequence->trace)->thread[call];
	return &launches[DP_MIN((size_t)*thread, dp_trace_thread_count(sequence->trace))];
}

/*
 * Of the groups of a label whose threads launch kernels of the sequence, finds that with most; of
 * equals, the first thread's. launches has a zero for each thread, and has them again.
 */
static struct dp_range_group find_launching(size_t *launches, const struct dp_sequence *sequence,
					    const struct dp_range_index *index, uint32_t label,
					    uint32_t process)
{
	struct dp_range_group best = { NULL, 0 }, group;
	size_t most = 0, count, *of;
	uint32_t thread;

	for (size_t i = 0; i < sequence->count; i++) {
		of = launches_of(launches, sequence, i, &thread);
		if (of)
			++*of;
	}
	for (size_t i = 0; i < sequence->count; i++) {
		of = launches_of(launches, sequence, i, &thread);
		if (!of || !*of)
			continue;
		count = *of;
		*of = 0;
		if (count < most)
			continue;
		group = dp_range_index__get(index, label, thread == DP_NONE ? DP_NONE : process,
					    thread);
		if (group.count && (count > most || thread < best.rows->thread)) {
			best = group;
			most = count;
		}
	}
	return best;
}

/*
 * Finds the ranges of a label that count for a sequence: of the thread that launches most of its
 * kernels, or of the first thread of its process if none with such ranges launches any.
 */
static int choose_ranges(struct dp_range_group *group, const struct dp_sequence *sequence,
			 struct dp_annotations *annotations, const struct dp_range_index *index,
			 uint32_t label)
{
	uint32_t process = dp_trace_stream(sequence->trace, sequence->stream)->process;
	struct dp_range_group first = dp_range_index__first(index, label, process), launching;

	if (!first.count)
		first = dp_range_index__first(index, label, DP_NONE);
	*group = first;
	if (!first.count)
		return DP_OK;
	if (!annotations->launches)
		annotations->launches =
			dp_alloc__zeroed(dp_trace_thread_count(sequence->trace) + 1,
					 sizeof(*annotations->launches));
	if (!annotations->launches)
		return DP_ERR_NOMEM;
	launching = find_launching(annotations->launches, sequence, index, label, process);
	if (launching.count)
		*group = launching;
	return DP_OK;
}

/*
 * Returns true if the call that launched a kernel began before a time. An unknown launch, while
 * others are known, was before the capture; if none is known, the kernel's own start counts.
 */
static bool is_before(const struct dp_sequence *sequence, uint32_t op, int64_t ns)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	uint32_t call = ops->call[op];

	if (call == DP_NONE)
		return sequence->launches || ops->start_ns[op] < ns;
	return dp_trace_calls(sequence->trace)->start_ns[call] < ns;
}

/* Assigns kernels to ranges in one walk; marks->count grows with each range that has any. */
static void assign_kernels(struct dp_marks *marks, const struct dp_sequence *sequence,
			   const struct dp_range_row *rows, size_t count)
{
	const struct dp_ranges *ranges = dp_trace_ranges(sequence->trace);
	uint64_t numbers;
	size_t at = 0;

	for (size_t i = 0; i < count && at < sequence->count; i++) {
		int64_t start_ns, end_ns;
		size_t first;

		/* in those that end earlier, the kernel was not launched */
		DP_FIND(i, i, count,
			is_before(sequence, sequence->ops[at], ranges->end_ns[rows[i].range]));
		if (i == count)
			break;
		start_ns = ranges->start_ns[rows[i].range];
		end_ns = ranges->end_ns[rows[i].range];
		while (at < sequence->count && is_before(sequence, sequence->ops[at], start_ns))
			at++;
		first = at;
		while (at < sequence->count && is_before(sequence, sequence->ops[at], end_ns))
			at++;
		if (at == first)
			continue;
		if (!marks->count)
			marks->name = ranges->name[rows[i].range];
		if (!marks->mixed && ranges->name[rows[i].range] != marks->name)
			marks->mixed = !dp_text__equal_but_numbers(
				&numbers, dp_trace_string(sequence->trace, marks->name),
				dp_trace_string(sequence->trace, ranges->name[rows[i].range]));
		marks->iterations[marks->count++] = (struct dp_sequence_iteration){
			.first = first,
			.end = at,
			.partial = (first == 0 && sequence->before != DP_NONE &&
				    !is_before(sequence, sequence->before, start_ns)) ||
				   (at == sequence->count && sequence->behind != DP_NONE &&
				    is_before(sequence, sequence->behind, end_ns)),
		};
	}
}

int dp_marks__labeled(struct dp_marks *marks, const struct dp_sequence *sequence,
		      struct dp_annotations *annotations, const struct dp_range_index *index,
		      uint32_t label)
{
	struct dp_range_group group;

	memset(marks, 0, sizeof(*marks));
	marks->name = DP_NONE;
	if (choose_ranges(&group, sequence, annotations, index, label))
		return DP_ERR_NOMEM;
	if (!group.count)
		return DP_OK;
	marks->ranges = group.count;
	marks->iterations =
		dp_alloc__array(DP_MIN(marks->ranges, sequence->count), sizeof(*marks->iterations));
	if (!marks->iterations)
		return DP_ERR_NOMEM;
	assign_kernels(marks, sequence, group.rows, group.count);
	return DP_OK;
}

int dp_sequence__marks(struct dp_marks *marks, const struct dp_sequence *sequence,
		       struct dp_annotations *annotations, struct dp_error *error)
{
	int status = find_steps(annotations, sequence->trace, error);

	memset(marks, 0, sizeof(*marks));
	return status ? status
		      : dp_marks__labeled(marks, sequence, annotations, &annotations->steps, MARK);
}
