/*
 * Ranges by name, process and thread: a count of each group, then its rows. A trace may have as
 * many devices as ranges, so that no device may read those that do not concern it.
 */
#include "sequence/range_index.h"
#include "base/lookup.h"
#include "base/search.h"

#include <string.h>

void dp_range_index__fini(struct dp_range_index *index)
{
	free(index->rows);
	free(index->groups);
	memset(index, 0, sizeof(*index));
}

static int compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_key(const void *a, const void *b)
{
	const struct dp_range_group *x = a, *y = b;
	int order = compare(x->label, y->label);

	if (!order)
		order = compare(x->process, y->process);
	return order ? order : compare(x->thread, y->thread);
}

/* Returns the index of the first group that is not before a key. */
static size_t find(const struct dp_range_index *index, const struct dp_range_group *key)
{
	size_t at;

	DP_FIND(at, 0, index->count, by_key(&index->groups[at], key) >= 0);
	return at;
}

const struct dp_range_group *dp_range_index__get(const struct dp_range_index *index, uint32_t label,
						 uint32_t process, uint32_t thread)
{
	struct dp_range_group key = { .label = label, .process = process, .thread = thread };
	size_t at = find(index, &key);

	return at < index->count && !by_key(&index->groups[at], &key) ? &index->groups[at] : NULL;
}

const struct dp_range_group *dp_range_index__first(const struct dp_range_index *index,
						   uint32_t label, uint32_t process)
{
	struct dp_range_group key = { .label = label, .process = process };
	size_t at = find(index, &key);

	return at < index->count && index->groups[at].label == label &&
			       index->groups[at].process == process
		       ? &index->groups[at]
		       : NULL;
}

/* While the index is made. */
struct making {
	const struct dp_trace *trace;
	const uint32_t *labels;
	size_t names;
	struct dp_lookup groups; /* by label and thread, in order of appearance */
	uint32_t *group;	 /* of each range, or DP_NONE */
	int64_t *until_ns;	 /* of each group, the end of its last row */
	size_t room;
};

/* Finds the group of a label and thread, or adds it. Errors: DP_ERR_NOMEM. */
static int group_of(uint32_t *group, struct making *making, struct dp_range_index *index,
		    uint32_t label, uint32_t thread)
{
	const struct dp_thread *at = dp_trace_thread(making->trace, thread);
	struct dp_key key = { { label, at ? thread : DP_NONE } };
	size_t count = index->count;

	*group = dp_lookup__get(&making->groups, &key);
	if (*group != DP_NONE)
		return DP_OK;
	if (dp_array__reserve(&index->groups, &index->room, count + 1, sizeof(*index->groups)) ||
	    dp_array__reserve(&making->until_ns, &making->room, count + 1,
			      sizeof(*making->until_ns)) ||
	    dp_lookup__set(&making->groups, &key, (uint32_t)count))
		return DP_ERR_NOMEM;
	making->until_ns[count] = INT64_MIN;
	index->groups[count] = (struct dp_range_group){
		.label = label,
		.process = at ? at->process : DP_NONE,
		.thread = at ? thread : DP_NONE,
	};
	*group = (uint32_t)index->count++;
	return DP_OK;
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

/* Assigns ranges to groups, whose end becomes their number of rows; *rows is that of all. */
static int count_rows(size_t *rows, struct making *making, struct dp_range_index *index)
{
	const struct dp_ranges *ranges = dp_trace_ranges(making->trace);
	uint32_t label, group = DP_NONE, last_label = DP_NONE, last_thread = DP_NONE;
	int status = DP_OK;

	*rows = 0;
	for (size_t i = 0; i < ranges->count && !status; i++) {
		making->group[i] = DP_NONE;
		label = ranges->name[i] < making->names ? making->labels[ranges->name[i]] : DP_NONE;
		if (label == DP_NONE)
			continue;
		if (label != last_label || ranges->thread[i] != last_thread)
			status = group_of(&group, making, index, label, ranges->thread[i]);
		if (status)
			break;
		last_label = label;
		last_thread = ranges->thread[i];
		if (is_covered(ranges, i, making->until_ns[group]))
			continue;
		making->until_ns[group] = ranges->end_ns[i];
		making->group[i] = group;
		index->groups[group].end++;
		++*rows;
	}
	return status;
}

static void fill_rows(const struct making *making, struct dp_range_index *index)
{
	size_t count = dp_trace_ranges(making->trace)->count, at = 0;

	for (size_t g = 0; g < index->count; g++) {
		struct dp_range_group *group = &index->groups[g];
		size_t rows = group->end;

		group->first = group->end = at;
		at += rows;
	}
	for (size_t i = 0; i < count; i++)
		if (making->group[i] != DP_NONE)
			index->rows[index->groups[making->group[i]].end++] = (uint32_t)i;
}

int dp_range_index__init(struct dp_range_index *index, const struct dp_trace *trace,
			 const uint32_t *labels)
{
	struct making making = { .trace = trace,
				 .labels = labels,
				 .names = dp_trace_string_count(trace) };
	int status = DP_ERR_NOMEM;
	size_t rows;

	making.group = dp_alloc__array(dp_trace_ranges(trace)->count, sizeof(*making.group));
	if (making.group)
		status = count_rows(&rows, &making, index);
	if (!status) {
		index->rows = dp_alloc__array(rows, sizeof(*index->rows));
		status = index->rows ? DP_OK : DP_ERR_NOMEM;
	}
	if (!status) {
		fill_rows(&making, index);
		if (index->count)
			qsort(index->groups, index->count, sizeof(*index->groups), by_key);
	}
	dp_lookup__fini(&making.groups);
	free(making.group);
	free(making.until_ns);
	return status;
}
