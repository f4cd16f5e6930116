/* Numbers in a timeline. Cost: that of sorting those that are claimed. */
#include "report/claims.h"

#include "base/search.h"

void dp_claims__fini(struct dp_claims *claims)
{
	free(claims->sorted);
	*claims = (struct dp_claims){ 0 };
}

int dp_claims__add(struct dp_claims *claims, int64_t group, int64_t number)
{
	if (dp_array__reserve(&claims->sorted, &claims->room, claims->count + 1,
			      sizeof(*claims->sorted)))
		return DP_ERR_NOMEM;
	claims->sorted[claims->count] = (struct dp_claim){ group, number, claims->count };
	claims->count++;
	return DP_OK;
}

static int compare(const void *a, const void *b)
{
	const struct dp_claim *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

void dp_claims__resolve(struct dp_claims *claims, int64_t *numbers)
{
	const struct dp_claim *at = claims->sorted;

	if (claims->count)
		qsort(claims->sorted, claims->count, sizeof(*claims->sorted), compare);
	for (size_t i = 0; i < claims->count; i++, at++) {
		bool taken = i && at[-1].group == at->group && at[-1].number == at->number;

		numbers[at->index] =
			taken || at->number < claims->least || at->number > claims->most
				? dp_claims__spare(claims)
				: at->number;
	}
}

static bool is_claimed(const struct dp_claims *claims, int64_t number)
{
	size_t at;

	DP_FIND(at, 0, claims->count, claims->sorted[at].number >= number);
	return at < claims->count && claims->sorted[at].number == number;
}

int64_t dp_claims__spare(struct dp_claims *claims)
{
	while (is_claimed(claims, claims->next))
		claims->next++;
	return claims->next++;
}
