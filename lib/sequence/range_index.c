/*
 * Ranges by name, process and thread, sorted. A trace may have as many devices as ranges, so that
 * no device may read those that do not concern it.
 */
#include "sequence/range_index.h"
#include "base/parameters.h"
#include "base/search.h"
#include "base/text.h"

#include <string.h>

void dp_range_index__fini(struct dp_range_index *index)
{
	free(index->rows);
	*index = (struct dp_range_index){ 0 };
}

static int compare_ids(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_groups(const struct dp_range_row *x, const struct dp_range_row *y)
{
	int order = compare_ids(x->label, y->label);

	if (!order)
		order = compare_ids(x->process, y->process);
	return order ? order : compare_ids(x->thread, y->thread);
}

static int by_group(const void *a, const void *b)
{
	const struct dp_range_row *x = a, *y = b;
	int order = compare_groups(x, y);

	return order ? order : compare_ids(x->range, y->range);
}

struct dp_range_group dp_range_index__get(const struct dp_range_index *index, uint32_t label,
					  uint32_t process, uint32_t thread)
{
	const struct dp_range_row key = { label, process, thread, 0 };
	size_t first, end;

	DP_FIND(first, 0, index->count, compare_groups(&index->rows[first], &key) >= 0);
	DP_FIND(end, first, index->count, compare_groups(&index->rows[end], &key) > 0);
	return (struct dp_range_group){ index->rows + first, end - first };
}

struct dp_range_group dp_range_index__first(const struct dp_range_index *index, uint32_t label,
					    uint32_t process)
{
	const struct dp_range_row key = { label, process, 0, 0 };
	uint32_t thread = 0;
	size_t at;

	DP_FIND(at, 0, index->count, compare_groups(&index->rows[at], &key) >= 0);
	if (at < index->count)
		thread = index->rows[at].thread;
	return dp_range_index__get(index, label, process, thread);
}

/*
 * Returns true if a range is inside, or overlaps, one that ends at until_ns. Adjacent steps may
 * overlap by as much as times are rounded: older traces have whole microseconds, and a script that
 * reads and writes microseconds since 1970 as doubles rounds starts to a quarter, but not
 * durations.
 */
static bool is_covered(const struct dp_ranges *ranges, size_t i, int64_t until_ns)
{
	return ranges->start_ns[i] < until_ns &&
	       (ranges->end_ns[i] <= until_ns ||
		until_ns - ranges->start_ns[i] > (int64_t)dp_param.marks_rounded_ns);
}

/* Drops the ranges that an earlier one of their group covers. */
static void keep_disjoint(struct dp_range_index *index, const struct dp_ranges *ranges)
{
	struct dp_range_row *rows = index->rows;
	size_t kept = 0;

	for (size_t i = 0; i < index->count; i++) {
		/* the first of a group is kept, so the last one kept is of this group, if any is */
		if (kept && !compare_groups(&rows[kept - 1], &rows[i]) &&
		    is_covered(ranges, rows[i].range, ranges->end_ns[rows[kept - 1].range]))
			continue;
		rows[kept++] = rows[i];
	}
	index->count = kept;
}

/* Sorts the rows of one label, which are in order of time already: mostly all are of one thread. */
static void sort_label(struct dp_range_row *rows, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_groups(&rows[i - 1], &rows[i]) > 0) {
			qsort(rows, count, sizeof(*rows), by_group);
			return;
		}
}

int dp_range_index__init(struct dp_range_index *index, const struct dp_trace *trace,
			 const uint32_t *labels)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	size_t names = dp_trace_string_count(trace), room, at = 0;
	size_t *end = dp_alloc__zeroed(names + 1, sizeof(*end)); /* of each label's rows */

	for (size_t i = 0; i < ranges->count && end; i++)
		if (ranges->name[i] < names && labels[ranges->name[i]] != DP_NONE)
			end[labels[ranges->name[i]]]++;
	for (size_t label = 0; label <= names && end; label++) {
		index->count += end[label];
		end[label] = index->count - end[label];
	}
	room = index->count;
	index->rows = end ? dp_alloc__array(room, sizeof(*index->rows)) : NULL;
	if (!index->rows) {
		free(end);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < ranges->count; i++) {
		const struct dp_thread *thread = dp_trace_thread(trace, ranges->thread[i]);
		uint32_t label = ranges->name[i] < names ? labels[ranges->name[i]] : DP_NONE;

		if (label != DP_NONE)
			index->rows[end[label]++] = (struct dp_range_row){
				.label = label,
				.process = thread ? thread->process : DP_NONE,
				.thread = thread ? ranges->thread[i] : DP_NONE,
				.range = (uint32_t)i,
			};
	}
	for (size_t label = 0; label <= names; at = end[label++])
		sort_label(index->rows + at, end[label] - at);
	free(end);
	keep_disjoint(index, ranges);
	dp_array__shrink(&index->rows, &room, index->count, sizeof(*index->rows));
	return DP_OK;
}

void dp_range_keys__fini(struct dp_range_keys *keys)
{
	free(keys->of);
	free(keys->keys);
	dp_strings__fini(&keys->texts);
}

/* Finds the key of a name, or makes a new one for its text. */
static int key_of(struct dp_range_keys *keys, const char *name, uint32_t *id)
{
	char *text = dp_alloc__array(strlen(name) + 1, 1);

	if (!text)
		return DP_ERR_NOMEM;
	*id = dp_strings__intern(&keys->texts, text, dp_text__without_numbers(text, name));
	free(text);
	if (*id == DP_NONE ||
	    dp_array__reserve(&keys->keys, &keys->room, (size_t)*id + 1, sizeof(*keys->keys)))
		return DP_ERR_NOMEM;
	if (*id == keys->count)
		keys->keys[keys->count++] = (struct dp_range_key){ *id, 0, 0 };
	return DP_OK;
}

static int by_total(const void *a, const void *b)
{
	const struct dp_range_key *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

int dp_range_keys__count(struct dp_range_keys *keys, const struct dp_trace *trace, bool operators)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);

	keys->strings = dp_trace_string_count(trace);
	keys->of = dp_alloc__array(keys->strings, sizeof(*keys->of));
	if (!keys->of)
		return DP_ERR_NOMEM;
	memset(keys->of, 0xff, keys->strings * sizeof(*keys->of)); /* DP_NONE */
	for (size_t i = 0; i < ranges->count; i++) {
		uint32_t name = ranges->name[i], *id;
		struct dp_range_key *key;

		if ((ranges->kind[i] == DP_RANGE_OPERATOR) != operators || name >= keys->strings)
			continue;
		id = &keys->of[name];
		if (*id == DP_NONE && key_of(keys, dp_trace_string(trace, name), id))
			return DP_ERR_NOMEM;
		key = &keys->keys[*id];
		key->count++;
		key->total_ns = dp_sum__i64(key->total_ns, ranges->end_ns[i] - ranges->start_ns[i]);
	}
	if (keys->count > 0)
		qsort(keys->keys, keys->count, sizeof(*keys->keys), by_total);
	return DP_OK;
}
