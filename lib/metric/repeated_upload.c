/*
 * Uploads of the same number of bytes in every iteration, beyond the first: tables, masks or
 * weights that could stay on the device (Zins, section 4.5.5). A trace does not show the data, and
 * one of the uploads is the input: the shortest does not count. Nor do the chunks of a pipeline,
 * which several streams upload, work on and download. Sizes are those of the iteration in the
 * middle; cost: linear in the device's operations, times the logarithm of at most SIZES_MOST.
 */
#include "metric/family.h"
#include "base/search.h"

#include <math.h>
#include <string.h>

#define SIZES_MOST 64

/* Smallest share of the period for an upload to count. */
#define LEAST_SHARE 0.005

/* Share of the iterations that must have a size. */
#define EVERY_SHARE 0.9

/* Fewest uploads of a size in a stretch without iterations: fewer occur by chance. */
#define STRETCH_FEWEST 8

/* Most streams of a pipeline, and the share of the uploads that belong to it. */
#define STREAMS_MOST 16
#define CHUNKS_SHARE 0.9

/* A stream that uploads a size. */
struct place {
	uint32_t stream;
	size_t open;   /* uploads that no download of the size followed yet */
	bool returned; /* one did */
};

struct size {
	uint64_t bytes;
	size_t last;	   /* last iteration that had it, + 1 */
	size_t iterations; /* that had it */
	double first_ns;   /* time of the reference's first upload */
	double all_ns;	   /* time of all the reference's uploads */
	size_t count;	   /* in the reference */
	/* Over all iterations: */
	struct place places[STREAMS_MOST];
	size_t place_count;
	size_t uploads;
	size_t returned; /* uploads that a download of the size follows on their stream */
};

struct sizes {
	struct size list[SIZES_MOST];
	size_t count;
};

/* The place of a stream among a size's; NULL if it has none, or no room. */
static struct place *place_of(struct size *size, uint32_t stream, bool adds)
{
	size_t i = 0;

	while (i < size->place_count && size->places[i].stream != stream)
		i++;
	if (i < size->place_count)
		return &size->places[i];
	if (!adds || i == STREAMS_MOST)
		return NULL;
	size->places[i] = (struct place){ .stream = stream };
	size->place_count++;
	return &size->places[i];
}

static void note_upload(struct size *size, uint32_t stream)
{
	struct place *place = place_of(size, stream, true);

	size->uploads++;
	if (place)
		place->open++;
}

static void note_download(struct size *size, uint32_t stream)
{
	struct place *place = place_of(size, stream, false);

	if (!place || !place->open)
		return;
	size->returned += place->open;
	place->open = 0;
	place->returned = true;
}

/* Returns true if chunks of one size go to the device and back, on several streams in turn. */
static bool is_of_chunks(const struct size *size)
{
	size_t streams = 0;

	for (size_t i = 0; i < size->place_count; i++)
		streams += size->places[i].returned;
	return streams > 1 && (double)size->returned >= CHUNKS_SHARE * (double)size->uploads;
}

static double upload_ns(const struct dp_metric_input *input, size_t copy)
{
	const struct dp_ops *ops = dp_trace_ops(input->trace);
	uint32_t op = input->timeline->copies[copy];

	return (double)(ops->end_ns[op] - ops->start_ns[op]);
}

static uint64_t upload_bytes(const struct dp_metric_input *input, size_t copy)
{
	return dp_trace_ops(input->trace)->bytes[input->timeline->copies[copy]];
}

static int64_t upload_start(const struct dp_metric_input *input, size_t copy)
{
	return dp_trace_ops(input->trace)->start_ns[input->timeline->copies[copy]];
}

/* The index of a size, or where to insert it. */
static size_t find(const struct sizes *sizes, uint64_t bytes)
{
	size_t low;

	DP_FIND(low, 0, sizes->count, sizes->list[low].bytes >= bytes);
	return low;
}

static bool has(const struct sizes *sizes, size_t at, uint64_t bytes)
{
	return at < sizes->count && sizes->list[at].bytes == bytes;
}

static void note(struct sizes *sizes, uint64_t bytes, double ns)
{
	size_t at = find(sizes, bytes);

	if (has(sizes, at, bytes)) {
		sizes->list[at].count++;
		sizes->list[at].all_ns += ns;
		return;
	}
	if (sizes->count == SIZES_MOST)
		return;
	memmove(sizes->list + at + 1, sizes->list + at, (sizes->count - at) * sizeof(*sizes->list));
	sizes->list[at] = (struct size){ .bytes = bytes, .first_ns = ns, .all_ns = ns, .count = 1 };
	sizes->count++;
}

/*
 * The last iteration with a period, up to the one in the middle; the middle one if there is none.
 */
static size_t middle_of(const struct dp_metric_input *input)
{
	size_t middle = input->count / 2 - 1, k = middle;

	while (k > 0 && isnan(dp_metric__period_ns(input, k)))
		k--;
	return isnan(dp_metric__period_ns(input, k)) ? middle : k;
}

/* Collects the sizes of the iteration in the middle, from its start to the next one's. */
static void collect(struct sizes *sizes, const struct dp_metric_input *input)
{
	size_t k = middle_of(input);
	double least_ns = LEAST_SHARE * dp_metric__period_ns(input, k);
	int64_t end_ns = input->iterations[k + 1].start_ns;

	sizes->count = 0;
	for (size_t i = 0; i < input->timeline->copy_count && upload_start(input, i) < end_ns; i++)
		if (upload_start(input, i) >= input->iterations[k].start_ns &&
		    upload_bytes(input, i) && upload_ns(input, i) >= least_ns)
			note(sizes, upload_bytes(input, i), upload_ns(input, i));
}

/* Drops the sizes of chunks: what is uploaded in them differs, as do the results. */
static void drop_chunks(struct sizes *sizes, const struct dp_metric_input *input)
{
	const struct dp_ops *ops = dp_trace_ops(input->trace);
	int64_t start_ns = input->iterations[0].start_ns;
	int64_t end_ns = input->iterations[input->count - 1].start_ns;
	size_t kept = 0;

	for (size_t i = 0; i < input->timeline->count && sizes->count; i++) {
		size_t op = dp_device_timeline__op(input->timeline, i), at;

		if (ops->kind[op] != DP_OP_COPY || ops->start_ns[op] < start_ns)
			continue;
		at = find(sizes, ops->bytes[op]);
		if (!has(sizes, at, ops->bytes[op]))
			continue;
		if (ops->copy_kind[op] == DP_COPY_DTOH)
			note_download(&sizes->list[at], ops->stream[op]);
		else if (dp_op__is_upload(ops, op) && ops->start_ns[op] < end_ns)
			note_upload(&sizes->list[at], ops->stream[op]);
	}
	for (size_t i = 0; i < sizes->count; i++)
		if (!is_of_chunks(&sizes->list[i]))
			sizes->list[kept++] = sizes->list[i];
	sizes->count = kept;
}

/*
 * Drops the sizes that are not in every iteration. Returns how many uploads of the others an
 * iteration has, and which of them is the shortest.
 */
static size_t keep_common(struct sizes *sizes, const struct dp_metric_input *input,
			  double *shortest_ns)
{
	size_t k = 0, periods = input->count - 1, kept = 0, uploads = 0;

	for (size_t i = 0; i < input->timeline->copy_count; i++) {
		size_t at = find(sizes, upload_bytes(input, i));

		while (k + 1 < input->count &&
		       input->iterations[k + 1].start_ns <= upload_start(input, i))
			k++;
		if (k + 1 == input->count ||
		    upload_start(input, i) < input->iterations[0].start_ns ||
		    !has(sizes, at, upload_bytes(input, i)) || sizes->list[at].last == k + 1)
			continue;
		sizes->list[at].last = k + 1;
		sizes->list[at].iterations++;
	}
	*shortest_ns = INFINITY;
	for (size_t i = 0; i < sizes->count; i++) {
		if ((double)sizes->list[i].iterations < EVERY_SHARE * (double)periods)
			continue;
		uploads += sizes->list[i].count;
		*shortest_ns = fmin(*shortest_ns, sizes->list[i].first_ns);
		sizes->list[kept++] = sizes->list[i];
	}
	sizes->count = kept;
	return uploads;
}

/*
 * The time of sizes that a stretch without iterations uploads repeatedly, except the one that takes
 * longest, which may be the input. The first upload of each size is needed.
 */
static double repeated_in_stretch(const struct dp_metric_input *input)
{
	double all_ns = 0, longest_ns = 0;
	struct sizes sizes = { .count = 0 };

	for (size_t i = 0; i < input->timeline->copy_count; i++)
		if (upload_start(input, i) >= input->iterations[0].start_ns &&
		    upload_start(input, i) < input->iterations[1].start_ns &&
		    upload_bytes(input, i))
			note(&sizes, upload_bytes(input, i), upload_ns(input, i));
	drop_chunks(&sizes, input);
	for (size_t i = 0; i < sizes.count; i++) {
		double again_ns = sizes.list[i].all_ns - sizes.list[i].first_ns;

		if (sizes.list[i].count < STRETCH_FEWEST)
			continue;
		all_ns += again_ns;
		longest_ns = fmax(longest_ns, again_ns);
	}
	return all_ns - longest_ns;
}

int dp_metric__repeated_upload(double *values, const struct dp_metric_input *input,
			       const struct dp_metric *row, struct dp_error *error)
{
	double shortest_ns = 0;
	struct sizes sizes;
	size_t k = 0;

	for (size_t i = 0; i < input->count; i++)
		values[i] = isnan(dp_metric__period_ns(input, i)) ? (double)NAN : 0;
	if (input->stretch)
		values[0] = repeated_in_stretch(input);
	if (input->count < 4)
		return DP_OK;
	collect(&sizes, input);
	drop_chunks(&sizes, input);
	if (keep_common(&sizes, input, &shortest_ns) < 2)
		return DP_OK;
	for (size_t i = 0; i < input->timeline->copy_count; i++) {
		int64_t start_ns = upload_start(input, i);

		while (k + 1 < input->count && input->iterations[k + 1].start_ns <= start_ns)
			k++;
		if (k + 1 < input->count && start_ns >= input->iterations[0].start_ns &&
		    has(&sizes, find(&sizes, upload_bytes(input, i)), upload_bytes(input, i)))
			values[k] += upload_ns(input, i);
	}
	for (size_t i = 0; i + 1 < input->count; i++)
		values[i] = isnan(dp_metric__period_ns(input, i))
				    ? (double)NAN
				    : fmax(0, values[i] - shortest_ns);
	return DP_OK;
}
