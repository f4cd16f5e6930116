/*
 * Time and memory of the suffix tree's parts, per symbol:
 *
 *	bench_suffix [-f FAMILY] [COUNT…]	(1e5 1e6 1e7, all families)
 *
 * Each row is a process of its own, so that its peak is its own. "peak" is the largest resident
 * size of the process over count, from the caller's symbols to the end of the traversal; "all" is
 * names, suffix array, LCP and one traversal together. Where the environment's LIBSAIS names a
 * libsais shared library, that is timed on the same text and its suffix array compared.
 */
#include "suffix/arrays.h"
#include "suffix/tree.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t random64(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint32_t random_below(uint32_t limit)
{
	return (uint32_t)((random64() >> 32) * limit >> 32);
}

#define NAMES 100
#define LAYERS 24
#define PERIOD 1500

/* An iteration: layers of a few kernels each, some of them many times, as networks are. */
static void make_iteration(uint32_t *iteration)
{
	uint32_t layer[LAYERS][32], length[LAYERS];
	size_t n = 0;

	for (size_t i = 0; i < LAYERS; i++) {
		length[i] = 4 + random_below(28);
		for (size_t k = 0; k < length[i]; k++)
			layer[i][k] = random_below(NAMES);
	}
	while (n < PERIOD) {
		uint32_t one = random_below(LAYERS), times = 1 + random_below(6);

		for (; times > 0 && n < PERIOD; times--)
			for (size_t k = 0; k < length[one] && n < PERIOD; k++)
				iteration[n++] = layer[one][k];
	}
}

/* Iterations with edits_in_million of their kernels inserted, deleted or replaced. */
static void make_trace(uint32_t *text, size_t count, uint32_t edits_in_million)
{
	uint32_t iteration[PERIOD];
	size_t at, n = 0;

	make_iteration(iteration);
	at = random_below(PERIOD);
	while (n < count) {
		uint32_t edit = random_below(1000000);

		if (edit < edits_in_million / 2)
			text[n++] = random_below(NAMES);
		else if (edit < edits_in_million / 4 * 3)
			at = (at + 1) % PERIOD;
		if (n == count)
			break;
		text[n++] = edit >= edits_in_million / 4 * 3 && edit < edits_in_million
				    ? random_below(NAMES)
				    : iteration[at];
		at = (at + 1) % PERIOD;
	}
}

static void make_random(uint32_t *text, size_t count, uint32_t alphabet)
{
	for (size_t i = 0; i < count; i++)
		text[i] = random_below(alphabet);
}

static void make_fibonacci(uint32_t *text, size_t count, uint32_t unused)
{
	size_t a = 1, b = 2;

	text[0] = 0;
	if (count > 1)
		text[1] = 1;
	while (b < count) {
		size_t add = DP_MIN(a, count - b);

		memcpy(text + b, text, add * sizeof(*text));
		a = b;
		b += add;
	}
}

static void make_constant(uint32_t *text, size_t count, uint32_t unused)
{
	memset(text, 0, count * sizeof(*text));
}

static const struct family {
	const char *name;
	void (*make)(uint32_t *text, size_t count, uint32_t parameter);
	uint32_t parameter;
} families[] = {
	{ "clean", make_trace, 0 },
	{ "trace", make_trace, 2000 },
	{ "noisy", make_trace, 35000 },
	{ "random-100", make_random, 100 },
	{ "random-1e6", make_random, 1000000 },
	{ "fibonacci", make_fibonacci, 0 },
	{ "constant", make_constant, 0 },
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

struct totals {
	size_t nodes;
	size_t leaves;
};

static int add_node(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	struct totals *totals = ctx;

	totals->nodes++;
	totals->leaves += node->right - node->left;
	return 0;
}

static void sort_and_measure(struct dp_suffix_tree *tree, double *sorted)
{
	if (dp_arrays__sort(tree->text, tree->wide_text, tree->sa, tree->plcp, false, tree->count,
			    tree->symbols.count))
		abort();
	*sorted = now_ns();
	dp_arrays__plcp(tree->text, tree->wide_text, tree->sa, tree->plcp, false, tree->count);
}

/* Another library's, on the same text, after ours: its time, and whether the result is equal. */
static void compare_with_libsais(const struct dp_suffix_tree *tree)
{
	const char *path = getenv("LIBSAIS");
	int32_t (*sort)(const uint16_t *, int32_t *, int32_t, int32_t, int32_t *);
	int32_t (*plcp)(const uint16_t *, const int32_t *, int32_t *, int32_t);
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	double start, sorted, end;
	bool same;
	int32_t *sa;

	if (!library || tree->wide_text) {
		printf("\n");
		return;
	}
	*(void **)&sort = dlsym(library, "libsais16");
	*(void **)&plcp = dlsym(library, "libsais16_plcp");
	sa = dp_alloc__huge(tree->count, sizeof(*sa));
	if (!sort || !plcp || !sa)
		abort();
	start = now_ns();
	sort(tree->text, sa, (int32_t)tree->count, 0, NULL);
	sorted = now_ns();
	same = !memcmp(sa, tree->sa, tree->count * sizeof(*sa));
	end = now_ns();
	plcp(tree->text, tree->sa, sa, (int32_t)tree->count);
	end = now_ns() - end;
	same = same && !memcmp(sa, tree->plcp, tree->count * sizeof(*sa));
	printf("  libsais: sa %.1f plcp %.1f %s\n", (sorted - start) / (double)tree->count,
	       end / (double)tree->count, same ? "equal" : "DIFFERENT");
}

static void bench(const struct family *family, size_t count)
{
	struct dp_suffix_tree tree = { .count = count };
	uint32_t *text = dp_alloc__huge(count, sizeof(*text));
	double start, named, sorted, measured, end, n = (double)count;
	struct totals totals = { 0, 0 };

	if (!text)
		abort();
	seed = 1;
	family->make(text, count, family->parameter);
	start = now_ns();
	if (dp_symbols__init(&tree.symbols, text, count))
		abort();
	tree.wide_text = tree.symbols.count > 0x10000;
	tree.text = dp_alloc__huge(count, tree.wide_text ? 4 : 2);
	if (!tree.text ||
	    dp_symbols__rename(&tree.symbols, text, count, tree.text, !tree.wide_text))
		abort();
	free(text);
	tree.sa = dp_alloc__huge(count, 4);
	tree.plcp = dp_alloc__huge(count, 4);
	if (!tree.sa || !tree.plcp)
		abort();
	named = now_ns();
	sort_and_measure(&tree, &sorted);
	measured = now_ns();
	if (dp_suffix_tree_traverse(&tree, add_node, &totals))
		abort();
	end = now_ns();
	printf("%-11s %10zu %6.1f %6.1f %6.1f %6.1f %7.1f %7.2f %10zu", family->name, count,
	       (named - start) / n, (sorted - named) / n, (measured - sorted) / n,
	       (end - measured) / n, (end - start) / n, peak_bytes() / n, totals.nodes);
	compare_with_libsais(&tree);
}

static void bench_apart(const struct family *family, size_t count)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		bench(family, count);
		fflush(stdout);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
		printf("%-11s %10zu failed\n", family->name, count);
}

int main(int argc, char **argv)
{
	size_t counts[16] = { 100000, 1000000, 10000000 }, n = 3;
	const char *only = NULL;
	int option;

	while ((option = getopt(argc, argv, "f:")) != -1) {
		if (option != 'f') {
			fprintf(stderr, "usage: bench_suffix [-f FAMILY] [COUNT…]\n");
			return 2;
		}
		only = optarg;
	}
	for (int i = optind; i < argc && i - optind < (int)DP_COUNT(counts); i++) {
		n = (size_t)(i - optind) + 1;
		counts[n - 1] = (size_t)strtod(argv[i], NULL);
		if (!counts[n - 1] || counts[n - 1] > INT32_MAX)
			return 2;
	}
	printf("%-11s %10s %6s %6s %6s %6s %7s %7s %10s   (ns and bytes per symbol)\n", "family",
	       "symbols", "names", "sa", "plcp", "walk", "all", "peak", "nodes");
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < DP_COUNT(families); k++)
			if (!only || !strcmp(only, families[k].name))
				bench_apart(&families[k], counts[i]);
	return 0;
}
