/*
 * Annotations that mean iterations. Programs name their ranges as they like ("train step 17",
 * "batch"), around steps, parts of steps and epochs alike; which of them is the iteration follows
 * from the loop that the kernels show.
 */
#include "base/strings.h"
#include "sequence/sequence.h"

#include <ctype.h>
#include <string.h>

enum {
	LEAST = 3,     /* ranges that repeat */
	TRIED_MAX = 8, /* names whose kernels are looked at */
};

/* Ranges of one name, numbers aside. */
struct key {
	uint32_t id;
	size_t count;
	int64_t total_ns;
};

struct keys {
	uint32_t *of; /* of each string of the trace, or DP_NONE where it is no range's name */
	size_t strings;
	struct key *keys;
	size_t count;
	size_t room;
	struct dp_strings texts;
	char *text;
	size_t text_room;
};

static void keys_fini(struct keys *keys)
{
	free(keys->of);
	free(keys->keys);
	free(keys->text);
	dp_strings__fini(&keys->texts);
}

/* Writes a name with '#' for each number in it; text has room for it. */
static size_t without_numbers(char *text, const char *name)
{
	size_t used = 0;

	while (*name) {
		if (!isdigit((unsigned char)*name)) {
			text[used++] = *name++;
			continue;
		}
		text[used++] = '#';
		while (isdigit((unsigned char)*name))
			name++;
	}
	text[used] = '\0';
	return used;
}

/* The key of a name, a new one where its text is. */
static int key_of(struct keys *keys, const struct dp_trace *trace, uint32_t name)
{
	const char *text = dp_trace_string(trace, name);
	uint32_t id;

	if (keys->of[name] != DP_NONE)
		return DP_OK;
	if (dp_array__reserve(&keys->text, &keys->text_room, strlen(text) + 1, 1))
		return DP_ERR_NOMEM;
	id = dp_strings__intern(&keys->texts, keys->text, without_numbers(keys->text, text));
	if (id == DP_NONE)
		return DP_ERR_NOMEM;
	if (id >= keys->count) {
		if (dp_array__reserve(&keys->keys, &keys->room, (size_t)id + 1,
				      sizeof(*keys->keys)))
			return DP_ERR_NOMEM;
		for (; keys->count <= id; keys->count++)
			keys->keys[keys->count] = (struct key){ (uint32_t)keys->count, 0, 0 };
	}
	keys->of[name] = id;
	return DP_OK;
}

static int count_ranges(struct keys *keys, const struct dp_trace *trace)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	int status = DP_OK;

	keys->strings = dp_trace_string_count(trace);
	keys->of = dp_alloc__array(keys->strings, sizeof(*keys->of));
	if (!keys->of)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < keys->strings; i++)
		keys->of[i] = DP_NONE;
	for (size_t i = 0; i < ranges->count && !status; i++) {
		uint32_t name = ranges->name[i];
		int64_t ns;

		if (ranges->kind[i] == DP_RANGE_OPERATOR || name >= keys->strings)
			continue;
		status = key_of(keys, trace, name);
		if (status)
			break;
		ns = ranges->end_ns[i] - ranges->start_ns[i];
		keys->keys[keys->of[name]].count++;
		if (ns > 0 && keys->keys[keys->of[name]].total_ns < INT64_MAX - ns)
			keys->keys[keys->of[name]].total_ns += ns;
	}
	return status;
}

static int by_total(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Iterations that the ends of the capture may have cut off, and a few that are not annotated. */
static size_t tolerance(size_t count)
{
	return 2 + count / 10;
}

struct fit {
	size_t common; /* kernels in marks and iterations */
	size_t marked, looped;
	size_t same; /* first kernels */
};

static struct fit compare(const struct dp_marks *marks, const struct dp_segment *segments,
			  size_t count)
{
	struct fit fit = { 0 };
	size_t k = 0;

	for (size_t i = 0; i < marks->count; i++)
		fit.marked += marks->ends[i] - marks->starts[i];
	for (size_t i = 0; i < count; i++)
		fit.looped += segments[i].end - segments[i].first;
	for (size_t i = 0; i < count; i++) {
		while (k < marks->count && marks->ends[k] <= segments[i].first)
			k++;
		for (size_t j = k; j < marks->count && marks->starts[j] < segments[i].end; j++) {
			fit.common += DP_MIN(marks->ends[j], segments[i].end) -
				      DP_MAX(marks->starts[j], segments[i].first);
			fit.same += marks->starts[j] == segments[i].first;
		}
	}
	return fit;
}

static bool tiles(const struct dp_marks *marks, const struct fit *fit, size_t count)
{
	size_t apart = marks->count > count ? marks->count - count : count - marks->count;

	return marks->count >= LEAST && apart <= tolerance(count) &&
	       fit->common * 20 >= fit->looped * 19 && fit->common * 5 >= fit->marked * 4;
}

static bool is_better(const struct fit *fit, const struct fit *best)
{
	if (fit->common != best->common)
		return fit->common > best->common;
	return fit->same > best->same;
}

/* Tries the names one by one, those with the longest ranges first. */
static int try_keys(struct dp_marks *marks, const struct dp_sequence *sequence,
		    const struct keys *keys, const struct dp_segment *segments, size_t count)
{
	uint8_t *verdicts = dp_alloc__array(keys->strings, 1);
	struct fit best = { 0 };
	int status = verdicts ? DP_OK : DP_ERR_NOMEM;
	size_t tried = 0;

	for (size_t i = 0; i < keys->count && tried < TRIED_MAX && !status; i++) {
		const struct key *key = &keys->keys[i];
		struct dp_marks own;
		struct fit fit;

		/* threads may each have their own */
		if (key->count < LEAST || key->count + tolerance(count) < count)
			continue;
		tried++;
		for (size_t name = 0; name < keys->strings; name++)
			verdicts[name] = keys->of[name] == key->id ? 2 : 1;
		status = dp_marks__by_name(&own, sequence, verdicts);
		if (status)
			break;
		fit = compare(&own, segments, count);
		if (tiles(&own, &fit, count) && (!marks->count || is_better(&fit, &best))) {
			struct dp_marks swap = *marks;

			*marks = own;
			own = swap;
			best = fit;
		}
		dp_marks__fini(&own);
	}
	free(verdicts);
	return status;
}

int dp_sequence__repeated(struct dp_marks *marks, const struct dp_sequence *sequence,
			  const struct dp_segment *segments, size_t count)
{
	struct keys keys = { 0 };
	int status = DP_OK;

	memset(marks, 0, sizeof(*marks));
	/* without launches a kernel's own start is all there is, and may be far behind its range */
	if (!sequence->launches || count < LEAST || !dp_trace_ranges(sequence->trace)->count)
		return DP_OK;
	status = count_ranges(&keys, sequence->trace);
	if (!status) {
		if (keys.count > 0)
			qsort(keys.keys, keys.count, sizeof(*keys.keys), by_total);
		status = try_keys(marks, sequence, &keys, segments, count);
	}
	keys_fini(&keys);
	if (status)
		dp_marks__fini(marks);
	return status;
}
