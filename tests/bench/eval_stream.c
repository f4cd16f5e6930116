/*
 * The detector next to the analysis of the whole: per family of programs and over many seeds, how
 * many of the iterations are the same, from the first symbol on and once it has settled. As the
 * detector has none, the end of the sequence is no evidence for the analysis (-c: it is).
 *
 * An iteration is the same if both its ends are; true ones are compared by their first kernels. It
 * has settled after half of the feed (which may be a few iterations), as it has for a feed that is
 * twice as long. Thresholds are tuned with seeds 1000 to 1019; what is quoted is judged with those
 * from 7000 on.
 *
 *     eval_stream [-s FIRST] [-n SEEDS] [-f FAMILY] [-w WINDOW] [-z SIZE] [-e] [-c] [-v]
 */
#include "../sim/families.h"

#include <deepprof/detector.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct piece {
	uint64_t first, end;
};

struct pieces {
	struct piece *items;
	size_t count, room;
};

struct reported {
	struct pieces its;
	size_t loops, ended;
	uint64_t settled; /* symbols fed when a loop was established or ended last */
	struct dp_detector *detector;
};

struct share {
	double same, reported, batch;
};

struct row {
	struct share all, settled, reported_true,
		batch_true; /* the latter two: settled, to the truth */
	struct share known; /* since a loop was established or ended last */
	size_t runs, loops, exact;
	double ns, symbols, bytes;
};

static bool verbose, closed;

static void add(struct pieces *p, uint64_t first, uint64_t end)
{
	if (dp_array__reserve(&p->items, &p->room, p->count + 1, sizeof(*p->items)))
		exit(1);
	p->items[p->count++] = (struct piece){ first, end };
}

static void on_loop(void *ctx, const struct dp_detector_loop *loop)
{
	struct reported *t = ctx;

	t->loops++;
	t->settled = loop->at;
	if (verbose)
		printf("    at %llu: loop %u of %zu, confidence %.3f\n",
		       (unsigned long long)loop->at, loop->id, loop->length, loop->confidence);
}

static void on_iteration(void *ctx, const struct dp_detector_iteration *it)
{
	struct reported *t = ctx;

	if (!it->partial)
		add(&t->its, it->first, it->first + it->count);
}

static void on_end(void *ctx, uint32_t loop)
{
	struct reported *t = ctx;

	t->ended++;
	t->settled = dp_detector_fed(t->detector);
	if (verbose)
		printf("    loop %u ends\n", loop);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_first(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void run_batch(struct pieces *p, const struct family *f)
{
	struct dp_loops_request r = {
		.symbols = f->symbols, .count = f->n, .alphabet = f->alphabet, .epsilon = 1
	};
	struct dp_loops *loops;

	r.evidence.open_end = !closed;
	if (dp_loops__find(&loops, &r, NULL))
		exit(1);
	for (size_t k = 0; k < loops->count; k++) {
		const struct dp_sequence_loop *loop = &loops->loops[k];

		if (verbose)
			printf("    batch %zu: length %zu, %zu iterations, confidence %.3f%s\n", k,
			       loop->length, loop->count,
			       dp_confidence__of(&loop->confidence),
			       loop->chosen ? " chosen" : "");
		for (size_t i = 0; loop->chosen && i < loop->count; i++)
			if (!loop->iterations[i].partial)
				add(p, loop->iterations[i].first, loop->iterations[i].end);
	}
	if (p->count > 0)
		qsort(p->items, p->count, sizeof(*p->items), by_first);
	dp_loops__free(loops);
}

static double run_stream(struct reported *t, const struct family *f, size_t window, double *bytes)
{
	struct dp_detector_options o = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *d;
	double start, ns;

	o.window = window;
	o.ctx = t;
	o.loop = on_loop;
	o.iteration = on_iteration;
	o.end = on_end;
	if (dp_detector_new(&d, &o, NULL))
		exit(1);
	t->detector = d;
	start = now();
	for (size_t i = 0; i < f->n; i += 4096) {
		if (dp_detector_feed(d, f->symbols + i, DP_MIN((size_t)4096, f->n - i), NULL))
			exit(1);
		*bytes = DP_MAX(*bytes, (double)dp_detector_bytes(d));
	}
	if (dp_detector_finish(d, NULL))
		exit(1);
	ns = now() - start;
	dp_detector_free(d);
	return ns;
}

static struct share compare(const struct pieces *reported, const struct pieces *batch,
			    uint64_t from, bool ends)
{
	struct share s = { 0 };
	size_t i = 0, j = 0;

	while (i < reported->count || j < batch->count) {
		const struct piece *a = i < reported->count ? &reported->items[i] : NULL;
		const struct piece *b = j < batch->count ? &batch->items[j] : NULL;

		if (a && b && a->first == b->first) {
			s.reported += a->first >= from;
			s.batch += a->first >= from;
			s.same += a->first >= from && (!ends || a->end == b->end);
			i++, j++;
		} else if (!b || (a && a->first < b->first)) {
			s.reported += a->first >= from;
			i++;
		} else {
			s.batch += b->first >= from;
			j++;
		}
	}
	return s;
}

static void sum_up(struct share *to, const struct share *s)
{
	to->same += s->same;
	to->reported += s->reported;
	to->batch += s->batch;
}

static double f_of(const struct share *s)
{
	return s->reported + s->batch > 0 ? 2 * s->same / (s->reported + s->batch) : 1;
}

static void add_truth(struct pieces *p, const struct family *f)
{
	for (size_t k = 0; k < f->loop_count; k++)
		for (size_t i = 0; f->loops[k].main && i < f->loops[k].count; i++)
			add(p, f->loops[k].starts[i], f->loops[k].ends[i]);
	if (p->count > 0)
		qsort(p->items, p->count, sizeof(*p->items), by_first);
}

/* What is the one's alone, from a position on. */
static void print_alone(const char *who, const struct pieces *p, const struct pieces *other,
			uint64_t from)
{
	size_t j = 0;

	for (size_t i = 0; i < p->count; i++) {
		while (j < other->count && other->items[j].first < p->items[i].first)
			j++;
		if (p->items[i].first < from ||
		    (j < other->count && other->items[j].first == p->items[i].first &&
		     other->items[j].end == p->items[i].end))
			continue;
		printf("      %s alone: %llu to %llu\n", who, (unsigned long long)p->items[i].first,
		       (unsigned long long)p->items[i].end);
	}
}

static void evaluate(struct row *row, enum family_kind kind, uint64_t seed, bool head, size_t size,
		     size_t window)
{
	struct reported reported = { { 0 } };
	struct pieces batch = { 0 }, truth = { 0 };
	struct share all, settled, known, reported_true, batch_true;
	struct family f;
	double bytes = 0;

	family_make(&f, kind, seed, head, size);
	if (verbose)
		printf("  %s seed %llu, %zu symbols\n", family_name(kind), (unsigned long long)seed,
		       f.n);
	run_batch(&batch, &f);
	row->ns += run_stream(&reported, &f, window, &bytes);
	row->symbols += (double)f.n;
	row->bytes = DP_MAX(row->bytes, bytes / (double)DP_MIN(window, f.n));
	row->runs++;
	row->loops += reported.loops;
	all = compare(&reported.its, &batch, 0, true);
	settled = compare(&reported.its, &batch, f.n / 2, true);
	known = compare(&reported.its, &batch, DP_MIN(reported.settled, f.n), true);
	add_truth(&truth, &f);
	reported_true = compare(&reported.its, &truth, f.n / 2, false);
	batch_true = compare(&batch, &truth, f.n / 2, false);
	if (verbose) {
		printf("    %zu reported, %zu batch; F %.4f, settled %.4f; true %.4f and %.4f\n",
		       reported.its.count, batch.count, f_of(&all), f_of(&settled),
		       f_of(&reported_true), f_of(&batch_true));
		print_alone("reported", &reported.its, &batch, f.n / 2);
		print_alone("batch", &batch, &reported.its, f.n / 2);
	}
	row->exact += f_of(&settled) >= 1;
	sum_up(&row->all, &all);
	sum_up(&row->settled, &settled);
	sum_up(&row->known, &known);
	sum_up(&row->reported_true, &reported_true);
	sum_up(&row->batch_true, &batch_true);
	free(reported.its.items);
	free(batch.items);
	free(truth.items);
	family_free(&f);
}

int main(int argc, char **argv)
{
	uint64_t first = 7000;
	size_t window = (size_t)1 << 18, size = 0;
	int seeds = 20, only = -1, option;
	struct share sum = { 0 }, sum_known = { 0 };
	bool head = false;

	while ((option = getopt(argc, argv, "s:n:f:w:z:ecv")) != -1) {
		if (option == 's')
			first = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			seeds = atoi(optarg);
		else if (option == 'w')
			window = strtoull(optarg, NULL, 10);
		else if (option == 'z')
			size = strtoull(optarg, NULL, 10);
		else if (option == 'e')
			head = true;
		else if (option == 'c')
			closed = true;
		else if (option == 'v')
			verbose = true;
		for (int k = 0; option == 'f' && k < FAMILY_COUNT; k++)
			if (!strcmp(optarg, family_name((enum family_kind)k)))
				only = k;
	}
	printf("window %zu, seeds %llu to %llu, captures that begin %s\n", window,
	       (unsigned long long)first, (unsigned long long)first + (unsigned)seeds - 1,
	       head ? "inside an iteration" : "with an iteration");
	printf("%-13s %8s %8s %8s %8s %8s %9s %9s %9s %6s %6s %7s %6s\n", "family", "batch",
	       "reported", "F", "settled", "known", "reported true", "batch tr.", "all same",
	       "loops", "ns", "bytes/w", "ksym");
	for (int kind = 0; kind < FAMILY_COUNT; kind++) {
		struct row r = { { 0 } };

		if (only >= 0 && kind != only)
			continue;
		for (int i = 0; i < seeds; i++)
			evaluate(&r, (enum family_kind)kind, first + (uint64_t)i, head, size,
				 window);
		printf("%-13s %8.0f %8.0f %8.4f %8.4f %8.4f %9.4f %9.4f %6zu/%2zu %6.1f %6.0f %7.1f %6.0f\n",
		       family_name((enum family_kind)kind), r.all.batch, r.all.reported,
		       f_of(&r.all), f_of(&r.settled), f_of(&r.known), f_of(&r.reported_true),
		       f_of(&r.batch_true), r.exact, r.runs, (double)r.loops / (double)r.runs,
		       r.ns / r.symbols, r.bytes, r.symbols / 1000 / (double)r.runs);
		sum_up(&sum, &r.settled);
		sum_up(&sum_known, &r.known);
	}
	printf("%-13s %35.4f %8.4f\n", "all", f_of(&sum), f_of(&sum_known));
	return 0;
}
