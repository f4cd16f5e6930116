/*
 * How well iterations are found, per family of programs and over many seeds: precision, recall and
 * F of the first kernels of complete iterations, strict (the same kernel) and phase-free (one
 * shift for the whole loop allowed), with the published algorithm, given the number of iterations,
 * and the first lag of the autocorrelation next to it. Thresholds are tuned with seeds below 2000;
 * what is quoted is judged with seeds from 7000 on. A star marks families whose names alone cannot
 * say where an iteration begins: there phase-free F is what counts, and what the confidence says.
 *
 *     eval_loops [-s FIRST] [-n SEEDS] [-f FAMILY] [-k KERNELS] [-v]
 */
#include "../sim/families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct score {
	double hit, found, truth;
};

struct row {
	struct score strict, free, counted, paper, lag;
	double phantom, confidence, ns, symbols, level, order;
	size_t runs;
};

/* Calibration: of loops reported with a confidence, how many are right. */
static double bucket_all[10], bucket_right[10], bucket_strict[10];
static bool verbose;
static size_t kernels; /* of a program; 0: as its family has */

static double f_of(const struct score *s)
{
	return s->found + s->truth > 0 ? 2 * s->hit / (s->found + s->truth) : 1;
}

static void add(struct score *to, const struct score *s)
{
	to->hit += s->hit;
	to->found += s->found;
	to->truth += s->truth;
}

static struct score compare(const size_t *found, size_t n, const struct family_loop *truth)
{
	struct score s = { 0, (double)n, (double)truth->count };
	size_t i = 0, j = 0;

	while (i < n && j < truth->count) {
		if (found[i] == truth->starts[j])
			s.hit++, i++, j++;
		else if (found[i] < truth->starts[j])
			i++;
		else
			j++;
	}
	return s;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Hits where all starts may be shifted by about the same number of symbols. */
static struct score compare_free(const size_t *found, size_t n, const struct family_loop *truth)
{
	struct score s = { 0, (double)n, (double)truth->count };
	int64_t *d = malloc((n + 1) * sizeof(*d)), wide;
	size_t j = 0, best = 0, count = 0, low = 0;

	if (!d)
		exit(1);
	if (truth->count == 0 || n == 0)
		goto out;
	wide = (int64_t)((truth->ends[0] - truth->starts[0]) / 25) + 1;
	for (size_t i = 0; i < n; i++) {
		while (j + 1 < truth->count && truth->starts[j + 1] <= found[i])
			j++;
		if (found[i] >= truth->starts[j] && found[i] < truth->ends[j])
			d[count++] = (int64_t)(found[i] - truth->starts[j]);
	}
	qsort(d, count, sizeof(*d), by_value);
	for (size_t i = 0; i < count; i++) {
		while (d[i] - d[low] > wide)
			low++;
		best = DP_MAX(best, i - low + 1);
	}
	s.hit = DP_MIN((double)best, s.truth);
	if (s.hit + 1 >= s.truth && s.hit + 1 >= s.found) /* a shift loses one at an end */
		s.truth = s.found = s.hit;
out:
	free(d);
	return s;
}

static size_t starts_of(const struct dp_sequence_loop *loop, size_t *starts)
{
	size_t n = 0;

	for (size_t i = 0; i < loop->count; i++)
		if (!loop->iterations[i].partial)
			starts[n++] = loop->iterations[i].first;
	return n;
}

static struct dp_loops *run(const struct family *f, const uint64_t *counts, size_t n, bool paper,
			    bool evidence)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_loops *loops = NULL;
	struct dp_loops_request r = {
		.symbols = f->symbols,
		.count = f->n,
		.alphabet = f->alphabet,
		.counts = counts,
		.counts_count = n,
		.paper = paper,
		.epsilon = 1,
		.max_unmatched = 20,
		.evidence = { evidence ? family_evidence : NULL, (void *)(uintptr_t)f, evidence },
	};

	if (dp_loops__find(&loops, &r, &error)) {
		fprintf(stderr, "%s\n", error.message);
		exit(1);
	}
	return loops;
}

/* The best of the loops for a true one. */
static size_t best_loop(const struct dp_loops *loops, const struct family_loop *truth,
			struct score *strict, struct score *free_score)
{
	size_t index = SIZE_MAX;

	*strict = *free_score = (struct score){ 0, 0, (double)truth->count };
	for (size_t i = 0; i < loops->count; i++) {
		size_t *starts = malloc((loops->loops[i].count + 1) * sizeof(*starts)), n;
		struct score s, t;

		if (!starts)
			exit(1);
		n = starts_of(&loops->loops[i], starts);
		s = compare(starts, n, truth);
		t = compare_free(starts, n, truth);
		if (f_of(&s) > f_of(strict))
			*strict = s;
		if (f_of(&t) > f_of(free_score)) {
			*free_score = t;
			index = i;
		}
		free(starts);
	}
	return index;
}

/* The first lag at which at least 95% of the symbols are those before; boundaries from 0 on. */
static struct score by_lag(const struct family *f, const struct family_loop *truth)
{
	struct score s = { 0, 0, (double)truth->count };

	for (size_t lag = 2; lag < f->n / 2 && lag < 20000; lag++) {
		size_t same = 0, allowed = (f->n - lag) / 20, n = 0, *starts;

		for (size_t i = 0; i + lag < f->n && i - same <= allowed; i++)
			same += f->symbols[i] == f->symbols[i + lag];
		if (same * 20 < (f->n - lag) * 19)
			continue;
		starts = malloc((f->n / lag + 1) * sizeof(*starts));
		if (!starts)
			exit(1);
		for (size_t at = 0; at + lag <= f->n; at += lag)
			starts[n++] = at;
		s = compare(starts, n, truth);
		free(starts);
		break;
	}
	return s;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void judge_loops(const struct family *f, const struct dp_loops *loops, struct row *rows)
{
	bool used[64] = { false }, strictly[64] = { false };

	for (size_t k = 0; k < f->loop_count; k++) {
		struct score strict, shifted;
		size_t i = best_loop(loops, &f->loops[k], &strict, &shifted);

		add(&rows[k].strict, &strict);
		add(&rows[k].free, &shifted);
		rows[k].runs++;
		if (verbose && f_of(&strict) < 0.99)
			printf("    %s: strict %.3f free %.3f, truth %zu of %zu\n",
			       f->loops[k].name, f_of(&strict), f_of(&shifted), f->loops[k].count,
			       f->loops[k].count ? f->loops[k].ends[0] - f->loops[k].starts[0] : 0);
		if (i >= 64 || f_of(&shifted) < 0.9)
			continue;
		used[i] = true;
		strictly[i] |= f_of(&strict) >= 0.99;
		rows[k].confidence += dp_confidence__of(&loops->loops[i].confidence);
		rows[k].level += loops->loops[i].chosen == f->loops[k].main;
	}
	for (size_t i = 0; i < loops->count && i < 64; i++) {
		const struct dp_sequence_loop *loop = &loops->loops[i];
		double confidence = dp_confidence__of(&loop->confidence);
		int b = (int)(confidence * 9.999);

		if (verbose)
			printf("    loop %zu parent %d length %zu: %zu, confidence %.3f%s%s, phase %d, from %zu\n",
			       i, (int)loop->parent, loop->length, loop->count, confidence,
			       loop->chosen ? " chosen" : "", used[i] ? "" : " WRONG",
			       (int)loop->phase_by, loop->count ? loop->iterations[0].first : 0);
		if (!loop->chosen && !used[i])
			continue; /* layers, which the truth does not report */
		bucket_all[b]++;
		bucket_right[b] += used[i];
		bucket_strict[b] += strictly[i];
		if (dp_confidence__listed(&loop->confidence))
			rows[0].phantom += !used[i];
	}
}

/* The numbers that are given to find a loop: of a program with phases those of all of them. */
static size_t numbers_with(const struct family *f, size_t loop, uint64_t *counts)
{
	size_t n = 0;

	for (size_t k = 0; k < f->loop_count; k++)
		if (k == loop || (f->loops[loop].main && f->loops[k].main && f->loops[k].count))
			counts[n++] = f->loops[k].count;
	return n;
}

static void evaluate(enum family_kind kind, uint64_t seed, bool head, bool evidence,
		     struct row *rows)
{
	struct family f;
	struct dp_loops *loops;
	double start;

	family_make(&f, kind, seed, head, kernels);
	if (verbose)
		printf("  %s seed %llu n %zu\n", family_name(kind), (unsigned long long)seed, f.n);
	start = now();
	loops = run(&f, NULL, 0, false, evidence);
	rows[0].ns += (now() - start) * 1e9;
	rows[0].symbols += (double)f.n;
	if (f.loop_count == 0)
		rows[0].runs++;
	judge_loops(&f, loops, rows);
	dp_loops__free(loops);
	for (size_t k = 0; k < f.loop_count && !evidence; k++) {
		uint64_t count = f.loops[k].count, counts[FAMILY_LOOPS_MAX];
		struct score strict, shifted;

		if (!count)
			continue;
		loops = run(&f, counts, numbers_with(&f, k, counts), false, false);
		best_loop(loops, &f.loops[k], &strict, &shifted);
		add(&rows[k].counted, &shifted);
		dp_loops__free(loops);
		loops = run(&f, &count, 1, true, false);
		best_loop(loops, &f.loops[k], &strict, &shifted);
		add(&rows[k].paper, &strict);
		dp_loops__free(loops);
		strict = by_lag(&f, &f.loops[k]);
		add(&rows[k].lag, &strict);
	}
	family_free(&f);
}

/* What was not tried is no number. */
static void print_f(const struct score *s, bool tried)
{
	if (tried)
		printf(" %5.3f", f_of(s));
	else
		printf("     -");
}

static void print_row(const char *family, const char *loop, const struct row *r, bool adjacent,
		      bool ambiguous)
{
	double runs = r->runs ? (double)r->runs : 1;

	adjacent = adjacent && r->strict.truth > 0;
	printf("%-12s%c%-10s %5.3f %5.3f %5.3f %5.3f ", family, ambiguous ? '*' : ' ', loop,
	       r->strict.found > 0 ? r->strict.hit / r->strict.found : 1,
	       r->strict.truth > 0 ? r->strict.hit / r->strict.truth : 1, f_of(&r->strict),
	       f_of(&r->free));
	print_f(&r->counted, adjacent);
	print_f(&r->paper, adjacent);
	print_f(&r->lag, adjacent);
	printf("  %4.2f %4.2f  %5.2f", r->confidence / runs, r->level / runs, r->phantom / runs);
	if (r->symbols > 0)
		printf("  %5.0f\n", r->ns / r->symbols);
	else
		printf("      -\n");
}

int main(int argc, char **argv)
{
	uint64_t first = 7000;
	int seeds = 20, only = -1, option, from = 0, to = 3;
	static const char *const titles[] = {
		"captures that begin with an iteration, names only",
		"captures that begin inside one, names only",
		"captures that begin inside one, with launch records",
	};

	while ((option = getopt(argc, argv, "s:n:f:m:k:v")) != -1) {
		if (option == 's')
			first = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			seeds = atoi(optarg);
		else if (option == 'm')
			from = atoi(optarg), to = from + 1;
		else if (option == 'k')
			kernels = (size_t)strtod(optarg, NULL);
		else if (option == 'v')
			verbose = true;
		for (int k = 0; option == 'f' && k < FAMILY_COUNT; k++)
			if (!strcmp(optarg, family_name((enum family_kind)k)))
				only = k;
	}
	for (int mode = from; mode < to; mode++) {
		printf("%s; seeds %llu to %llu\n", titles[mode], (unsigned long long)first,
		       (unsigned long long)first + (unsigned)seeds - 1);
		printf("%-23s %5s %5s %5s %5s  %5s %5s %5s  %4s %4s  %5s  %5s\n", "family, loop",
		       "prec", "rec", "F", "free", "-n", "paper", "lag", "conf", "lvl", "wrong",
		       "ns");
		for (int kind = 0; kind < FAMILY_COUNT; kind++) {
			struct row rows[FAMILY_LOOPS_MAX] = { 0 };
			struct family f;

			if (only >= 0 && kind != only)
				continue;
			for (int i = 0; i < seeds; i++)
				evaluate((enum family_kind)kind, first + (uint64_t)i, mode > 0,
					 mode == 2, rows);
			family_make(&f, (enum family_kind)kind, first, mode > 0, 0);
			for (size_t k = 0; k < DP_MAX(f.loop_count, 1); k++)
				print_row(k ? "" : family_name((enum family_kind)kind),
					  f.loop_count ? f.loops[k].name : "-", &rows[k], mode < 2,
					  k == 0 && mode == 1 && f.loop_count && f.ambiguous);
			family_free(&f);
		}
	}
	printf("\nconfidence: loops, share of them right strictly, and but for the phase\n");
	for (int b = 0; b < 10; b++)
		if (bucket_all[b] > 0)
			printf("  %.1f  %6.0f  %.3f  %.3f\n", b / 10.0, bucket_all[b],
			       bucket_strict[b] / bucket_all[b], bucket_right[b] / bucket_all[b]);
	return 0;
}
