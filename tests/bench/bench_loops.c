/*
 * Nanoseconds of processor time per symbol of the aligner, of detection without help and with a known number of
 * iterations, and of the detector (all of it, and its second half alone), from 10^5 symbols on, and
 * the memory that detection took beyond the sequence.
 *
 *     bench_loops [-o PROGRAM] [LARGEST [FAMILY]]
 *
 * With -o, the bench_loops of another build runs for each family after this one, and each row ends
 * with the time of unaided detection there and how many times longer it is here. Of a commit whose
 * program takes the wall's clock, replace CLOCK_MONOTONIC in it first.
 */
#include "../sim/families.h"
#include "align/align.h"

#include <deepprof/detector.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Lets the most that was held begin again, and returns what is held. */
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

/* A row, as it is printed. */
struct row {
	char family[32];
	double symbols, align, unaided, counted, streamed, second, loops, beyond;
};

static bool read_row(struct row *row, const char *line)
{
	return sscanf(line, "%31s %lf %lf %lf %lf %lf %lf %lf %lf", row->family, &row->symbols,
		      &row->align, &row->unaided, &row->counted, &row->streamed, &row->second,
		      &row->loops, &row->beyond) == 9;
}

/* Runs the other build's program for one family; returns how many rows it printed. */
static size_t run_other(struct row *rows, size_t room, const char *program, double largest,
			const char *family)
{
	char command[4096], line[512];
	size_t count = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "'%s' %g %s", program, largest, family);
	pipe = popen(command, "r");
	while (pipe && count < room && fgets(line, sizeof(line), pipe))
		count += read_row(&rows[count], line);
	if (!pipe || pclose(pipe))
		exit(1);
	return count;
}

static struct row measure(enum family_kind kind, double size)
{
	struct row row = { .symbols = 0 };
	struct family f;
	size_t found, other;
	double held;

	family_make(&f, kind, 1, false, (size_t)size);
	/* the evidence is not needed any more */
	free(f.evidence);
	f.evidence = NULL;
	held = forget_peak();
	row.symbols = (double)f.n;
	row.unaided = find_ns(&f, false, &found);
	row.beyond = status_mib("VmHWM:") - held;
	row.align = align_ns(&f);
	row.counted = find_ns(&f, true, &other);
	row.streamed = stream_ns(&f, &row.second);
	row.loops = (double)found;
	family_free(&f);
	return row;
}

static void bench(enum family_kind kind, double largest, const char *program)
{
	struct row others[8];
	size_t count = 0, i = 0;

	if (program)
		count = run_other(others, DP_COUNT(others), program, largest, family_name(kind));
	for (double size = 1e5; size <= largest * 1.001; size *= 10, i++) {
		struct row row = measure(kind, size);

		printf("%-12s %10.0f %9.2f %9.2f %9.2f %9.2f %9.2f %6.0f %10.0f",
		       family_name(kind), row.symbols, row.align, row.unaided, row.counted,
		       row.streamed, row.second, row.loops, row.beyond);
		if (i < count)
			printf(" %9.2f %5.2f", others[i].unaided, row.unaided / others[i].unaided);
		printf("\n");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	static const enum family_kind kinds[] = { FAMILY_CLEAN, FAMILY_ASYNC, FAMILY_JITTER,
						  FAMILY_DENSE, FAMILY_EVALUATION };
	const char *program = NULL, *only = NULL;
	double largest = 1e7;
	int option;

	while ((option = getopt(argc, argv, "o:")) != -1) {
		if (option != 'o')
			return 2;
		program = optarg;
	}
	if (optind < argc)
		largest = atof(argv[optind]);
	if (optind + 1 < argc)
		only = argv[optind + 1];
	printf("%-12s %10s %9s %9s %9s %9s %9s %6s %10s%s\n", "family", "symbols", "aligner",
	       "unaided", "counted", "streamed", "2nd half", "loops", "beyond MiB",
	       program ? "     other times" : "");
	for (size_t k = 0; k < DP_COUNT(kinds); k++)
		if (!only || !strcmp(only, family_name(kinds[k])))
			bench(kinds[k], largest, program);
	return 0;
}
