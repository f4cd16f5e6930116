/* Ids in a timeline. Cost: that of sorting the requests. */
#include "report/unique_ids.h"

#include "base/search.h"

void dp_unique_ids__fini(struct dp_unique_ids *ids)
{
	free(ids->sorted);
	*ids = (struct dp_unique_ids){ 0 };
}

int dp_unique_ids__request(struct dp_unique_ids *ids, int64_t group, int64_t number)
{
	if (dp_array__reserve(&ids->sorted, &ids->room, ids->count + 1, sizeof(*ids->sorted)))
		return DP_ERR_NOMEM;
	ids->sorted[ids->count] = (struct dp_id_request){ group, number, ids->count };
	ids->count++;
	return DP_OK;
}

static int compare(const void *a, const void *b)
{
	const struct dp_id_request *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

void dp_unique_ids__assign(struct dp_unique_ids *ids, int64_t *numbers)
{
	const struct dp_id_request *at = ids->sorted;

	if (ids->count)
		qsort(ids->sorted, ids->count, sizeof(*ids->sorted), compare);
	for (size_t i = 0; i < ids->count; i++, at++) {
		bool taken = i && at[-1].group == at->group && at[-1].number == at->number;

		numbers[at->index] = taken || at->number < ids->least || at->number > ids->most
					     ? dp_unique_ids__next(ids)
					     : at->number;
	}
}

static bool is_requested(const struct dp_unique_ids *ids, int64_t number)
{
	size_t at;

	DP_FIND(at, 0, ids->count, ids->sorted[at].number >= number);
	return at < ids->count && ids->sorted[at].number == number;
}

int64_t dp_unique_ids__next(struct dp_unique_ids *ids)
{
	while (is_requested(ids, ids->next))
		ids->next++;
	return ids->next++;
}
