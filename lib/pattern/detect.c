/*
 * Leads: k-grams that occur about once per iteration.
 *
 * k-grams of 1, 2, 4 … 64 symbols are named exactly by doubling (Karp, Miller, Rosenberg 1972).
 * The gaps between the occurrences of each name tell whether it may occur once per something: a
 * lead's gaps are alike and cover the sequence. Leads are collected by their median gap; from each
 * class of gaps the best one is taken and its windows, from one occurrence to the next, give the
 * iteration: the most frequent window, else the one most alike to the others.
 *
 * Layers give leads, too, and so do pairs of iterations: which of them is the iteration is for
 * the aligner to say (iteration/).
 */
#include "pattern/detect.h"
#include "base/hash.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum {
	LEVELS = 7,	 /* k = 1 … 64 */
	BINS = 512,	 /* of gaps, each 4% wide */
	GAPS_MAX = 31,	 /* that a median is taken of */
	MEDOID_MAX = 10, /* windows that are compared with each other */
};

struct lead {
	size_t first; /* index of its first occurrence in where[] */
	size_t count;
	double gap, score, regular;
};

struct bin {
	struct lead lead; /* the best one */
	size_t votes;
	int level;
};

struct detector {
	const uint32_t *symbols;
	size_t n, least;
	uint32_t *names, *wider; /* of the k-gram at each position */
	uint32_t *where;	 /* positions, by name */
	size_t *starts;		 /* of each name in where */
	uint32_t *table;	 /* pair -> position + 1 of its first occurrence */
	uint64_t *hashes;	 /* of prefixes */
	uint64_t *powers;
	size_t mask;
	struct dp_hash_key key; /* of the table */
	struct bin bins[BINS];
	struct dp_guess *out;
	size_t out_count, out_room;
};

/* Names pairs (names[p], names[p + k]); returns how many names there are. */
static uint32_t widen(struct detector *d, size_t k, size_t count)
{
	uint32_t next = 0;

	memset(d->table, 0, (d->mask + 1) * sizeof(*d->table));
	for (size_t p = 0; p < count; p++) {
		uint32_t a = d->names[p], b = d->names[p + k];
		uint64_t h = dp_hash__add(&d->key, d->key.a, (uint64_t)a << 32 | b);
		size_t slot = (size_t)h & d->mask;
		size_t q;

		for (; d->table[slot]; slot = (slot + 1) & d->mask) {
			q = d->table[slot] - 1;
			if (d->names[q] == a && d->names[q + k] == b)
				break;
		}
		if (d->table[slot]) {
			d->wider[p] = d->wider[d->table[slot] - 1];
		} else {
			d->table[slot] = (uint32_t)p + 1;
			d->wider[p] = next++;
		}
	}
	return next;
}

/* Names single symbols densely, in order of appearance. */
static uint32_t name_symbols(struct detector *d)
{
	uint32_t next = 0;

	for (size_t p = 0; p < d->n; p++) {
		uint64_t h = dp_hash__add(&d->key, d->key.a, d->symbols[p]);
		size_t slot = (size_t)h & d->mask;

		while (d->table[slot] && d->symbols[d->table[slot] - 1] != d->symbols[p])
			slot = (slot + 1) & d->mask;
		if (d->table[slot]) {
			d->names[p] = d->names[d->table[slot] - 1];
		} else {
			d->table[slot] = (uint32_t)p + 1;
			d->names[p] = next++;
		}
	}
	return next;
}

/* Positions by name: a counting sort. */
static void group(struct detector *d, size_t count, uint32_t name_count)
{
	memset(d->starts, 0, ((size_t)name_count + 1) * sizeof(*d->starts));
	for (size_t p = 0; p < count; p++)
		d->starts[d->names[p] + 1]++;
	for (uint32_t i = 0; i < name_count; i++)
		d->starts[i + 1] += d->starts[i];
	for (size_t p = 0; p < count; p++)
		d->where[d->starts[d->names[p]]++] = (uint32_t)p;
	for (uint32_t i = name_count; i > 0; i--)
		d->starts[i] = d->starts[i - 1];
	d->starts[0] = 0;
}

static double median_gap(const uint32_t *where, size_t count)
{
	uint32_t gaps[GAPS_MAX] = { 0 };
	size_t n = DP_MIN(count - 1, (size_t)GAPS_MAX);

	for (size_t i = 0; i < n; i++) {
		size_t at = i * (count - 1) / n;

		gaps[i] = where[at + 1] - where[at];
	}
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && gaps[k] < gaps[k - 1]; k--) {
			uint32_t swap = gaps[k];

			gaps[k] = gaps[k - 1];
			gaps[k - 1] = swap;
		}
	return gaps[n / 2];
}

static int bin_of(double gap)
{
	int bin = (int)(log(gap) / log(1.04));

	return DP_MIN(DP_MAX(bin, 0), BINS - 1);
}

static void consider(struct detector *d, size_t first, size_t count, int level)
{
	const uint32_t *where = d->where + first;
	double gap = median_gap(where, count), covered = 0, near = 0, score;
	struct bin *bin = &d->bins[bin_of(gap)];
	struct lead lead;

	for (size_t i = 0; i + 1 < count; i++) {
		double g = (double)(where[i + 1] - where[i]);

		if (g >= 0.5 * gap && g <= 1.6 * gap)
			covered += g;
		near += g >= 0.9 * gap && g <= 1.11 * gap;
	}
	near /= (double)(count - 1);
	score = covered / (double)d->n * (0.4 + 0.6 * near);
	lead = (struct lead){ first, count, gap, score, near };
	bin->votes++;
	bin->level = level;
	if (score > bin->lead.score)
		bin->lead = lead;
}

/* Windows. */

static uint64_t hash_window(const struct detector *d, size_t at, size_t length)
{
	return d->hashes[at + length] - d->hashes[at] * d->powers[length];
}

static void hash_prefixes(struct detector *d)
{
	d->powers[0] = 1;
	d->hashes[0] = 0;
	for (size_t i = 0; i < d->n; i++) {
		d->powers[i + 1] = d->powers[i] * 0x9e3779b97f4a7c15u;
		d->hashes[i + 1] = d->hashes[i] * 0x9e3779b97f4a7c15u + d->symbols[i] + 1;
	}
}

struct window {
	uint64_t hash;
	size_t at, length;
};

static int by_hash(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_length(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Of windows sorted by hash the first of those most often there. */
static size_t modal(const struct window *windows, size_t n, size_t *times)
{
	size_t best = 0, i = 0;

	*times = 0;
	while (i < n) {
		size_t j = i;

		while (j < n && windows[j].hash == windows[i].hash)
			j++;
		if (j - i > *times || (j - i == *times && windows[i].at < windows[best].at)) {
			*times = j - i;
			best = i;
		}
		i = j;
	}
	return best;
}

static size_t common(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	size_t i = 0, j = 0, same = 0;

	while (i < n && j < m) {
		if (a[i] == b[j])
			same++, i++, j++;
		else if (a[i] < b[j])
			i++;
		else
			j++;
	}
	return same;
}

/*
 * The window that shares most with the others, of a few with lengths about the median; shares are
 * of symbols without order, which is enough to leave out windows that are disturbed.
 */
static size_t medoid(struct detector *d, struct window *windows, size_t n)
{
	size_t count = DP_MIN(n, (size_t)MEDOID_MAX), low = (n - count) / 2, best = low;
	uint32_t *sorted[MEDOID_MAX] = { 0 }, *scratch;
	double most = -1;

	qsort(windows, n, sizeof(*windows), by_length);
	scratch = dp_alloc__array(windows[low + count - 1].length, sizeof(*scratch));
	if (!scratch)
		goto out; /* the median window has to do */
	for (size_t i = 0; i < count; i++) {
		struct window *w = &windows[low + i];

		sorted[i] = dp_alloc__array(w->length, sizeof(**sorted));
		if (!sorted[i])
			goto out;
		memcpy(sorted[i], d->symbols + w->at, w->length * sizeof(**sorted));
		dp_sort__u32(sorted[i], scratch, w->length);
	}
	for (size_t i = 0; i < count; i++) {
		double sum = 0;

		for (size_t j = 0; j < count; j++) {
			size_t a = windows[low + i].length, b = windows[low + j].length;

			sum += 2.0 * (double)common(sorted[i], a, sorted[j], b) / (double)(a + b);
		}
		if (sum > most) {
			most = sum;
			best = low + i;
		}
	}
out:
	free(scratch);
	for (size_t i = 0; i < count; i++)
		free(sorted[i]);
	return best;
}

static int put_candidate(struct detector *d, const struct bin *bin)
{
	const struct lead *lead = &bin->lead;
	const uint32_t *where = d->where + lead->first;
	struct window *windows = dp_alloc__array(lead->count, sizeof(*windows));
	size_t n = 0, pick, times;

	if (!windows)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i + 1 < lead->count; i++) {
		size_t length = where[i + 1] - where[i];

		if ((double)length >= 0.5 * lead->gap && (double)length <= 1.6 * lead->gap)
			windows[n++] = (struct window){ hash_window(d, where[i], length), where[i],
							length };
	}
	if (n == 0)
		goto out;
	qsort(windows, n, sizeof(*windows), by_hash);
	pick = modal(windows, n, &times);
	if (times < 2 || times * 12 < n)
		pick = medoid(d, windows, n);
	d->out[d->out_count++] = (struct dp_guess){
		.at = windows[pick].at,
		.length = windows[pick].length,
		.gram = (size_t)1 << bin->level,
		.trips = n,
		.score = lead->score * pow((double)bin->votes, 0.1),
		.regular = lead->regular,
	};
out:
	free(windows);
	return DP_OK;
}

static int by_bin_score(const void *a, const void *b)
{
	const struct bin *x = *(const struct bin *const *)a, *y = *(const struct bin *const *)b;
	double p = x->lead.score * pow((double)x->votes, 0.1);
	double q = y->lead.score * pow((double)y->votes, 0.1);

	if (p != q)
		return p > q ? -1 : 1;
	return x->lead.gap < y->lead.gap ? -1 : 1;
}

/* The candidates of one level: from the best bins, those that were not as good before. */
static int harvest(struct detector *d, size_t share)
{
	struct bin *order[BINS];
	size_t n = 0;
	int status = DP_OK;

	for (int i = 0; i < BINS; i++)
		if (d->bins[i].lead.score > 0.02)
			order[n++] = &d->bins[i];
	qsort(order, n, sizeof(*order), by_bin_score);
	for (size_t i = 0; i < n && i < share && d->out_count < d->out_room && !status; i++)
		status = put_candidate(d, order[i]);
	return status;
}

static int by_score(const void *a, const void *b)
{
	const struct dp_guess *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int find(struct detector *d)
{
	size_t share = DP_MAX(d->out_room / LEVELS, 1), count = d->n;
	uint32_t name_count = name_symbols(d), *swap;
	int status = DP_OK;

	hash_prefixes(d);
	for (int level = 0; level < LEVELS && !status; level++) {
		size_t k = (size_t)1 << level;

		memset(d->bins, 0, sizeof(d->bins));
		group(d, count, name_count);
		for (uint32_t i = 0; i < name_count; i++) {
			size_t c = d->starts[i + 1] - d->starts[i];

			if (c >= d->least)
				consider(d, d->starts[i], c, level);
		}
		status = harvest(d, share);
		if (2 * k >= d->n)
			break;
		count = d->n - 2 * k + 1;
		name_count = widen(d, k, count);
		swap = d->names;
		d->names = d->wider;
		d->wider = swap;
	}
	return status;
}

int dp_detect__candidates(struct dp_guess *candidates, size_t room, const uint32_t *symbols,
			  size_t n, size_t least)
{
	struct detector *d;
	size_t slots = 64;
	int status = DP_ERR_NOMEM;

	if (n < 2 || n >= UINT32_MAX / 4 || room == 0)
		return 0;
	d = calloc(1, sizeof(*d));
	if (!d)
		return DP_ERR_NOMEM;
	while (slots < n * 2)
		slots *= 2;
	d->symbols = symbols;
	d->n = n;
	d->least = DP_MAX(least, 2);
	d->mask = slots - 1;
	dp_hash__draw(&d->key);
	d->out = candidates;
	d->out_room = room;
	d->names = dp_alloc__array(n, sizeof(*d->names));
	d->wider = dp_alloc__array(n, sizeof(*d->wider));
	d->where = dp_alloc__array(n, sizeof(*d->where));
	d->starts = dp_alloc__array(n + 2, sizeof(*d->starts));
	d->table = dp_alloc__zeroed(slots, sizeof(*d->table));
	d->hashes = dp_alloc__array(n + 1, sizeof(*d->hashes));
	d->powers = dp_alloc__array(n + 1, sizeof(*d->powers));
	if (d->names && d->wider && d->where && d->starts && d->table && d->hashes && d->powers)
		status = find(d);
	if (!status) {
		qsort(candidates, d->out_count, sizeof(*candidates), by_score);
		status = (int)d->out_count;
	}
	free(d->names);
	free(d->wider);
	free(d->where);
	free(d->starts);
	free(d->table);
	free(d->hashes);
	free(d->powers);
	free(d);
	return status;
}
