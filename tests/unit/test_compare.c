/* Two runs of small programs, whose differences are known. */
#include "alloc_fail.h"
#include "base/base.h"
#include "trace/builder.h"
#include "test.h"
#include <deepprof/deepprof.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GAP_NS 1000

static int64_t pause_ns = 50000; /* between iterations */

/* A kernel of an iteration. */
struct piece {
	const char *name;
	int64_t ns;
};

struct run {
	struct dp_trace *trace;
	struct dp_analysis *analysis;
};

/* Times scatter by a fifth, differently in each run. */
static int64_t scatter(int64_t ns, size_t k, size_t i, size_t salt)
{
	size_t mixed = (k * 7919 + i * 104729 + salt * 1299709) % 1009;

	return ns * 9 / 10 + ns * (int64_t)mixed / 5045;
}

/* Kernels of an iteration; from is where the capture begins in the first one. */
static int64_t iterate(struct dp_builder *builder, uint32_t stream, const struct piece *pieces,
		       size_t count, size_t iterations, size_t from, int64_t now)
{
	for (size_t k = 0; k < iterations; k++) {
		for (size_t i = k ? 0 : from; i < count; i++) {
			struct dp_op op = { .stream = stream, .start_ns = now };

			op.end_ns = now + scatter(pieces[i].ns, k, i, iterations);
			op.name = dp_builder__kernel_name(builder, pieces[i].name,
							  strlen(pieces[i].name));
			ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
			now = op.end_ns + GAP_NS;
		}
		now += pause_ns;
	}
	return now;
}

static void analyze(struct run *run, struct dp_builder *builder)
{
	struct dp_error error = DP_ERROR_INIT;

	ck_assert_int_eq(
		dp_builder__finish(builder, &run->trace, "a \"run\",\nhere", "test", false), DP_OK);
	ck_assert_msg(!dp_analysis_run(&run->analysis, run->trace, NULL, &error), "%s",
		      error.message);
}

static struct run run_of(const struct piece *pieces, size_t count, size_t iterations, size_t from)
{
	struct dp_builder *builder;
	struct run run;
	uint32_t stream;

	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	stream = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 7);
	iterate(builder, stream, pieces, count, iterations, from, 0);
	analyze(&run, builder);
	return run;
}

static void end_run(struct run *run)
{
	dp_analysis_free(run->analysis);
	dp_trace_free(run->trace);
}

static struct dp_comparison *compare(const struct run *before, const struct run *after)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_comparison *made = NULL;

	ck_assert_msg(!dp_comparison_run(&made, before->analysis, after->analysis, NULL, &error),
		      "%s", error.message);
	return made;
}

static const struct piece base[] = {
	{ "embed", 5000 },   { "gemm_a", 40000 }, { "softmax", 8000 }, { "gemm_b", 30000 },
	{ "norm", 6000 },    { "gelu", 9000 },	  { "gemm_c", 20000 }, { "loss", 2000 },
	{ "loss_bw", 2500 }, { "gelu_bw", 9500 }, { "norm_bw", 7000 }, { "adam", 12000 },
};

enum { BASE = DP_COUNT(base) };

static const struct dp_pair_kernel *kernel_named(const struct dp_comparison *comparison,
						 const char *name)
{
	const struct dp_pair_kernel *kernel;

	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, 0, i)); i++)
		for (int run = 0; run < 2; run++)
			if (kernel->name[run] && !strcmp(kernel->name[run], name))
				return kernel;
	return NULL;
}

static size_t settled(const struct dp_analysis *analysis, size_t loop)
{
	const struct dp_iteration *at;
	size_t count = 0;

	for (size_t k = 0; (at = dp_analysis_loop_iteration(analysis, loop, k)); k++)
		count += !at->partial && !at->warmup;
	return count;
}

/* Parts sum to the period, kernels to the time of all kernels, in both runs. */
static void sums_hold(const struct dp_comparison *comparison, size_t pair)
{
	const struct dp_loop_pair *info = dp_comparison_pair(comparison, pair);
	const struct dp_pair_kernel *kernel;
	const struct dp_pair_part *part, *last = NULL;

	for (int run = 0; run < 2; run++) {
		const struct dp_analysis *analysis =
			dp_comparison_analysis(comparison, (enum dp_run)run);
		size_t loop = info->loop[run];
		double sum = 0, kernels = 0, all = 0;

		for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++) {
			sum += part->mean.value[run];
			last = part;
		}
		ck_assert_ptr_nonnull(last);
		ck_assert_str_eq(last->metric, "period_ns");
		ck_assert_double_eq_tol(sum, 2 * last->mean.value[run], 1e-3);
		for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++)
			kernels += kernel->ns.value[run];
		for (size_t i = 0; dp_analysis_loop_kernel_stat(analysis, loop, i); i++)
			all += dp_analysis_loop_kernel_stat(analysis, loop, i)->total_ns;
		all /= (double)settled(analysis, loop);
		ck_assert_double_eq_tol(kernels, all, 1e-3);
	}
}

TEST(a_run_is_like_itself)
{
	struct run run = run_of(base, BASE, 30, 0);
	struct dp_comparison *comparison = compare(&run, &run);
	const struct dp_loop_pair *pair = dp_comparison_pair(comparison, 0);
	const struct dp_pair_kernel *kernel;

	ck_assert_uint_eq(dp_comparison_pair_count(comparison), 1);
	ck_assert_double_eq(pair->similarity, 1);
	ck_assert_uint_eq(pair->same, BASE);
	ck_assert_uint_eq(pair->replaced + pair->removed + pair->added, 0);
	for (size_t i = 0; dp_metric(i); i++) {
		const struct dp_difference *at = dp_pair_metric(comparison, 0, i);

		ck_assert(!at->count[0] || !(at->change < 0 || at->change > 0));
		ck_assert(!dp_difference_is_significant(at));
	}
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, 0, i)); i++)
		ck_assert_int_eq(kernel->kind, DP_KERNEL_SAME);
	ck_assert_ptr_null(dp_pair_metric(comparison, 1, 0));
	ck_assert_ptr_null(dp_comparison_pair(comparison, 1));
	sums_hold(comparison, 0);
	dp_comparison_free(comparison);
	end_run(&run);
}

/* One kernel takes twice the time, one is gone, one is new, one another. */
TEST(changes_are_reported)
{
	struct piece changed[BASE];
	struct run before, after;
	struct dp_comparison *comparison;
	const struct dp_pair_kernel *kernel;
	const struct dp_difference *period;

	memcpy(changed, base, sizeof(base));
	changed[1].ns *= 2;
	changed[4] = changed[5];			/* norm is gone, */
	changed[5] = (struct piece){ "dropout", 4000 }; /* something comes after gelu */
	changed[7] = (struct piece){ "loss_fused", 1000 };
	before = run_of(base, BASE, 30, 0);
	after = run_of(changed, BASE, 40, 0);
	comparison = compare(&before, &after);
	ck_assert_uint_eq(dp_comparison_pair(comparison, 0)->same, BASE - 2);
	ck_assert_uint_eq(dp_comparison_pair(comparison, 0)->removed, 1);
	ck_assert_uint_eq(dp_comparison_pair(comparison, 0)->added, 1);
	ck_assert_uint_eq(dp_comparison_pair(comparison, 0)->replaced, 1);
	ck_assert_int_eq(kernel_named(comparison, "gemm_a")->kind, DP_KERNEL_SLOWER);
	ck_assert_int_eq(kernel_named(comparison, "norm")->kind, DP_KERNEL_REMOVED);
	ck_assert_int_eq(kernel_named(comparison, "dropout")->kind, DP_KERNEL_ADDED);
	ck_assert_int_eq(kernel_named(comparison, "gemm_b")->kind, DP_KERNEL_SAME);
	kernel = kernel_named(comparison, "loss_fused");
	ck_assert_int_eq(kernel->kind, DP_KERNEL_REPLACED);
	ck_assert_str_eq(kernel->name[0], "loss");
	kernel = dp_pair_kernel(comparison, 0, 0);
	ck_assert_str_eq(kernel->name[0], "gemm_a");
	ck_assert_double_eq_tol(kernel->ns.change, 40000, 2000);
	ck_assert_double_le(kernel->ns.low, 40000);
	ck_assert_double_ge(kernel->ns.high, 40000);
	period = dp_pair_metric(comparison, 0, dp_metric_find("period_ns"));
	ck_assert_double_eq_tol(period->change, 40000 - 6000 + 4000 - 1000, 2000);
	ck_assert(dp_difference_is_significant(period));
	ck_assert_uint_eq(period->count[0], 29);
	ck_assert_uint_eq(period->count[1], 39);
	sums_hold(comparison, 0);
	dp_comparison_free(comparison);
	end_run(&before);
	end_run(&after);
}

/*
 * The captures show where an iteration begins only by their own begin: the second one began
 * elsewhere.
 */
TEST(patterns_are_cycles)
{
	struct piece turned[BASE];
	struct run before = run_of(base, BASE, 30, 0), after;
	struct dp_comparison *comparison;
	const struct dp_pair_place *place;

	for (size_t i = 0; i < BASE; i++)
		turned[i] = base[(i + 5) % BASE];
	after = run_of(turned, BASE, 30, 0);
	comparison = compare(&before, &after);
	ck_assert_uint_eq(dp_comparison_pair(comparison, 0)->same, BASE);
	for (size_t i = 0; (place = dp_pair_place(comparison, 0, i)); i++)
		ck_assert_str_eq(dp_analysis_loop_kernel(before.analysis, 0, place->index[0]),
				 dp_analysis_loop_kernel(after.analysis, 0, place->index[1]));
	dp_comparison_free(comparison);
	end_run(&before);
	end_run(&after);
}

/* Not one kernel is unique, and the second capture began elsewhere. */
TEST(cycles_without_unique_kernels)
{
	static const char letters[] = "abacbdcede";
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	struct piece pieces[2][10];
	struct run runs[2];
	struct dp_comparison *comparison;

	for (size_t r = 0; r < 2; r++) {
		for (size_t i = 0; i < 10; i++)
			pieces[r][i] =
				(struct piece){ names[letters[(i + 5 * r) % 10] - 'a'], 9000 };
		runs[r] = run_of(pieces[r], 10, 30, 0);
	}
	comparison = compare(&runs[0], &runs[1]);
	ck_assert_uint_eq(dp_comparison_pair(comparison, 0)->same, 10);
	dp_comparison_free(comparison);
	end_run(&runs[0]);
	end_run(&runs[1]);
}

/* A kernel that runs at another place is neither removed nor added. */
TEST(moved_kernels_stay)
{
	struct piece moved[BASE];
	struct run before = run_of(base, BASE, 30, 0), after;
	struct dp_comparison *comparison;
	const struct dp_pair_kernel *kernel;

	memcpy(moved, base, sizeof(base));
	moved[2] = base[3];
	moved[3] = base[4];
	moved[4] = base[5];
	moved[5] = base[2];
	after = run_of(moved, BASE, 30, 0);
	comparison = compare(&before, &after);
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, 0, i)); i++) {
		ck_assert_ptr_nonnull(kernel->name[0]);
		ck_assert_ptr_nonnull(kernel->name[1]);
	}
	ck_assert_int_eq(kernel_named(comparison, "softmax")->kind, DP_KERNEL_SAME);
	ck_assert_uint_eq(kernel_named(comparison, "softmax")->places, 1);
	sums_hold(comparison, 0);
	dp_comparison_free(comparison);
	end_run(&before);
	end_run(&after);
}

/* Fewer calls of a kernel are one row of one name, whatever position they were at. */
TEST(calls_are_counted)
{
	struct piece more[BASE + 3];
	struct run before, after = run_of(base, BASE, 30, 0);
	struct dp_comparison *comparison;
	const struct dp_pair_kernel *kernel;

	memcpy(more, base, sizeof(base));
	more[BASE] = more[BASE + 1] = base[2];
	more[BASE + 2] = (struct piece){ "clip", 3000 };
	before = run_of(more, BASE + 3, 30, 0);
	comparison = compare(&before, &after);
	kernel = kernel_named(comparison, "softmax");
	ck_assert_int_eq(kernel->kind, DP_KERNEL_FEWER);
	ck_assert_double_eq_tol(kernel->calls[0], 3, 1e-9);
	ck_assert_double_eq_tol(kernel->calls[1], 1, 1e-9);
	ck_assert_uint_eq(kernel->places, 3);
	ck_assert_double_eq_tol(kernel->ns.change, -16000, 500);
	kernel = kernel_named(comparison, "clip");
	ck_assert_int_eq(kernel->kind, DP_KERNEL_REMOVED);
	ck_assert_double_eq(kernel->calls[1], 0);
	sums_hold(comparison, 0);
	dp_comparison_free(comparison);
	end_run(&before);
	end_run(&after);
}

/* A wait that crosses a rule's threshold is new only if it was not nearly there before. */
TEST(findings_that_were_hidden_are_not_new)
{
	static const struct {
		int64_t pause_ns[2];
		enum dp_finding_change change;
		bool finding[2];
	} cases[] = {
		{ { 4000, 20000 }, DP_FINDING_NEW, { false, true } },
		{ { 7000, 12000 }, DP_FINDING_STILL, { false, true } },
		{ { 12000, 20000 }, DP_FINDING_STILL, { true, true } },
		{ { 12000, 7000 }, DP_FINDING_STILL, { true, false } },
		{ { 20000, 4000 }, DP_FINDING_GONE, { true, false } },
	};
	const struct dp_pair_finding *both;
	struct dp_comparison *comparison;
	struct run runs[2];

	for (size_t i = 0; i < DP_COUNT(cases); i++) {
		for (int run = 0; run < 2; run++) {
			pause_ns = cases[i].pause_ns[run];
			runs[run] = run_of(base, BASE, 30, 0);
		}
		comparison = compare(&runs[0], &runs[1]);
		both = dp_pair_finding(comparison, 0, 0);
		ck_assert_ptr_nonnull(both);
		for (int run = 0; run < 2; run++) {
			ck_assert_int_eq(both->finding[run] != NULL, cases[i].finding[run]);
			/* one finding has one cost, and means compare what it is a part of */
			if (both->finding[run])
				ck_assert_double_eq(both->cost_ns[run],
						    both->finding[run]->recoverable_ns);
			else
				ck_assert(isnan(both->cost_ns[run]));
			if (cases[i].finding[!run] && cases[i].finding[run])
				ck_assert(isnan(both->metric_ns[run]));
			else
				ck_assert_double_gt(both->metric_ns[run], 0);
		}
		ck_assert_int_eq(!both->metric, cases[i].finding[0] && cases[i].finding[1]);
		ck_assert_int_eq(both->change, cases[i].change);
		ck_assert_ptr_null(dp_pair_finding(comparison, 0, 1));
		dp_comparison_free(comparison);
		end_run(&runs[0]);
		end_run(&runs[1]);
	}
}

/* A training loop and an evaluation loop, in another order in the second run. */
static struct run epochs(bool evaluation_first)
{
	static const struct piece evaluation[] = { { "embed", 5000 },	 { "gemm_a", 40000 },
						   { "argmax", 3000 },	 { "topk", 7000 },
						   { "gather", 2000 },	 { "accuracy", 4000 },
						   { "reduce_x", 3000 }, { "copy_y", 1000 } };
	struct dp_builder *builder;
	struct run run;
	uint32_t stream;
	int64_t now = 0;

	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	stream = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 7);
	if (evaluation_first)
		now = iterate(builder, stream, evaluation, DP_COUNT(evaluation), 20, 0, now);
	now = iterate(builder, stream, base, BASE, 60, 0, now);
	if (!evaluation_first)
		iterate(builder, stream, evaluation, DP_COUNT(evaluation), 20, 0, now);
	analyze(&run, builder);
	return run;
}

TEST(loops_are_paired_by_kernels)
{
	struct run before = epochs(false), after = epochs(true);
	struct dp_comparison *comparison = compare(&before, &after);
	size_t reported[2] = { 0, 0 };
	struct dp_compare_options options = DP_COMPARE_OPTIONS_INIT;

	ck_assert_uint_eq(dp_comparison_pair_count(comparison), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct dp_loop_pair *pair = dp_comparison_pair(comparison, i);

		ck_assert_uint_eq(dp_analysis_loop(before.analysis, pair->loop[0])->length,
				  dp_analysis_loop(after.analysis, pair->loop[1])->length);
		ck_assert(!pair->paired_by_time);
		ck_assert(pair->comparable);
		sums_hold(comparison, i);
	}
	/* The longest first. */
	ck_assert_uint_eq(
		dp_analysis_loop(before.analysis, dp_comparison_pair(comparison, 0)->loop[0])
			->length,
		BASE);
	dp_comparison_free(comparison);
	reported[1] = dp_analysis_loop(after.analysis, 0)->length == BASE;
	reported[0] = dp_analysis_loop(before.analysis, 0)->length != BASE;
	options.loops = reported;
	ck_assert_int_eq(
		dp_comparison_run(&comparison, before.analysis, after.analysis, &options, NULL),
		DP_OK);
	ck_assert_uint_eq(dp_comparison_pair_count(comparison), 1);
	ck_assert_double_lt(dp_comparison_pair(comparison, 0)->similarity, 0.5);
	dp_comparison_free(comparison);
	end_run(&before);
	end_run(&after);
}

/* Compiled again: not one kernel is the same. */
TEST(the_longest_are_paired)
{
	struct piece other[BASE / 2];
	char names[BASE / 2][20];
	struct run before = run_of(base, BASE, 30, 0), after;
	struct dp_comparison *comparison;
	const struct dp_loop_pair *pair;

	for (size_t i = 0; i < BASE / 2; i++) {
		snprintf(names[i], sizeof(names[i]), "triton_%c", (char)('a' + i));
		other[i] = (struct piece){ names[i], 9000 };
	}
	after = run_of(other, BASE / 2, 30, 0);
	comparison = compare(&before, &after);
	pair = dp_comparison_pair(comparison, 0);
	ck_assert_ptr_nonnull(pair);
	ck_assert(pair->paired_by_time);
	ck_assert(pair->comparable);
	ck_assert_uint_eq(pair->same, 0);
	ck_assert_uint_eq(pair->removed, BASE);
	ck_assert_uint_eq(pair->added, BASE / 2);
	ck_assert(dp_difference_is_significant(
		dp_pair_metric(comparison, 0, dp_metric_find("period_ns"))));
	sums_hold(comparison, 0);
	dp_comparison_free(comparison);
	end_run(&before);
	end_run(&after);
}

/* A run in which nothing repeats has no loop to compare. */
TEST(nothing_is_no_failure)
{
	static const struct piece once[] = { { "a", 100 }, { "b", 100 }, { "c", 100 } };
	struct run before = run_of(base, BASE, 30, 0), after = run_of(once, 3, 1, 0);
	struct dp_comparison *comparison = compare(&before, &after);

	ck_assert_uint_eq(dp_comparison_pair_count(comparison), 0);
	ck_assert_ptr_null(dp_pair_part(comparison, 0, 0));
	ck_assert_ptr_null(dp_pair_finding(comparison, 0, 0));
	dp_comparison_free(comparison);
	dp_comparison_free(NULL);
	end_run(&before);
	end_run(&after);
}

TEST(options_are_checked)
{
	struct run run = run_of(base, BASE, 30, 0);
	struct dp_compare_options options = DP_COMPARE_OPTIONS_INIT;
	struct dp_comparison *comparison = NULL;
	struct dp_error error = DP_ERROR_INIT;
	const size_t loops[2] = { 0, 99 };

	options.confidence = 1;
	ck_assert_int_eq(
		dp_comparison_run(&comparison, run.analysis, run.analysis, &options, &error),
		DP_ERR_ARGUMENT);
	options.confidence = (double)NAN;
	ck_assert_int_eq(dp_comparison_run(&comparison, run.analysis, run.analysis, &options, NULL),
			 DP_ERR_ARGUMENT);
	options.confidence = 0.99;
	options.loops = loops;
	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(
		dp_comparison_run(&comparison, run.analysis, run.analysis, &options, &error),
		DP_ERR_ARGUMENT);
	ck_assert_str_eq(error.message, "no loop 99: the last one is 0");
	ck_assert_ptr_null(comparison);
	end_run(&run);
}

/* Analyses of chosen metrics have no times by kernel: those rows are missing, all else is there. */
TEST(chosen_metrics_are_compared)
{
	static const char *const names[] = { "utilization" };
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct run all = run_of(base, BASE, 30, 0), chosen = run_of(base, BASE, 30, 0);
	struct dp_comparison *comparison;

	dp_analysis_free(chosen.analysis);
	options.metrics = names;
	options.metrics_count = 1;
	ck_assert_int_eq(dp_analysis_run(&chosen.analysis, chosen.trace, &options, NULL), DP_OK);
	for (int k = 0; k < 3; k++) {
		comparison = compare(k == 1 ? &all : &chosen, k == 2 ? &all : &chosen);
		ck_assert_uint_eq(dp_comparison_pair(comparison, 0)->same, BASE);
		ck_assert_ptr_null(dp_pair_kernel(comparison, 0, 0));
		ck_assert_ptr_nonnull(dp_pair_place(comparison, 0, 0));
		ck_assert_uint_eq(
			dp_pair_metric(comparison, 0, dp_metric_find("period_ns"))->count[0], 29);
		dp_comparison_free(comparison);
	}
	end_run(&all);
	end_run(&chosen);
}

struct text {
	char *data;
	size_t used;
};

static int keep(void *ctx, const void *data, size_t size)
{
	struct text *text = ctx;
	char *more = realloc(text->data, text->used + size + 1);

	ck_assert_ptr_nonnull(more);
	text->data = more;
	memcpy(more + text->used, data, size);
	text->used += size;
	more[text->used] = '\0';
	return 0;
}

static struct text written(const struct dp_comparison *comparison, const char *format,
			   const struct dp_report_options *options)
{
	struct text text = { NULL, 0 };
	const struct dp_sink sink = { keep, &text };

	ck_assert_int_eq(dp_comparison_write(comparison, format, options, &sink, NULL), DP_OK);
	return text;
}

TEST(formats_say_the_same)
{
	struct run before = run_of(base, BASE, 30, 0), after = run_of(base, BASE - 1, 30, 0);
	struct dp_comparison *comparison = compare(&before, &after);
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct text text = written(comparison, "json", NULL);
	json_t *json = json_loadb(text.data, text.used, JSON_REJECT_DUPLICATES, NULL), *pair;

	ck_assert_ptr_nonnull(json);
	pair = json_array_get(json_object_get(json, "pairs"), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(pair, "removed")), 1);
	ck_assert_str_eq(json_string_value(json_object_get(
				 json_array_get(json_object_get(pair, "kernels"), 0), "change")),
			 "removed");
	json_decref(json);
	free(text.data);
	text = written(comparison, "text", NULL);
	ck_assert_ptr_nonnull(strstr(text.data, "% faster"));
	ck_assert_ptr_nonnull(strstr(text.data, "removed  adam"));
	free(text.data);
	options.ascii = options.verbose = options.all = true;
	text = written(comparison, "text", &options);
	for (size_t i = 0; i < text.used; i++)
		ck_assert((unsigned char)text.data[i] < 0x80);
	free(text.data);
	text = written(comparison, "csv", NULL);
	ck_assert_ptr_nonnull(strstr(text.data, "\"a \"\"run\"\",?here\",0,0,period_ns,ns,"));
	free(text.data);
	ck_assert_int_eq(dp_comparison_write(comparison, "html5", NULL, NULL, NULL),
			 DP_ERR_ARGUMENT);
	ck_assert_ptr_null(dp_comparison_format(5));
	dp_comparison_free(comparison);
	end_run(&before);
	end_run(&after);
}

static int discard(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return 0;
}

/* Every allocation fails once; how many there are. */
static size_t failures(const struct run *before, const struct run *after, const char *format)
{
	const struct dp_sink sink = { discard, NULL };
	size_t k = 0;

	for (bool more = true; more; k++) {
		struct dp_comparison *comparison = format ? compare(before, after) : NULL;
		int status;

		alloc_fail_after(k);
		status = format ? dp_comparison_write(comparison, format, NULL, &sink, NULL)
				: dp_comparison_run(&comparison, before->analysis, after->analysis,
						    NULL, NULL);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		dp_comparison_free(comparison);
	}
	return k - 1;
}

TEST(allocations_fail)
{
	struct run before = epochs(false), after = epochs(true);

	ck_assert_uint_gt(failures(&before, &after, NULL), 50);
	for (size_t f = 0; dp_comparison_format(f); f++)
		ck_assert_uint_ge(failures(&before, &after, dp_comparison_format(f)->name), 1);
	end_run(&before);
	end_run(&after);
}
