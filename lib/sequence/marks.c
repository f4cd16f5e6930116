/*
 * Iterations from annotations. A range belongs to the host, a kernel to the device: they meet where
 * the kernel was launched, on any thread of the process (autograd has its own). If several threads
 * have matching ranges, those of the thread that launches most kernels count. Cost: linear in
 * ranges and kernels; the regex is evaluated once per name.
 */
#include "sequence/sequence.h"

#include <errno.h>
#include <regex.h>
#include <string.h>

struct span {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t name;
};

struct spans {
	struct span *spans;
	size_t count;
	size_t room;
};

void dp_marks__fini(struct dp_marks *marks)
{
	free(marks->starts);
	free(marks->ends);
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

/* Of each name, once. */
enum verdict { UNKNOWN, NO_MARK, MARK };

/*
 * Decides whether a name is a mark. If regexec() runs out of memory the answer is unknown; glibc
 * returns REG_NOMATCH then, but malloc() has set errno.
 */
static int decide(uint8_t *verdict, const char *name, const regex_t *regex)
{
	int code = 0;

	if (*verdict != UNKNOWN)
		return DP_OK;
	errno = 0;
	if (regex)
		code = regexec(regex, name, 0, NULL, 0);
	else
		code = is_step(name) ? 0 : REG_NOMATCH;
	if (code && (code != REG_NOMATCH || errno == ENOMEM))
		return DP_ERR_NOMEM;
	*verdict = code ? NO_MARK : MARK;
	return DP_OK;
}

static bool is_of_process(const struct dp_sequence *sequence, uint32_t thread)
{
	const struct dp_thread *at = dp_trace_thread(sequence->trace, thread);

	return !at || at->process == dp_trace_stream(sequence->trace, sequence->stream)->process;
}

/* Per thread, its matching ranges and the number of kernels it launched. */
struct threads {
	size_t count; /* the trace's threads, and one for ranges without a thread */
	size_t *launches;
	bool *marked;
};

static size_t thread_index(const struct threads *threads, uint32_t thread)
{
	return DP_MIN((size_t)thread, threads->count - 1);
}

static void count_launches(struct threads *threads, const struct dp_sequence *sequence)
{
	const struct dp_calls *calls = dp_trace_calls(sequence->trace);
	const uint32_t *call = dp_trace_ops(sequence->trace)->call;

	for (size_t i = 0; i < sequence->count; i++)
		if (call[sequence->ops[i]] != DP_NONE)
			threads->launches[thread_index(threads,
						       calls->thread[call[sequence->ops[i]]])]++;
}

/* Of the threads with matching ranges, the one that launches most kernels; of equals, the first. */
static size_t choose_thread(const struct threads *threads)
{
	size_t best = threads->count;

	for (size_t i = 0; i < threads->count; i++)
		if (threads->marked[i] &&
		    (best == threads->count || threads->launches[i] > threads->launches[best]))
			best = i;
	return best;
}

static int decide_all(uint8_t *verdicts, const struct dp_sequence *sequence, const regex_t *regex)
{
	const struct dp_ranges *ranges = dp_trace_ranges(sequence->trace);
	int status = DP_OK;

	for (size_t i = 0; i < ranges->count && !status; i++) {
		uint32_t name = ranges->name[i];

		if (name < dp_trace_string_count(sequence->trace))
			status = decide(&verdicts[name], dp_trace_string(sequence->trace, name),
					regex);
	}
	return status;
}

/* Returns true if a range, by index, counts as a mark. */
static bool is_mark(const struct dp_sequence *sequence, size_t i, const uint8_t *verdicts)
{
	const struct dp_ranges *ranges = dp_trace_ranges(sequence->trace);
	uint32_t name = ranges->name[i];

	return name < dp_trace_string_count(sequence->trace) && verdicts[name] == MARK &&
	       is_of_process(sequence, ranges->thread[i]);
}

/*
 * Returns true if a range is inside, or overlaps, one that ends at until_ns. Adjacent steps may
 * overlap by as much as times are rounded: older traces have whole microseconds, and a script that
 * reads and writes microseconds since 1970 as doubles rounds starts to a quarter, but not
 * durations.
 */
static bool is_covered(const struct dp_ranges *ranges, size_t i, int64_t until_ns)
{
	enum { ROUNDED_NS = 1000 };

	return ranges->start_ns[i] < until_ns &&
	       (ranges->end_ns[i] <= until_ns || until_ns - ranges->start_ns[i] > ROUNDED_NS);
}

/*
 * Collects the chosen thread's matching ranges in order, without those inside or overlapping
 * another.
 */
static int collect_of(struct spans *out, const struct dp_sequence *sequence,
		      const uint8_t *verdicts, const struct threads *threads)
{
	const struct dp_ranges *ranges = dp_trace_ranges(sequence->trace);
	size_t chosen = choose_thread(threads);
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < ranges->count; i++) {
		if (is_covered(ranges, i, until_ns) ||
		    thread_index(threads, ranges->thread[i]) != chosen ||
		    !is_mark(sequence, i, verdicts))
			continue;
		if (dp_array__reserve(&out->spans, &out->room, out->count + 1, sizeof(*out->spans)))
			return DP_ERR_NOMEM;
		until_ns = ranges->end_ns[i];
		out->spans[out->count++] =
			(struct span){ ranges->start_ns[i], until_ns, ranges->name[i] };
	}
	return DP_OK;
}

static int collect(struct spans *out, const struct dp_sequence *sequence, const uint8_t *verdicts)
{
	const struct dp_ranges *ranges = dp_trace_ranges(sequence->trace);
	struct threads threads = { .count = dp_trace_thread_count(sequence->trace) + 1 };
	int status = DP_ERR_NOMEM;

	threads.launches = dp_alloc__zeroed(threads.count, sizeof(*threads.launches));
	threads.marked = dp_alloc__zeroed(threads.count, sizeof(*threads.marked));
	if (!threads.launches || !threads.marked)
		goto out;
	for (size_t i = 0; i < ranges->count; i++)
		if (is_mark(sequence, i, verdicts))
			threads.marked[thread_index(&threads, ranges->thread[i])] = true;
	count_launches(&threads, sequence);
	status = collect_of(out, sequence, verdicts, &threads);
out:
	free(threads.marked);
	free(threads.launches);
	return status;
}

/* When the host launched a kernel, or the kernel's own start if the launch was not recorded. */
static int64_t launched_ns(const struct dp_sequence *sequence, uint32_t op)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	uint32_t call = ops->call[op];

	return call == DP_NONE ? ops->start_ns[op]
			       : dp_trace_calls(sequence->trace)->start_ns[call];
}

/*
 * Returns true if a kernel was launched before a time. An unknown launch, while others are known,
 * was before the capture.
 */
static bool is_before(const struct dp_sequence *sequence, uint32_t op, int64_t ns)
{
	return (sequence->launches && dp_trace_ops(sequence->trace)->call[op] == DP_NONE) ||
	       launched_ns(sequence, op) < ns;
}

/* Assigns kernels to spans in one walk; marks->count grows with each span that has any. */
static void cut(struct dp_marks *marks, const struct dp_sequence *sequence,
		const struct spans *spans)
{
	size_t at = 0;

	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->spans[i];
		size_t first;

		while (at < sequence->count &&
		       is_before(sequence, sequence->ops[at], span->start_ns))
			at++;
		first = at;
		while (at < sequence->count && is_before(sequence, sequence->ops[at], span->end_ns))
			at++;
		if (at == first)
			continue;
		if (!marks->count)
			marks->name = span->name;
		marks->cut_first |= first == 0 && sequence->before != DP_NONE &&
				    !is_before(sequence, sequence->before, span->start_ns);
		marks->cut_last |= at == sequence->count && sequence->behind != DP_NONE &&
				   is_before(sequence, sequence->behind, span->end_ns);
		marks->starts[marks->count] = first;
		marks->ends[marks->count++] = at;
	}
}

static int by_verdicts(struct dp_marks *marks, const struct dp_sequence *sequence,
		       const regex_t *regex, uint8_t *verdicts)
{
	struct spans spans = { 0 };
	int status = decide_all(verdicts, sequence, regex);

	if (!status)
		status = collect(&spans, sequence, verdicts);
	marks->ranges = spans.count;
	marks->name = DP_NONE;
	if (!status && spans.count) {
		marks->starts = dp_alloc__array(spans.count, sizeof(*marks->starts));
		marks->ends = dp_alloc__array(spans.count, sizeof(*marks->ends));
		if (marks->starts && marks->ends)
			cut(marks, sequence, &spans);
		else
			status = DP_ERR_NOMEM;
	}
	free(spans.spans);
	if (status)
		dp_marks__fini(marks);
	return status;
}

int dp_marks__by_name(struct dp_marks *marks, const struct dp_sequence *sequence, uint8_t *verdicts)
{
	memset(marks, 0, sizeof(*marks));
	return by_verdicts(marks, sequence, NULL, verdicts);
}

int dp_sequence__marks(struct dp_marks *marks, const struct dp_sequence *sequence,
		       const char *regex, struct dp_error *error)
{
	uint8_t *verdicts;
	regex_t compiled;
	int status, code;

	memset(marks, 0, sizeof(*marks));
	if (regex) {
		code = regcomp(&compiled, regex, REG_EXTENDED | REG_NOSUB);
		if (code == REG_ESPACE)
			return dp_error__nomem(error, 0);
		if (code) {
			char text[128];

			regerror(code, &compiled, text, sizeof(text));
			return dp_error__set(error, DP_ERR_ARGUMENT, "marks '%s': %s", regex, text);
		}
	}
	verdicts = dp_alloc__zeroed(dp_trace_string_count(sequence->trace), 1);
	status = verdicts ? by_verdicts(marks, sequence, regex ? &compiled : NULL, verdicts)
			  : DP_ERR_NOMEM;
	free(verdicts);
	if (regex)
		regfree(&compiled);
	return status ? dp_error__nomem(error, 0) : DP_OK;
}
