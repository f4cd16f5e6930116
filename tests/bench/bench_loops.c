/*
 * Nanoseconds of processor time per symbol of the aligner, of detection without help and with a known number of
 * iterations, and of the detector (all of it, and its second half alone), from 10^5 symbols on, and
 * the memory that detection took beyond the sequence.
 *
 *     bench_loops [LARGEST [FAMILY]]
 */
#include "../sim/families.h"
#include "align/align.h"

#include <deepprof/detector.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Of the process, so that others on the machine matter less. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A line of /proc/self/status, in MiB: "VmRSS:" what is held, "VmHWM:" the most of it so far. */
static double status_mib(const char *key)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	double kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			kib = atof(line + strlen(key));
	if (file)
		fclose(file);
	return kib / 1024;
}

/* Lets the most that was held begin anew, and returns what is held. */
static double forget_peak(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "w");

	malloc_trim(0);
	if (file) {
		fputs("5", file);
		fclose(file);
	}
	return status_mib("VmRSS:");
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

/* *second: of the second half, when most searches are done. */
static double stream_ns(const struct family *f, double *second)
{
	struct dp_detector_options o = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *d;
	double start = now(), half;

	o.window = 1 << 16;
	if (dp_detector_new(&d, &o, NULL) || dp_detector_feed(d, f->symbols, f->n / 2, NULL))
		exit(1);
	half = now();
	if (dp_detector_feed(d, f->symbols + f->n / 2, f->n - f->n / 2, NULL))
		exit(1);
	*second = (now() - half) * 1e9 / (double)(f->n - f->n / 2);
	start = now() - start;
	dp_detector_free(d);
	return start * 1e9 / (double)f->n;
}

int main(int argc, char **argv)
{
	static const enum family_kind kinds[] = { FAMILY_CLEAN, FAMILY_ASYNC, FAMILY_JITTER,
						  FAMILY_DENSE, FAMILY_EVALUATION };
	double largest = argc > 1 ? atof(argv[1]) : 1e7;

	printf("%-12s %10s %9s %9s %9s %9s %9s %6s %10s\n", "family", "symbols", "aligner",
	       "unaided", "counted", "streamed", "2nd half", "loops", "beyond MiB");
	for (size_t k = 0; k < DP_COUNT(kinds); k++) {
		if (argc > 2 && strcmp(argv[2], family_name(kinds[k])) != 0)
			continue;
		for (double size = 1e5; size <= largest * 1.001; size *= 10) {
			struct family f;
			size_t found, other;
			double align, unaided, counted, streamed, second, held, beyond;

			family_make(&f, kinds[k], 1, false, (size_t)size);
			/* the evidence is not needed any more */
			free(f.evidence);
			f.evidence = NULL;
			held = forget_peak();
			unaided = find_ns(&f, false, &found);
			beyond = status_mib("VmHWM:") - held;
			align = align_ns(&f);
			counted = find_ns(&f, true, &other);
			streamed = stream_ns(&f, &second);
			printf("%-12s %10zu %9.2f %9.2f %9.2f %9.2f %9.2f %6zu %10.0f\n",
			       family_name(kinds[k]), f.n, align, unaided, counted, streamed,
			       second, found, beyond);
			fflush(stdout);
			family_free(&f);
		}
	}
	return 0;
}
