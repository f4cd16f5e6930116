/*
 * Patterns are compared by description length (Rissanen 1978): the bits of the pattern, of the
 * edits, and of the symbols it does not explain. The pattern's own bits are those of a greedy
 * Lempel-Ziv parse, so that an iteration of many equal layers does not cost more than one layer and
 * many left-over symbols.
 *
 * The pattern that most iterations agree on has the majority (Boyer and Moore 1981) at each
 * offset. Cost: that of the alignments, and linear in edits and length.
 *
 * Borders of prefixes show what shorter pattern one repeats, and which is a rotation of which.
 */
#include "pattern/pattern.h"
#include "base/parameters.h"
#include "base/repeats.h"
#include "base/substrings.h"

#include <math.h>
#include <string.h>

int dp_pattern__copy(struct dp_pattern *p, const uint32_t *symbols, size_t length)
{
	*p = (struct dp_pattern){ .length = length };
	p->symbols = dp_alloc__array(length, sizeof(*p->symbols));
	if (!p->symbols)
		return DP_ERR_NOMEM;
	memcpy(p->symbols, symbols, length * sizeof(*p->symbols));
	return DP_OK;
}

uint32_t *dp_pattern__repeat(const uint32_t *pattern, size_t m, size_t first, size_t count)
{
	uint32_t *made = dp_alloc__array(count, sizeof(*made));

	for (size_t i = 0; made && i < count; i++)
		made[i] = pattern[(first + i) % m];
	return made;
}

/*
 * Notes that a gram is at a position of a pattern of m symbols. *before is the last position noted
 * so far; SIZE_MAX if it is new.
 */
static int note_gram(size_t *before, struct dp_substrings *grams, size_t m, size_t at)
{
	size_t known = grams->count;
	uint32_t gram;

	*before = SIZE_MAX;
	if (at + dp_param.copy_least > m)
		return DP_OK;
	if (dp_substrings__number(&gram, grams, dp_substrings__at(grams, at, dp_param.copy_least)))
		return DP_ERR_NOMEM;
	if (gram < known)
		*before = grams->items[gram].at;
	grams->items[gram].at = at;
	return DP_OK;
}

/*
 * The bits of a Lempel-Ziv parse with copies of at least copy_least symbols. A copy is a position
 * and a length, of log2(m) bits each, and a flag.
 */
int dp_pattern__bits(double *bits, const uint32_t *p, size_t m, double literal)
{
	double copy = 2 * log2((double)m + 1) + 1, sum = 0;
	struct dp_substrings grams = dp_substrings__of(p);
	int status = DP_OK;

	for (size_t i = 0; i < m && !status;) {
		size_t before, length = 0, end = i + 1;

		status = note_gram(&before, &grams, m, i);
		if (before != SIZE_MAX)
			length = dp_repeats__same(p, m, i, i - before);
		if (length >= dp_param.copy_least && copy < literal * (double)length) {
			sum += copy;
			end = i + length;
		} else {
			sum += literal + 1;
		}
		for (i++; i < end && !status; i++)
			status = note_gram(&before, &grams, m, i);
	}
	dp_substrings__fini(&grams);
	*bits = sum;
	return status;
}

/* Consecutive edits are coded together. */
static double edit_bits(const struct dp_alignment *al, double literal, double log_m)
{
	double sum = 0;

	for (size_t i = 0; i < al->edit_count; i++) {
		const struct dp_edit *e = &al->edits[i], *before = i ? e - 1 : NULL;
		bool joined = before && before->kind == e->kind &&
			      (e->kind == DP_EDIT_DELETED ? before->offset + 1 == e->offset
							  : before->position + 1 == e->position);

		sum += joined ? dp_param.edit_joined_bits : log_m + dp_param.edit_bits;
		if (e->kind != DP_EDIT_DELETED)
			sum += literal;
	}
	return sum;
}

double dp_alignment__bits(const struct dp_alignment *al, size_t n, size_t length, double bits)
{
	double log_n = log2((double)n + 1), log_m = log2((double)length + 1);

	return edit_bits(al, bits, log_m) + (double)(n - dp_align__covered(al, NULL)) * bits +
	       (double)al->span_count * (2 * log_n + log_m) + log_n;
}

int dp_pattern__rate(struct dp_pattern *p, const struct dp_alignment *al, size_t n, double bits)
{
	size_t advance = 0, longest = 0;
	double own;
	int status = dp_pattern__bits(&own, p->symbols, p->length, bits);

	if (status)
		return status;
	for (size_t k = 0; k < al->span_count; k++) {
		size_t passed = dp_align__advance(al, k);

		longest = DP_MAX(longest, passed);
		advance += passed;
	}
	p->covered = dp_align__covered(al, NULL);
	p->edits = al->edit_count;
	p->spans = al->span_count;
	p->iterations = (double)advance / (double)p->length;
	p->tandem = (double)longest / (double)p->length;
	p->own = own;
	p->bits = own + dp_alignment__bits(al, n, p->length, bits);
	return DP_OK;
}

static int align_one(struct dp_alignment *al, const struct dp_pattern *p, const uint32_t *symbols,
		     size_t n)
{
	struct dp_align_pattern pattern = { p->symbols, p->length };

	return dp_align__run(al, symbols, n, &pattern, 1);
}

int dp_pattern__judge(struct dp_pattern *p, const uint32_t *symbols, size_t n, double bits)
{
	struct dp_alignment al;
	int status = align_one(&al, p, symbols, n);

	if (status)
		return status;
	status = dp_pattern__rate(p, &al, n, bits);
	dp_align__fini(&al);
	return status;
}

struct majority {
	uint32_t symbol, lead; /* the leading symbol, and by how many occurrences it leads */
	uint32_t all;
};

static void count_in(struct majority *v, uint32_t symbol)
{
	v->all++;
	if (v->lead == 0)
		v->symbol = symbol;
	if (v->symbol == symbol)
		v->lead++;
	else
		v->lead--;
}

static void find_majorities(const struct dp_alignment *al, const uint32_t *symbols,
			    struct majority *sub, struct majority *ins, uint32_t *del)
{
	for (size_t i = 0; i < al->edit_count; i++) {
		const struct dp_edit *e = &al->edits[i], *before = i ? e - 1 : NULL;

		if (e->kind == DP_EDIT_DELETED)
			del[e->offset]++;
		else if (e->kind == DP_EDIT_SUBSTITUTED)
			count_in(&sub[e->offset], symbols[e->position]);
		else if (!before || before->kind != DP_EDIT_INSERTED ||
			 before->offset != e->offset || before->position + 1 != e->position)
			count_in(&ins[e->offset], symbols[e->position]);
	}
}

/*
 * Applies the edits that more than half of the iterations have. *changed is false if there are
 * none.
 */
static int apply_majorities(struct dp_pattern *p, const struct dp_alignment *al,
			    const uint32_t *symbols, bool *changed)
{
	size_t m = p->length, half = (size_t)(p->iterations / 2) + 1, out = 0;
	struct majority *sub = dp_alloc__zeroed(m, sizeof(*sub));
	struct majority *ins = dp_alloc__zeroed(m, sizeof(*ins));
	uint32_t *del = dp_alloc__zeroed(m, sizeof(*del));
	uint32_t *made = dp_alloc__array(m, 2 * sizeof(*made));
	int status = DP_ERR_NOMEM;

	*changed = false;
	if (!sub || !ins || !del || !made)
		goto out;
	status = DP_OK;
	find_majorities(al, symbols, sub, ins, del);
	for (size_t o = 0; o < m; o++) {
		if (ins[o].all >= half && ins[o].lead * 2 >= ins[o].all)
			made[out++] = ins[o].symbol;
		if (del[o] >= half)
			continue;
		if (sub[o].all >= half && sub[o].lead > 0)
			made[out++] = sub[o].symbol;
		else
			made[out++] = p->symbols[o];
	}
	*changed = out != m || memcmp(made, p->symbols, m * sizeof(*made)) != 0;
	if (*changed && out > 0) {
		free(p->symbols);
		p->symbols = made;
		p->length = out;
		made = NULL;
	}
out:
	free(made);
	free(del);
	free(ins);
	free(sub);
	return status;
}

/*
 * The length of the longest proper border of each prefix of p[0..m), m at least 1, by the prefix's
 * length: what the prefix both begins and ends with (Knuth, Morris and Pratt 1977). It grows by one
 * symbol at a time.
 */
static size_t *make_borders(const uint32_t *p, size_t m)
{
	size_t *border = dp_alloc__zeroed(m + 1, sizeof(*border)), k = 0;

	for (size_t i = 1; border && i < m; i++) {
		while (k && p[i] != p[k])
			k = border[k];
		k += p[i] == p[k];
		border[i + 1] = k;
	}
	return border;
}

int dp_pattern__period(size_t *period, const uint32_t *symbols, size_t m)
{
	size_t *border = make_borders(symbols, m);

	if (!border)
		return DP_ERR_NOMEM;
	*period = m - border[m];
	if (m % *period)
		*period = m;
	free(border);
	return DP_OK;
}

int dp_pattern__refine(struct dp_pattern *p, const uint32_t *symbols, size_t n, double bits)
{
	struct dp_alignment al;
	bool changed = true;
	int status = DP_OK;

	for (size_t round = 0; round <= dp_param.refinements && changed && !status; round++) {
		status = dp_pattern__period(&p->length, p->symbols, p->length);
		if (!status)
			status = align_one(&al, p, symbols, n);
		if (status)
			return status;
		status = dp_pattern__rate(p, &al, n, bits);
		changed = false;
		if (!status && p->iterations >= dp_param.majority_least &&
		    round < dp_param.refinements)
			status = apply_majorities(p, &al, symbols, &changed);
		dp_align__fini(&al);
	}
	return status;
}

int dp_pattern__rotation(size_t *offset, const uint32_t *twice, const uint32_t *symbols, size_t m)
{
	size_t *border = make_borders(symbols, m), same = 0;

	*offset = SIZE_MAX;
	if (!border)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i + 1 < 2 * m && same < m; i++) {
		while (same && twice[i] != symbols[same])
			same = border[same];
		same += twice[i] == symbols[same];
		if (same == m)
			*offset = i + 1 - m;
	}
	free(border);
	return DP_OK;
}
