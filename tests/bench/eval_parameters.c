/*
 * What each constant does (lib/base/parameters.inc.h): moves it by a fifth down and up, and to 0
 * where that changes nothing, and prints the change in F, in thousandths. Families of
 * sequences are held against their truth; traces against what is found in them with the constants
 * as they are, which is right in those that it is run on. A constant that changes nothing in any of
 * three ways is not needed, unless its row says that it was tuned on cost.
 *
 *     eval_parameters [-s FIRST] [-n SEEDS] [-p NAME] [-r FIRST:END] [TRACE…]
 *
 * Seeds are ones to tune with, below 2000. The program has its own constants in place of the
 * library's, which cannot be moved.
 */
#define DP_PARAMETERS_CONST
#include "../sim/families.h"
#include "base/parameters.h"

#include <deepprof/analysis.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct dp_parameters dp_param = {
#define DP_REAL(name, value, unit, tuned_on, why) value,
#define DP_WHOLE(name, value, unit, tuned_on, why) value,
#include "base/parameters.inc.h"
#undef DP_REAL
#undef DP_WHOLE
};

struct row {
	const char *name, *unit, *tuned_on;
	double *real;
	size_t *whole;
};

static const struct row rows[] = {
#define DP_REAL(name, value, unit, tuned_on, why) { #name, unit, tuned_on, &dp_param.name, NULL },
#define DP_WHOLE(name, value, unit, tuned_on, why) { #name, unit, tuned_on, NULL, &dp_param.name },
#include "base/parameters.inc.h"
#undef DP_REAL
#undef DP_WHOLE
};

/* A sequence with its truth, and whether the host's calls and the number of iterations are given.
 */
struct sequence {
	struct family family;
	bool evidence, counted;
};

/* Where iterations begin, in all streams of a trace: a time and the stream. */
struct starts {
	int64_t *at;
	size_t count, room;
};

struct subject {
	struct sequence *sequences;
	size_t sequence_count;
	struct dp_trace **traces;
	struct starts *right; /* of each trace: what is found unmoved */
	size_t trace_count;
};

struct score {
	double hit, found, truth;
};

static double f_of(struct score s)
{
	return s.found + s.truth > 0 ? 2 * s.hit / (s.found + s.truth) : 1;
}

static void *need(void *memory)
{
	if (!memory) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return memory;
}

static double hits(const struct dp_sequence_loop *loop, const struct family_loop *truth)
{
	size_t i = 0, j = 0;
	double n = 0;

	while (i < loop->count && j < truth->count) {
		size_t first = loop->iterations[i].first;

		n += first == truth->starts[j] && !loop->iterations[i].partial;
		j += first >= truth->starts[j];
		i += j == truth->count || first < truth->starts[j] || first == truth->starts[j - 1];
	}
	return n;
}

/* The best loop for each true one, and what is chosen next to them. */
static struct score judge(const struct family *f, const struct dp_loops *loops, bool counted)
{
	struct score sum = { 0, 0, 0 };
	bool *used = need(calloc(loops->count + 1, sizeof(*used)));

	for (size_t k = 0; k < (counted ? DP_MIN(f->loop_count, 1) : f->loop_count); k++) {
		struct score best = { 0, 0, (double)f->loops[k].count };
		size_t index = SIZE_MAX;

		for (size_t i = 0; i < loops->count; i++) {
			struct score s = { hits(&loops->loops[i], &f->loops[k]),
					   (double)dp_loops__whole(&loops->loops[i]), best.truth };

			if (f_of(s) > f_of(best)) {
				best = s;
				index = i;
			}
		}
		if (index != SIZE_MAX)
			used[index] = true;
		sum.hit += best.hit;
		sum.found += best.found;
		sum.truth += best.truth;
	}
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].chosen && !used[i])
			sum.found += (double)dp_loops__whole(&loops->loops[i]);
	free(used);
	return sum;
}

static struct score score_sequence(struct sequence *s)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_loops *loops = NULL;
	uint64_t count = s->counted ? s->family.loops[0].count : 0;
	struct dp_loops_request request = {
		.symbols = s->family.symbols,
		.count = s->family.n,
		.alphabet = s->family.alphabet,
		.counts = &count,
		.counts_count = s->counted,
		.epsilon = 1,
		.max_unmatched = 20,
		.evidence = { s->evidence ? family_evidence : NULL, &s->family, s->evidence },
	};
	struct score score;

	if (dp_loops__find(&loops, &request, &error)) {
		fprintf(stderr, "%s\n", error.message);
		exit(1);
	}
	score = judge(&s->family, loops, s->counted);
	dp_loops__free(loops);
	return score;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The beginnings of the iterations that are reported, each by its first operation's time. */
static void find_starts(struct starts *starts, const struct dp_trace *trace, bool ignore_marks)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	const char *const few[] = { "duration_ns" };
	struct dp_error error = DP_ERROR_INIT;
	struct dp_analysis *analysis;

	options.ignore_marks = ignore_marks;
	options.metrics = few;
	options.metrics_count = 1;
	if (dp_analysis_run(&analysis, trace, &options, &error)) {
		fprintf(stderr, "%s\n", error.message);
		exit(1);
	}
	for (size_t l = 0; l < dp_analysis_loop_count(analysis); l++) {
		const struct dp_loop *loop = dp_analysis_loop(analysis, l);

		for (size_t i = 0; loop->selected && i < loop->iterations; i++) {
			const struct dp_iteration *it = dp_analysis_loop_iteration(analysis, l, i);

			if (it->partial)
				continue;
			if (dp_array__reserve(&starts->at, &starts->room, starts->count + 1,
					      sizeof(*starts->at)))
				need(NULL);
			starts->at[starts->count++] = it->start_ns;
		}
	}
	dp_analysis_free(analysis);
	qsort(starts->at, starts->count, sizeof(*starts->at), by_value);
}

static struct score score_trace(const struct dp_trace *trace, const struct starts *right)
{
	struct starts found = { 0 };
	struct score s = { 0 };

	find_starts(&found, trace, true);
	for (size_t i = 0, j = 0; i < found.count && j < right->count;) {
		s.hit += found.at[i] == right->at[j];
		if (found.at[i] == right->at[j])
			i++, j++;
		else if (found.at[i] < right->at[j])
			i++;
		else
			j++;
	}
	s.found = (double)found.count;
	s.truth = (double)right->count;
	free(found.at);
	return s;
}

/* Mean F over sequences, and over traces: one that is lost counts alike, however long it is. */
static void score_all(const struct subject *subject, double *families, double *traces)
{
	*families = *traces = 0;
	for (size_t i = 0; i < subject->sequence_count; i++)
		*families += f_of(score_sequence(&subject->sequences[i])) /
			     (double)subject->sequence_count;
	for (size_t i = 0; i < subject->trace_count; i++)
		*traces += f_of(score_trace(subject->traces[i], &subject->right[i])) /
			   (double)subject->trace_count;
}

/* A fifth of a small whole number is less than one. What is divided by goes to 1 in place of 0. */
static void move(const struct row *row, double real, size_t whole, double by)
{
	double moved = (double)whole * by;

	if (row->real)
		*row->real = real * by;
	else
		*row->whole =
			by > 1	 ? (size_t)DP_MAX(round(moved), (double)whole + 1)
			: by > 0 ? (size_t)DP_MIN(round(moved), (double)(whole ? whole - 1 : 0))
			: strncmp(row->unit, "1/", 2) && strcmp(row->tuned_on, "cost") ? 0
										       : 1;
}

static void print_row(const struct row *row, const struct subject *subject, double families,
		      double traces)
{
	static const double by[] = { 0.8, 1.2, 0 };
	double real = row->real ? *row->real : 0, change[3][2];
	size_t whole = row->whole ? *row->whole : 0;
	bool any = false;

	for (size_t i = 0; i < DP_COUNT(by); i++) {
		/* what a fifth changes is needed: the rest would only cost time */
		if (i == 2 && any)
			break;
		move(row, real, whole, by[i]);
		score_all(subject, &change[i][0], &change[i][1]);
		change[i][0] -= families;
		change[i][1] -= traces;
		any |= fabs(change[i][0]) > 1e-9 || fabs(change[i][1]) > 1e-9;
		if (!i)
			printf("%-22s %8g %-12.12s", row->name, row->real ? real : (double)whole,
			       row->tuned_on);
		printf(" %+7.1f %+7.1f", change[i][0] * 1000, change[i][1] * 1000);
		fflush(stdout);
	}
	printf("%s\n", any ? "" : "  nothing");
	if (row->real)
		*row->real = real;
	else
		*row->whole = whole;
}

static void add_sequences(struct subject *subject, uint64_t seed)
{
	for (int kind = 0; kind < FAMILY_COUNT; kind++)
		for (int mode = 0; mode < 3; mode++) {
			struct sequence *s = &subject->sequences[subject->sequence_count];

			*s = (struct sequence){ .evidence = mode == 1, .counted = mode == 2 };
			family_make(&s->family, (enum family_kind)kind, seed, s->evidence, 0);
			/* a half with evidence and a quarter with a count do: it is a lot to run */
			if ((s->counted && (kind % 4 || !s->family.loop_count)) ||
			    (s->evidence && kind % 2))
				family_free(&s->family);
			else
				subject->sequence_count++;
		}
}

static void add_trace(struct subject *subject, const char *path)
{
	struct dp_error error = DP_ERROR_INIT;
	size_t i = subject->trace_count;

	if (dp_trace_open(&subject->traces[i], path, NULL, &error)) {
		fprintf(stderr, "%s: %s\n", path, error.message);
		exit(1);
	}
	find_starts(&subject->right[i], subject->traces[i], true);
	subject->trace_count++;
}

int main(int argc, char **argv)
{
	uint64_t first = 500;
	const char *only = NULL;
	struct subject subject = { 0 };
	double families, traces;
	size_t from = 0, to = DP_COUNT(rows);
	int seeds = 1, option;

	while ((option = getopt(argc, argv, "s:n:p:r:")) != -1) {
		if (option == 's')
			first = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			seeds = atoi(optarg);
		else if (option == 'p')
			only = optarg;
		else if (option != 'r' || sscanf(optarg, "%zu:%zu", &from, &to) != 2)
			return 2;
	}
	subject.sequences = need(calloc((size_t)seeds * FAMILY_COUNT * 3 + 1,
					sizeof(*subject.sequences)));
	subject.traces = need(calloc((size_t)(argc - optind) + 1, sizeof(*subject.traces)));
	subject.right = need(calloc((size_t)(argc - optind) + 1, sizeof(*subject.right)));
	for (int i = 0; i < seeds; i++)
		add_sequences(&subject, first + (uint64_t)i);
	for (int i = optind; i < argc; i++)
		add_trace(&subject, argv[i]);
	score_all(&subject, &families, &traces);
	printf("%zu sequences, F %.4f; %zu traces; change of F in thousandths: sequences, traces\n",
	       subject.sequence_count, families, subject.trace_count);
	printf("%-22s %8s %-12s %15s %15s %15s\n", "constant", "value", "tuned on", "-20%",
	       "+20%", "0");
	for (size_t i = from; i < DP_MIN(to, DP_COUNT(rows)); i++)
		if (!only || !strcmp(only, rows[i].name))
			print_row(&rows[i], &subject, families, traces);
	for (size_t i = 0; i < subject.sequence_count; i++)
		family_free(&subject.sequences[i].family);
	for (size_t i = 0; i < subject.trace_count; i++) {
		dp_trace_free(subject.traces[i]);
		free(subject.right[i].at);
	}
	free(subject.sequences);
	free(subject.traces);
	free(subject.right);
	return 0;
}
