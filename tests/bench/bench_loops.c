/*
 * Nanoseconds per symbol of the aligner, of detection without help and with a known number of
 * iterations, from 10^5 symbols on, and the memory that the largest took.
 *
 *     bench_loops [LARGEST]
 */
#include "../sim/families.h"
#include "segment/align.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double peak_mib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static double align_ns(const struct family *f)
{
	struct dp_align_pattern pattern = { f->symbols + f->loops[0].starts[1],
					    f->loops[0].ends[1] - f->loops[0].starts[1] };
	struct dp_alignment al;
	double start = now();

	if (dp_align__run(&al, f->symbols, f->n, &pattern, 1))
		exit(1);
	start = now() - start;
	dp_align__fini(&al);
	return start * 1e9 / (double)f->n;
}

static double find_ns(const struct family *f, bool counted, size_t *found)
{
	uint64_t count = f->loops[0].count;
	struct dp_loops_request r = {
		.symbols = f->symbols,
		.count = f->n,
		.alphabet = f->alphabet,
		.counts = &count,
		.counts_count = counted,
		.epsilon = 1,
	};
	struct dp_loops *loops;
	double start = now();

	if (dp_loops__find(&loops, &r, NULL))
		exit(1);
	start = now() - start;
	*found = loops->count;
	dp_loops__free(loops);
	return start * 1e9 / (double)f->n;
}

int main(int argc, char **argv)
{
	static const enum family_kind kinds[] = { FAMILY_CLEAN, FAMILY_ASYNC, FAMILY_JITTER,
						  FAMILY_DENSE, FAMILY_EVALUATION };
	double largest = argc > 1 ? atof(argv[1]) : 1e7;

	printf("%-12s %10s %9s %9s %9s %6s %9s\n", "family", "symbols", "aligner", "unaided",
	       "counted", "loops", "peak MiB");
	for (size_t k = 0; k < DP_COUNT(kinds); k++)
		for (double size = 1e5; size <= largest * 1.001; size *= 10) {
			struct family f;
			size_t found;
			double align, unaided, counted, held;

			family_make(&f, kinds[k], 1, false, (size_t)size);
			/* the truth and the evidence are not needed any more */
			free(f.evidence);
			f.evidence = NULL;
			held = peak_mib();
			align = align_ns(&f);
			unaided = find_ns(&f, false, &found);
			counted = find_ns(&f, true, &found);
			printf("%-12s %10zu %9.2f %9.2f %9.2f %6zu %9.0f (%.0f of it the input)\n",
			       family_name(kinds[k]), f.n, align, unaided, counted, found,
			       peak_mib(), held);
			fflush(stdout);
			family_free(&f);
		}
	return 0;
}
