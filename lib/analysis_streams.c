/*
 * Chooses the streams whose kernels make a device's sequence: a main stream, as trace/streams.c
 * chooses it, with those that do the same work (sequence/streams.c), or all streams of the device
 * if annotations mark iterations on others. A request hands the sequence to the search for loops.
 *
 * Cost: linear in the operations of the device.
 */
#include "analysis_model.h"
#include "base/parameters.h"

#include <string.h>

struct dp_loops_request dp_analysis__request(const struct dp_sequence *sequence)
{
	return (struct dp_loops_request){
		.symbols = sequence->symbols,
		.count = sequence->count,
		.alphabet = sequence->alphabet,
		.family = sequence->family,
		.evidence = dp_sequence__evidence(sequence),
	};
}

/* Counts the marked iterations that have kernels of a sequence, and all that are marked. */
static int count_marks(size_t *count, size_t *ranges, const struct dp_sequence *sequence,
		       struct dp_annotations *annotations, struct dp_error *error)
{
	struct dp_marks marks;
	int status = dp_sequence__marks(&marks, sequence, annotations, error);

	*count = status ? 0 : marks.count;
	*ranges = status ? 0 : marks.ranges;
	dp_marks__fini(&marks);
	return status;
}

static int read_kernels(struct dp_sequence *sequence, const struct dp_stream_group *group,
			const struct dp_trace *trace, const struct dp_analysis_options *options,
			struct dp_error *error)
{
	return dp_sequence__init(sequence, trace, group, DP_SYMBOLS_OF_KERNELS,
				 options->range_start_ns, options->range_end_ns, error);
}

/* Takes all streams of the device if marked iterations extend to streams outside the group. */
static int widen(struct dp_sequence *sequence, struct dp_stream_group *group,
		 const struct dp_trace *trace, const struct dp_analysis_options *options,
		 struct dp_annotations *annotations, struct dp_error *error)
{
	struct dp_stream_group all = { 0 }, group_swap = *group;
	struct dp_sequence wide = { 0 }, swap = *sequence;
	size_t seen, ranges, marked = 0;
	int status = count_marks(&seen, &ranges, sequence, annotations, error);

	if (status || (double)seen >= dp_param.marks_seen * (double)ranges)
		return status;
	status = dp_stream_group__all(&all, trace, group->stream, error);
	if (!status)
		status = read_kernels(&wide, &all, trace, options, error);
	if (!status)
		status = count_marks(&marked, &ranges, &wide, annotations, error);
	if (!status && (double)seen < dp_param.marks_seen * (double)marked) {
		*group = all;
		all = group_swap;
		*sequence = wide;
		wide = swap;
	}
	dp_sequence__fini(&wide);
	dp_stream_group__fini(&all);
	return status;
}

int dp_analysis__sequence(struct dp_sequence *sequence, struct dp_stream_group *group,
			  const struct dp_trace *trace, uint32_t stream,
			  const struct dp_analysis_options *options,
			  struct dp_annotations *annotations, struct dp_error *error)
{
	bool marks = options->marks || (!options->iterations_count && !options->ignore_marks);
	int status = DP_OK;

	memset(sequence, 0, sizeof(*sequence));
	/* the paper's sequences are of one stream */
	if (options->stream >= 0 || options->paper)
		dp_stream_group__single(group, trace, stream);
	else
		status = dp_stream_group__init(group, trace, stream, error);
	if (!status)
		status = read_kernels(sequence, group, trace, options, error);
	if (!status && marks && options->stream < 0 && dp_stream_group__has_others(group, trace))
		status = widen(sequence, group, trace, options, annotations, error);
	return status;
}
