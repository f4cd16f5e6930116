/*
 * Loops that are rare or short against the whole: a program whose main loop makes up nearly all of
 * the sequence runs another loop once, of at least five iterations of at least eight kernels that
 * make up 0.01% of the kernels or more, at any place, clean or with 1% of the kernels inserted,
 * lost or renamed. Half of its kernels are the main loop's. Printed are F of the first kernels,
 * strict and with one shift for the loop, of both loops, and how often the rare one is listed.
 *
 *     eval_rare [-s FIRST] [-n SEEDS] [-k KERNELS] [-v]
 */
#include "../sim/rng.h"
#include "loops/loops.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct text {
	uint32_t *symbols;
	size_t n, room;
	struct sim_rng rng;
	uint32_t edits; /* millionths */
	uint32_t alphabet;
};

struct truth {
	size_t *starts;
	size_t count, room;
};

struct score {
	double hit, free, found, truth;
};

struct row {
	struct score loop[2];
	size_t runs, listed;
	double seconds, symbols;
};

enum { SHIFT = 1024 }; /* kernels that all iterations may be off by */

static bool verbose;

static void grow(void *data, size_t *room, size_t need, size_t size)
{
	if (dp_array__reserve(data, room, need, size)) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
}

static void put(struct text *t, uint32_t symbol)
{
	grow(&t->symbols, &t->room, t->n + 1, sizeof(*t->symbols));
	t->symbols[t->n++] = symbol;
}

/* One iteration; its first kernel is never edited, so that the truth is unambiguous. */
static void emit(struct text *t, struct truth *truth, const uint32_t *body, size_t m)
{
	grow(&truth->starts, &truth->room, truth->count + 1, sizeof(*truth->starts));
	truth->starts[truth->count++] = t->n;
	put(t, body[0]);
	for (size_t i = 1; i < m; i++) {
		bool edit = sim_rng_chance(&t->rng, t->edits) && i + 1 < m;
		uint32_t kind = edit ? sim_rng_below(&t->rng, 3) : 3;

		if (kind == 0)
			put(t, sim_rng_below(&t->rng, t->alphabet));
		if (kind != 1)
			put(t, kind == 2 ? sim_rng_below(&t->rng, t->alphabet) : body[i]);
	}
}

static uint32_t *make_body(struct text *t, size_t m, uint32_t names, uint32_t own_from,
			   uint32_t own)
{
	uint32_t *body = dp_alloc__array(m, sizeof(*body));

	if (!body)
		exit(1);
	for (size_t i = 0; i < m; i++)
		body[i] = own && sim_rng_below(&t->rng, 2) ? own_from + sim_rng_below(&t->rng, own)
							   : sim_rng_below(&t->rng, names);
	if (own)
		body[0] = own_from;
	return body;
}

static struct score judge(const struct dp_loops *loops, const struct truth *truth)
{
	struct score best = { 0, 0, 0, (double)truth->count };
	double best_f = -1;

	for (size_t l = 0; l < loops->count; l++) {
		const struct dp_sequence_loop *loop = &loops->loops[l];
		struct score s = { 0, 0, 0, (double)truth->count };
		size_t j = 0, votes[2 * SHIFT] = { 0 };
		double f;

		for (size_t i = 0; i < loop->count; i++) {
			size_t at = loop->iterations[i].first;

			if (loop->iterations[i].partial)
				continue;
			s.found++;
			while (j + 1 < truth->count && truth->starts[j + 1] <= at)
				j++;
			s.hit += at == truth->starts[j];
			/* a shift may be to either side */
			for (size_t k = j; k < DP_MIN(j + 2, truth->count); k++)
				if (truth->starts[k] < at + SHIFT && at < truth->starts[k] + SHIFT)
					votes[at + SHIFT - truth->starts[k]]++;
		}
		for (size_t d = 0; d < DP_COUNT(votes); d++)
			s.free = DP_MAX(s.free, (double)votes[d]);
		f = s.free / (s.found + s.truth) + s.hit / (s.found + s.truth) / 1000;
		if (f > best_f) {
			best_f = f;
			best = s;
		}
	}
	return best;
}

static double f_of(double hit, const struct score *s)
{
	return s->found + s->truth > 0 ? 2 * hit / (s->found + s->truth) : 1;
}

static void add(struct score *to, const struct score *s)
{
	to->hit += s->hit;
	to->free += s->free;
	to->found += s->found;
	to->truth += s->truth;
}

static void evaluate(uint64_t seed, size_t kernels, bool is_long, uint32_t edits, struct row *row)
{
	struct text t = { .edits = edits };
	struct truth truth[2] = { { 0 } };
	struct dp_loops_request r = { .epsilon = 1 };
	struct dp_loops *loops;
	struct timespec a, b;
	size_t m[2], count[2], at;
	uint32_t *body[2], names = 60;

	sim_rng_init(&t.rng, seed, is_long);
	m[0] = sim_rng_between(&t.rng, 200, 1500);
	m[1] = is_long ? sim_rng_between(&t.rng, 60, 400) : sim_rng_between(&t.rng, 8, 30);
	count[0] = kernels / m[0];
	count[1] = DP_MAX((size_t)5 + sim_rng_below(&t.rng, 6), kernels / 10000 / m[1] + 1);
	t.alphabet = names + 12;
	body[0] = make_body(&t, m[0], names, 0, 0);
	body[1] = make_body(&t, m[1], names, names, 12);
	at = sim_rng_below(&t.rng, (uint32_t)count[0] + 1);
	for (size_t i = 0; i <= count[0]; i++) {
		for (size_t k = 0; i == at && k < count[1]; k++)
			emit(&t, &truth[1], body[1], m[1]);
		if (i < count[0])
			emit(&t, &truth[0], body[0], m[0]);
	}
	r.symbols = t.symbols;
	r.count = t.n;
	r.alphabet = t.alphabet;
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (dp_loops__find(&loops, &r, NULL))
		exit(1);
	clock_gettime(CLOCK_MONOTONIC, &b);
	row->seconds += (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
	row->symbols += (double)t.n;
	row->runs++;
	for (size_t k = 0; k < 2; k++) {
		struct score s = judge(loops, &truth[k]);

		add(&row->loop[k], &s);
		row->listed += k == 1 && f_of(s.free, &s) >= 0.9;
		if (verbose && f_of(s.hit, &s) < 0.99)
			printf("  seed %llu: %s loop of %zu × %zu at %zu of %zu: strict %.3f "
			       "free %.3f\n",
			       (unsigned long long)seed, k ? "rare" : "main", count[k], m[k],
			       truth[1].starts[0], t.n, f_of(s.hit, &s), f_of(s.free, &s));
	}
	if (verbose)
		for (size_t l = 0; l < loops->count; l++)
			printf("    loop %zu: %zu × %zu from %zu, confidence %.2f%s\n", l,
			       loops->loops[l].count, loops->loops[l].length,
			       loops->loops[l].iterations[0].first, 
			       dp_confidence__of(&loops->loops[l].confidence),
			       loops->loops[l].chosen ? " selected" : "");
	dp_loops__free(loops);
	for (size_t k = 0; k < 2; k++) {
		free(body[k]);
		free(truth[k].starts);
	}
	free(t.symbols);
}

int main(int argc, char **argv)
{
	uint64_t first = 100;
	size_t seeds = 20, kernels = 1000000;
	int option;

	while ((option = getopt(argc, argv, "s:n:k:v")) != -1) {
		if (option == 's')
			first = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			seeds = strtoull(optarg, NULL, 10);
		else if (option == 'k')
			kernels = (size_t)strtod(optarg, NULL);
		else if (option == 'v')
			verbose = true;
		else
			return 2;
	}
	printf("%zu kernels, seeds %llu to %llu\n", kernels, (unsigned long long)first,
	       (unsigned long long)(first + seeds - 1));
	printf("rare iterations  edits  main F  rare F  rare free  listed  ns/symbol\n");
	for (int form = 0; form < 4; form++) {
		struct row row = { .runs = 0 };

		for (uint64_t s = first; s < first + seeds; s++)
			evaluate(s, kernels, form & 1, form & 2 ? 10000 : 0, &row);
		printf("%-15s %5s%%  %6.3f  %6.3f  %9.3f  %2zu/%-3zu  %9.1f\n",
		       form & 1 ? "60-400" : "8-30", form & 2 ? "1" : "0",
		       f_of(row.loop[0].hit, &row.loop[0]), f_of(row.loop[1].hit, &row.loop[1]),
		       f_of(row.loop[1].free, &row.loop[1]), row.listed, row.runs,
		       row.seconds * 1e9 / row.symbols);
		fflush(stdout);
	}
	return 0;
}
