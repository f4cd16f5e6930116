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

void dp_searched__fini(struct dp_searched *searched)
{
	dp_loops__free(searched->loops);
	dp_sequence__fini(&searched->sequence);
	dp_stream_group__fini(&searched->group);
	*searched = (struct dp_searched){ 0 };
}

/* Counts the marked iterations that have kernels of a sequence, and all that are marked. */
static int count_marks(size_t *count, size_t *ranges, const struct dp_sequence *sequence,
		       const struct dp_loop_search *search)
{
	struct dp_marks marks;
	int status = dp_sequence__marks(&marks, sequence, search->annotations, search->error);

	*count = status ? 0 : marks.count;
	*ranges = status ? 0 : marks.ranges;
	dp_marks__fini(&marks);
	return status;
}

static int read_kernels(struct dp_searched *searched, const struct dp_loop_search *search)
{
	return dp_sequence__init(&searched->sequence, search->trace, &searched->group,
				 DP_SYMBOLS_OF_KERNELS, search->options->range_start_ns,
				 search->options->range_end_ns);
}

/* Takes all streams of the device if marked iterations extend to streams outside the group. */
static int widen(struct dp_searched *searched, const struct dp_loop_search *search)
{
	struct dp_searched wide = { 0 }, swap = *searched;
	size_t seen, ranges, marked = 0;
	int status = count_marks(&seen, &ranges, &searched->sequence, search);

	if (status || (double)seen >= dp_param.marks_seen * (double)ranges)
		return status;
	status = dp_stream_group__all(&wide.group, search->trace, searched->group.stream);
	if (!status)
		status = read_kernels(&wide, search);
	if (!status)
		status = count_marks(&marked, &ranges, &wide.sequence, search);
	if (!status && (double)seen < dp_param.marks_seen * (double)marked) {
		*searched = wide;
		wide = swap;
	}
	dp_searched__fini(&wide);
	return status;
}

int dp_analysis__sequence(struct dp_searched *searched, const struct dp_loop_search *search,
			  uint32_t stream)
{
	const struct dp_analysis_options *options = search->options;
	struct dp_stream_group *group = &searched->group;
	bool marks = options->marks || (!options->iterations_count && !options->ignore_marks);
	bool single = options->stream >= 0 || options->paper || search->alone;
	int status = DP_OK;

	/* the paper's sequences are of one stream */
	if (single)
		dp_stream_group__single(group, search->trace, stream);
	else
		status = dp_stream_group__init(group, search->trace, stream);
	if (!status)
		status = read_kernels(searched, search);
	if (!status && marks && options->stream < 0 && !search->alone &&
	    dp_stream_group__has_others(group, search->trace))
		status = widen(searched, search);
	return status;
}
