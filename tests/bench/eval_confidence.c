/*
 * Loops with the features of their confidence and whether they are right, for confidence.py, which
 * fits the weights to some seeds and judges the result by others. Every loop that the search comes
 * upon is judged, those that are not listed included.
 *
 * Families of programs, whole and with few iterations, names only and with launch records; single
 * passes also one and a half, and with their layers captured as graphs; with the right number of
 * iterations and with a wrong one.
 *
 *     eval_confidence FIRST SEEDS > loops.csv
 */
#include "../sim/families.h"
#include "loops/searches.h"

#include <stdio.h>
#include <string.h>

/* A loop that shares three of four iterations with the program's, wherever they begin. */
#define IS_LOOP 0.75
#define IS_RIGHT 0.99

enum {
	PROGRAMS = 60, /* for each seed: as many as of families */
	MODES = 3,     /* whole; cut; cut, with launch records */
};

static const char *scenario;
static unsigned long long seed_now;

static double f_of(double hit, size_t found, size_t truth)
{
	return found + truth ? 2 * hit / (double)(found + truth) : 1;
}

static size_t starts_of(const struct dp_sequence_loop *loop, size_t *starts)
{
	size_t n = 0;

	for (size_t i = 0; i < loop->count; i++)
		if (!loop->iterations[i].partial)
			starts[n++] = loop->iterations[i].first;
	return n;
}

/* Starts that are true ones. */
static double hits(const size_t *found, size_t n, const struct family_loop *truth)
{
	size_t i = 0, j = 0, same = 0;

	while (i < n && j < truth->count) {
		same += found[i] == truth->starts[j];
		if (found[i] < truth->starts[j])
			i++;
		else if (found[i] > truth->starts[j])
			j++;
		else
			i++, j++;
	}
	return (double)same;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The most starts that are off by about the same number of symbols. */
static double shifted_hits(const size_t *found, size_t n, const struct family_loop *truth)
{
	int64_t *off = malloc((n + 1) * sizeof(*off)), wide;
	size_t j = 0, count = 0, low = 0, best = 0;

	if (!off)
		exit(1);
	wide = truth->count ? (int64_t)((truth->ends[0] - truth->starts[0]) / 25) + 1 : 0;
	for (size_t i = 0; i < n && truth->count; i++) {
		while (j + 1 < truth->count && truth->starts[j + 1] <= found[i])
			j++;
		if (found[i] >= truth->starts[j] && found[i] < truth->ends[j])
			off[count++] = (int64_t)(found[i] - truth->starts[j]);
	}
	qsort(off, count, sizeof(*off), by_value);
	for (size_t i = 0; i < count; i++) {
		while (off[i] - off[low] > wide)
			low++;
		best = DP_MAX(best, i - low + 1);
	}
	free(off);
	/* a shift loses one at an end */
	if (count && n <= best + 1 && truth->count <= best + 1 && truth->count > 1)
		best = DP_MAX(n, truth->count);
	return (double)DP_MIN(best, truth->count);
}

static void judge(const struct dp_sequence_loop *loop, const struct family *f, bool listed)
{
	size_t *starts = malloc((loop->count + 1) * sizeof(*starts)), n;
	double strict = 0, shifted = 0;

	if (!starts)
		exit(1);
	n = starts_of(loop, starts);
	for (size_t k = 0; k < f->loop_count; k++) {
		const struct family_loop *truth = &f->loops[k];
		double s = f_of(hits(starts, n, truth), n, truth->count);
		double t = f_of(shifted_hits(starts, n, truth), n, truth->count);

		if (truth->count < 2)
			continue;
		strict = DP_MAX(strict, s);
		shifted = DP_MAX(shifted, t);
	}
	free(starts);
	/* of loops inside the iteration the truth knows nothing */
	if (!loop->chosen && shifted < IS_LOOP)
		return;
	printf("%s,%llu,%d,%d,%d", scenario, seed_now, listed, shifted >= IS_LOOP,
	       strict >= IS_RIGHT);
	for (size_t i = 0; i < DP_FEATURES; i++)
		printf(",%.6g", loop->confidence.feature[i]);
	printf(",%.6g,%.6g\n", loop->confidence.loop, loop->confidence.boundary);
}

static struct dp_loops_request request_of(const struct family *f, bool evidence)
{
	return (struct dp_loops_request){
		.symbols = f->symbols,
		.count = f->n,
		.alphabet = f->alphabet,
		.epsilon = 1,
		.evidence = { evidence ? family_evidence : NULL, (void *)(uintptr_t)f, evidence },
	};
}

/* All loops that the search comes upon: with keep_all set none is refused. */
static void search(const struct family *f, bool evidence)
{
	struct dp_loops_request r = request_of(f, evidence);

	for (int all = 0; all < 2; all++) {
		struct dp_loops loops = { 0 };
		struct dp_detection d = { .request = &r, .loops = &loops, .keep_all = all };

		d.sequence =
			(struct dp_search_sequence){ r.symbols, r.count, r.alphabet, NULL, NULL };
		if (dp_detection__tree(&d))
			exit(1);
		for (size_t i = 0; i < loops.count; i++) {
			bool listed = dp_confidence__listed(&loops.loops[i].confidence);

			if (listed != (bool)all)
				judge(&loops.loops[i], f, listed);
		}
		dp_loops__fini(&loops);
		dp_detection__fini(&d);
	}
}

/* With a number of iterations: what has it. */
static void search_count(const struct family *f, bool evidence, uint64_t count)
{
	struct dp_loops_request r = request_of(f, evidence);
	struct dp_error error = DP_ERROR_INIT;
	struct dp_loops *loops = NULL;

	if (!count || count > f->n)
		return;
	r.counts = &count;
	r.counts_count = 1;
	if (dp_loops__find(&loops, &r, &error))
		exit(1);
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].found_by == DP_FOUND_BY_COUNT)
			judge(&loops->loops[i], f, true);
	dp_loops__free(loops);
}

/* Keeps this many iterations of the first loop, and of the next one that many tenths. */
static void keep_few(struct family *f, size_t iterations, size_t tenths)
{
	const struct family_loop *l = &f->loops[0];
	size_t end;

	if (!f->loop_count || l->count <= iterations)
		return;
	end = l->starts[iterations];
	f->n = end + (l->ends[iterations] - end) * tenths / 10;
	for (size_t k = 0; k < f->loop_count; k++) {
		struct family_loop *loop = &f->loops[k];

		while (loop->count && loop->ends[loop->count - 1] > f->n)
			loop->count--;
	}
}

/* The end of a pass in front of it. */
static void add_half(struct family *f)
{
	size_t half = f->n / 2, n = f->n + half;
	uint32_t *symbols = malloc(n * sizeof(*symbols));
	struct dp_evidence_at *evidence = malloc(n * sizeof(*evidence));

	if (!symbols || !evidence)
		exit(1);
	memcpy(symbols, f->symbols + f->n - half, half * sizeof(*symbols));
	memcpy(symbols + half, f->symbols, f->n * sizeof(*symbols));
	memcpy(evidence, f->evidence + f->n - half, half * sizeof(*evidence));
	memcpy(evidence + half, f->evidence, f->n * sizeof(*evidence));
	free(f->symbols);
	free(f->evidence);
	f->symbols = symbols;
	f->evidence = evidence;
	f->n = f->room = n;
}

/* The layers of a pass are captured one by one: at the kernel that is most frequent. */
static void add_captures(struct family *f)
{
	size_t *seen = calloc(f->alphabet, sizeof(*seen)), most = 0;

	if (!seen)
		exit(1);
	for (size_t i = 0; i < f->n; i++)
		if (++seen[f->symbols[i]] > seen[f->symbols[most]])
			most = i;
	for (size_t i = 0; i < f->n; i++)
		f->evidence[i].after_capture = f->symbols[i] == f->symbols[most];
	free(seen);
}

/* Small programs, of which the families have few. */

static uint64_t state;

static size_t below(size_t n)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (size_t)((z ^ z >> 31) % n);
}

static bool chance(size_t percent)
{
	return below(100) < percent;
}

/* About as many in each octave. */
static size_t spread(size_t least, size_t octaves)
{
	size_t low = least << below(octaves);

	return low + below(low);
}

static void put(struct family *f, uint32_t name, bool boundary, const struct dp_evidence_at *with)
{
	struct dp_evidence_at *e = &f->evidence[f->n];

	if (f->n == f->room)
		return;
	*e = (struct dp_evidence_at){
		.kernel_gap_ns = 500 + (int64_t)below(1500),
		.launch_gap_ns =
			2000 + (int64_t)below(6000) + (chance(1) ? (int64_t)below(400000) : 0),
		.has_launch = true,
	};
	if (boundary) {
		e->launch_gap_ns += with->launch_gap_ns;
		e->after_upload = with->after_upload;
		e->after_sync = with->after_sync;
	}
	e->launch_interval_ns = e->launch_gap_ns + 5000;
	f->symbols[f->n++] = name;
	f->alphabet = DP_MAX(f->alphabet, name + 1);
}

/* What comes before a loop and behind: kernels of its own, some of them again and again. */
static void put_others(struct family *f, uint32_t names, size_t n)
{
	static const struct dp_evidence_at none;
	uint32_t name = names;

	for (size_t i = 0; i < n; i++) {
		if (!chance(30))
			name = names + (uint32_t)below(n);
		put(f, name, false, &none);
	}
}

/* Kernels of an iteration or a layer: a third come more than once, some in a row. */
static void invent(uint32_t *body, size_t n, uint32_t names)
{
	for (size_t i = 0; i < n; i++)
		body[i] = i && chance(15)   ? body[i - 1]
			  : i && chance(20) ? body[below(i)]
					    : names + (uint32_t)i;
}

enum { BODY = 1024, ROOM = 70000 };

static void put_loop(struct family *f, uint32_t names, bool is_true, bool partial)
{
	uint32_t body[BODY];
	size_t length = is_true ? spread(1, 9) + (chance(80) ? 1 : 0) : spread(4, 5);
	size_t n = is_true ? spread(2, 5) : 4 + below(44), noise = chance(25) ? 1 + below(3) : 0;
	struct family_loop *loop = is_true ? &f->loops[f->loop_count++] : NULL;
	struct dp_evidence_at with = {
		.launch_gap_ns = chance(70) ? (int64_t)spread(10000, 6) : 0,
		.after_upload = chance(40),
		.after_sync = chance(40),
	};
	bool first_differs = chance(30);
	size_t skip = partial ? below(length) : 0;

	if (!is_true)
		with = (struct dp_evidence_at){ .after_sync = chance(5) };
	if (loop) {
		*loop = (struct family_loop){ .name = "loop", .main = true };
		loop->starts = malloc(n * sizeof(*loop->starts));
		loop->ends = malloc(n * sizeof(*loop->ends));
		if (!loop->starts || !loop->ends)
			exit(1);
	}
	invent(body, length, names);
	for (size_t k = 0; k < n && f->n + 2 * length < f->room; k++) {
		size_t begin = f->n;

		for (size_t i = k ? 0 : skip; i < length; i++) {
			bool odd = (k == 0 && first_differs && chance(10)) || below(100) < noise;

			if (odd && chance(50))
				put(f, names + BODY + (uint32_t)below(8), false, &with);
			if (!odd || chance(50))
				put(f, odd ? names + BODY : body[i], i == 0, &with);
		}
		if (loop && (k || !skip) && f->n > begin) {
			loop->starts[loop->count] = begin;
			loop->ends[loop->count++] = f->n;
		}
	}
}

/* A program with a loop or two among other things, or a pass through a network. */
static void make_program(struct family *f, uint64_t seed)
{
	bool pass, partial;

	*f = (struct family){ .room = ROOM };
	f->symbols = malloc(ROOM * sizeof(*f->symbols));
	f->evidence = malloc(ROOM * sizeof(*f->evidence));
	if (!f->symbols || !f->evidence)
		exit(1);
	state = seed * 0x2545f4914f6cdd1du;
	state ^= state >> 29;
	pass = chance(35);
	partial = !pass && chance(30);
	if (!partial && (pass || chance(60)))
		put_others(f, 0, spread(1, pass ? 4 : 8));
	put_loop(f, 1000, !pass, partial);
	if (!pass && chance(25)) {
		put_others(f, 4000, spread(1, 6));
		put_loop(f, 5000, true, false);
	}
	if (pass || chance(60))
		put_others(f, 8000, spread(1, pass ? 4 : 8));
	for (size_t k = 0; k < f->loop_count; k++) /* they may have been lost */
		if (f->loops[k].count < 2)
			f->loops[k].count = 0;
}

static void evaluate_program(uint64_t seed)
{
	struct family f;

	make_program(&f, seed);
	if (!f.loop_count && seed % 10 == 0)
		add_half(&f);
	seed_now = (unsigned long long)seed;
	for (int evidence = 0; evidence < 2; evidence++) {
		if (evidence && !f.loop_count && seed % 4 == 0)
			add_captures(&f);
		scenario = f.loop_count ? evidence ? "program-launches" : "program-names"
			   : evidence	? "pass-launches"
					: "pass-names";
		search(&f, evidence);
		if (seed % 8 == 0 && f.loop_count)
			search_count(&f, evidence, f.loops[0].count);
	}
	family_free(&f);
}

/* Another family in each mode: what is found in one of a seed is found in the others, too. */
static void evaluate(enum family_kind kind, uint64_t first, int mode, bool few)
{
	static const size_t iterations[] = { 2, 3, 4, 5, 6, 8, 12, 16 };
	bool evidence = mode == 2, pass = kind == FAMILY_SINGLE_PASS;
	uint64_t seed =
		((first * FAMILY_COUNT + (uint64_t)kind) * MODES + (uint64_t)mode) * 2 + few;
	char name[64];
	struct family f;

	family_make(&f, kind, seed, mode > 0, 0);
	state = seed;
	if (few && !pass)
		keep_few(&f, iterations[below(DP_COUNT(iterations))],
			 chance(50) ? 0 : 3 + below(6));
	if (few && pass && chance(50))
		add_half(&f);
	if (few && pass && evidence)
		add_captures(&f);
	snprintf(name, sizeof(name), "%s-%d%s", family_name(kind), mode, few ? "-few" : "");
	scenario = name;
	seed_now = (unsigned long long)first;
	search(&f, evidence);
	if (f.loop_count && !few && chance(50))
		search_count(&f, evidence, f.loops[0].count);
	if (!few && chance(25))
		search_count(&f, evidence, 2 + below(60));
	family_free(&f);
}

int main(int argc, char **argv)
{
	uint64_t first, seeds;

	if (argc != 3)
		return 2;
	first = strtoull(argv[1], NULL, 10);
	seeds = strtoull(argv[2], NULL, 10);
	printf("scenario,seed,listed,loop,right");
	for (size_t i = 0; i < DP_FEATURES; i++)
		printf(",%s", dp_feature_table[i].name);
	printf(",p_loop,p_boundary\n");
	for (uint64_t seed = first * PROGRAMS; seed < (first + seeds) * PROGRAMS; seed++)
		evaluate_program(seed);
	for (uint64_t seed = first; seed < first + seeds; seed++)
		for (int kind = 0; kind < FAMILY_COUNT; kind++)
			for (int mode = 0; mode < MODES; mode++)
				for (int few = 0; few < 2; few++)
					evaluate((enum family_kind)kind, seed, mode, few);
	return 0;
}
