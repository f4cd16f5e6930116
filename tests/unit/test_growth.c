/* Rules about what grows over the run, on metrics made by hand. */
#include "finding_cases.h"
#include "test.h"

/*
 * Compute time that rises by a hundredth of the period per iteration, and the kernel that causes
 * it.
 */
TEST(iterations_that_grow_are_explained)
{
	double cat_ns[ITERATIONS] = { 0 }, launches[ITERATIONS];
	struct dp_loop_stats stats = {
		.growing = { .name = "cat", .ns = cat_ns, .launches = launches }
	};
	const struct dp_finding *finding;

	start();
	at.stats = &stats;
	for (size_t k = 0; k + 1 < ITERATIONS; k++) {
		metric("period_ns")[k] = 1e6 + 1e4 * (double)k;
		metric("compute_ns")[k] = 8e5 + 1e4 * (double)k;
		cat_ns[k] = 9990 * (double)k;
		launches[k] = 7;
	}
	/* a slow iteration changes nothing */
	metric("period_ns")[ITERATIONS - 3] = metric("compute_ns")[ITERATIONS - 3] = 1e8;
	cat_ns[ITERATIONS - 3] = 9e7;
	finding = find("growing-iteration");
	ck_assert_ptr_nonnull(finding);
	ck_assert_double_eq_tol(evidence(finding, "rise_per_iteration_ns"), 1e4, 1);
	/* a search may do more on purpose */
	ck_assert_ptr_nonnull(strstr(finding->advice, "unless the work is meant to grow"));
	ck_assert_str_eq(call_of(finding), "cat");
	ck_assert_double_eq_tol(evidence(finding, "kernel_rise_ns"), 9990, 1);
	ck_assert_ptr_nonnull(strstr(finding->advice, "that grows"));
	for (size_t k = 0; k < ITERATIONS; k++)
		launches[k] = (double)k;
	ck_assert_ptr_nonnull(strstr(find("growing-iteration")->advice, "launched more often"));
	/* what grows by less than a tenth of the rise explains nothing */
	for (size_t k = 0; k < ITERATIONS; k++)
		cat_ns[k] = 900 * (double)k;
	ck_assert_ptr_null(call_of(find("growing-iteration")));
	/* if no part grows, this rule reports nothing */
	set("compute_ns", 8e5);
	ck_assert_ptr_null(find("growing-iteration"));
	/* Nor is a rise of less than a tenth. */
	for (size_t k = 0; k + 1 < ITERATIONS; k++) {
		metric("period_ns")[k] = 1e6 + 4e3 * (double)k;
		metric("compute_ns")[k] = 8e5 + 4e3 * (double)k;
	}
	ck_assert_ptr_null(find("growing-iteration"));
	at.stats = NULL;
	dp_findings__fini(&at.findings);
}

/* Another kind of work, for a part of the run: nothing grows before it, in it or after it. */
TEST(a_jump_is_no_growth)
{
	start();
	for (size_t k = 0; k + 1 < ITERATIONS; k++) {
		metric("period_ns")[k] = (k < 11 ? 1e6 : 1.5e6) + 1e3 * (double)(k * 7 % 5);
		metric("compute_ns")[k] = metric("period_ns")[k] - 2e5;
		metric("live_bytes")[k] = k < 11 ? 1e9 : 2e9;
	}
	ck_assert_ptr_null(find("growing-iteration"));
	ck_assert_ptr_null(find("memory-growth"));
	/* several steps are */
	for (size_t k = 0; k + 1 < ITERATIONS; k++) {
		metric("period_ns")[k] = metric("compute_ns")[k] = 1e6 + 1e5 * (double)(k / 5);
		metric("live_bytes")[k] = 1e9 + 1e8 * (double)(k / 5);
	}
	ck_assert_ptr_nonnull(find("growing-iteration"));
	ck_assert_ptr_nonnull(find("memory-growth"));
	dp_findings__fini(&at.findings);
}

/* The launcher of copies, or the host range, that grows with the iterations is named. */
TEST(copies_and_host_work_that_grow_are_explained)
{
	struct dp_transfers transfers = { .name = { [DP_TRANSFER_UPLOAD] = "aten::copy_" },
					  .share = { [DP_TRANSFER_UPLOAD] = 1 } };
	struct dp_host_range ranges[] = {
		{ .outer = "forward", .activity = DP_HOST_WAIT, .rise_ns = 10 },
		{ .outer = "build_mask", .activity = DP_HOST_WAIT, .rise_ns = 9990 }
	};
	struct dp_host_ranges all = { .ranges = ranges, .count = DP_COUNT(ranges) };
	const struct dp_finding *finding;

	start();
	at.transfers = &transfers;
	at.ranges = &all;
	for (size_t k = 0; k + 1 < ITERATIONS; k++) {
		metric("period_ns")[k] = 1e6 + 1e4 * (double)k;
		metric("upload_exposed_ns")[k] = metric("copy_exposed_ns")[k] = 1e4 * (double)k;
	}
	finding = find("growing-iteration");
	ck_assert_double_eq_tol(evidence(finding, "upload_rise_ns"), 1e4 * (ITERATIONS - 1), 1e4);
	ck_assert_str_eq(call_of(finding), "aten::copy_");
	ck_assert_ptr_nonnull(strstr(finding->advice, "which upload"));
	transfers.share[DP_TRANSFER_UPLOAD] = 0.02;
	ck_assert_ptr_null(call_of(find("growing-iteration")));
	set("upload_exposed_ns", 0);
	set("copy_exposed_ns", 0);
	for (size_t k = 0; k + 1 < ITERATIONS; k++)
		metric("host_wait_ns")[k] = metric("idle_host_ns")[k] = 4e5 + 1e4 * (double)k;
	finding = find("growing-iteration");
	ck_assert_double_eq_tol(evidence(finding, "host_rise_ns"), 1e4 * (ITERATIONS - 1), 1e4);
	ck_assert_str_eq(call_of(finding), "build_mask");
	/* what a range rises by beyond the rise that it is named for is no part of that */
	ranges[1].rise_ns = 20000;
	ck_assert_double_eq_tol(evidence(find("growing-iteration"), "range_rise_ns"), 1e4, 1);
	ranges[1].rise_ns = 990;
	ck_assert_ptr_null(call_of(find("growing-iteration")));
	ranges[1].rise_ns = 9990;
	finding = find("growing-iteration");
	/* its cost is a part of another's */
	ck_assert_ptr_nonnull(finding->overlaps);
	ck_assert_str_eq(finding->overlaps, "host-bound");
	/* outside of all ranges a function is named, if it is most of that and seen often enough */
	ranges[1].outer = "";
	ck_assert_ptr_null(call_of(find("growing-iteration")));
	ranges[0] = (struct dp_host_range){ .outer = "append",
					    .activity = DP_HOST_WAIT_SAMPLED,
					    .rise_ns = 9000,
					    .calls = DP_SAMPLES_LEAST };
	ck_assert_str_eq(call_of(find("growing-iteration")), "append");
	ranges[0].calls--;
	ck_assert_ptr_null(call_of(find("growing-iteration")));
	ranges[0].calls++;
	ranges[0].rise_ns = 4000;
	ck_assert_ptr_null(call_of(find("growing-iteration")));
	/* growth between iterations is reported by growing-interval alone */
	for (size_t k = 0; k + 1 < ITERATIONS; k++)
		metric("interval_ns")[k + 1] = 4e5 + 1e4 * (double)k;
	ck_assert_ptr_null(find("growing-iteration"));
	ck_assert_ptr_nonnull(find("growing-interval"));
	dp_findings__fini(&at.findings);
	memset(&at, 0, sizeof(at));
}

/* The time of copies grows, but not what is copied. */
TEST(copies_of_the_same_bytes_have_other_advice)
{
	start();
	set("h2d_bytes", 1e6);
	set("d2h_bytes", 0);
	set("d2d_bytes", 0);
	for (size_t k = 0; k + 1 < ITERATIONS; k++) {
		metric("period_ns")[k] = 1e6 + 1e4 * (double)k;
		metric("copy_exposed_ns")[k] = 5e5 + 1e4 * (double)k;
	}
	ck_assert_ptr_nonnull(strstr(find("growing-iteration")->advice, "bytes do not grow"));
	for (size_t k = 0; k + 1 < ITERATIONS; k++)
		metric("upload_exposed_ns")[k] = metric("copy_exposed_ns")[k];
	ck_assert_ptr_nonnull(strstr(find("growing-iteration")->advice, "bytes do not grow"));
	for (size_t k = 0; k + 1 < ITERATIONS; k++)
		metric("h2d_bytes")[k] = 1e6 + 1.5e4 * (double)k;
	ck_assert_ptr_nonnull(strstr(find("growing-iteration")->advice, "which upload"));
	/* other copies grow */
	set("upload_exposed_ns", 0);
	set("h2d_bytes", 1e6);
	ck_assert_ptr_nonnull(strstr(find("growing-iteration")->advice, "bytes do not grow"));
	for (size_t k = 0; k + 1 < ITERATIONS; k++)
		metric("d2h_bytes")[k] = 1e3 * (double)k;
	ck_assert_ptr_nonnull(strstr(find("growing-iteration")->advice, "copied more"));
	/* sizes that are unknown say nothing */
	set("d2h_bytes", (double)NAN);
	ck_assert_ptr_nonnull(strstr(find("growing-iteration")->advice, "copied more"));
	dp_findings__fini(&at.findings);
}

/* Intervals that rise by 1% of the period per iteration, with the periods and idle time given. */
static const struct dp_finding *growing(double period_ns, double idle_ns, const char *idle)
{
	for (size_t k = 0; k + 1 < ITERATIONS; k++) {
		metric("interval_ns")[k + 1] = 4e5 + 1e4 * (double)k;
		metric("period_ns")[k] = 1e6 + period_ns * (double)k;
		metric(idle)[k] = 5e5 + idle_ns * (double)k;
	}
	return find("growing-interval");
}

TEST(intervals_grow_as_far_as_idle_time_and_the_period)
{
	const struct dp_finding *finding;

	start();
	finding = growing(1e4, 1e4, "idle_host_ns");
	ck_assert_ptr_nonnull(finding);
	ck_assert_double_eq_tol(finding->recoverable_ns, 1e4 * (ITERATIONS - 1) / 2, 1e4);
	ck_assert_double_nan(evidence(finding, "idle_rise_ns"));
	ck_assert_double_eq_tol(evidence(finding, "interval_ns"), 4.95e5, 1);
	/* a paced loop, whose GPU part becomes shorter */
	ck_assert_ptr_null(growing(0, 1e4, "idle_host_ns"));
	ck_assert_ptr_null(growing(-1e4, 1e4, "idle_host_ns"));
	/* copies between iterations take longer */
	ck_assert_ptr_null(growing(1e4, 0, "idle_host_ns"));
	finding = growing(1e4, 5e3, "idle_host_ns");
	ck_assert_double_eq_tol(finding->recoverable_ns, 5e3 * (ITERATIONS - 1) / 2, 5e3);
	ck_assert_double_eq_tol(evidence(finding, "idle_rise_ns"), 5e3 * (ITERATIONS - 1), 5e3);
	ck_assert_double_eq_tol(evidence(finding, "rise_ns"), 1e4 * (ITERATIONS - 1), 1e4);
	finding = growing(6e3, 1e4, "idle_host_ns");
	ck_assert_double_eq_tol(evidence(finding, "period_rise_ns"), 6e3 * (ITERATIONS - 1), 6e3);
	/* without launches, all idle time */
	set("idle_host_ns", (double)NAN);
	ck_assert_ptr_nonnull(growing(1e4, 1e4, "idle_ns"));
	ck_assert_ptr_null(growing(1e4, 0, "idle_ns"));
	dp_findings__fini(&at.findings);
}

/* What grows between iterations, and the slow ones that growth ends in, are part of the growth. */
TEST(one_trend_is_one_cost)
{
	start();
	for (size_t k = 0; k < ITERATIONS; k++) {
		metric("period_ns")[k] = 1e6 + 3e4 * (double)k;
		metric("compute_ns")[k] = 5e5 + 2e4 * (double)k;
		metric("interval_ns")[k] = metric("idle_ns")[k] = metric("idle_host_ns")[k] =
			3e5 + 1e4 * (double)k;
	}
	at.summary[dp_summary_metric_find("avg_period_ns")] = 1.3e6;
	metric("period_ns")[ITERATIONS - 1] = (double)NAN;
	metric("period_ns")[ITERATIONS - 2] = 3e6;
	ck_assert_ptr_null(find("growing-iteration")->overlaps);
	ck_assert_str_eq(find("growing-interval")->overlaps, "growing-iteration");
	ck_assert_ptr_nonnull(find("slow-iterations"));
	ck_assert_str_eq(find("slow-iterations")->overlaps, "growing-iteration");
	/* a slow one among others is no growth */
	metric("period_ns")[ITERATIONS - 2] = 1.6e6;
	metric("period_ns")[ITERATIONS / 2] = 6e6;
	ck_assert_ptr_nonnull(find("slow-iterations"));
	ck_assert_ptr_null(find("slow-iterations")->overlaps);
	dp_findings__fini(&at.findings);
}
