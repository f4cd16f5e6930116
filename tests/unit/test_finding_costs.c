/* What findings cost: parts of what, and how severe that makes them. */
#include "finding_cases.h"
#include "test.h"

/* One iteration in a thousand others: the mean is far from what the share was measured with. */
TEST(shares_and_costs_have_one_period)
{
	const struct dp_finding *finding;

	start();
	metric("period_ns")[7] = 1e8;
	set("comm_exposed_ns", 2e5);
	finding = find("exposed-communication");
	ck_assert_ptr_nonnull(finding);
	ck_assert_double_eq(evidence(finding, DP_EVIDENCE_PERIOD), 1e6);
	ck_assert_double_eq(evidence(finding, "share_of_period"),
			    finding->recoverable_ns / evidence(finding, DP_EVIDENCE_PERIOD));
	dp_findings__fini(&at.findings);
}

/* What runs between occurrences and is longer than they are does not belong to them. */
/* Costs of slow iterations are reported with them; idle stretches of others cost what they lack. */
TEST(starved_costs_what_no_other_rule_tells)
{
	const struct dp_finding *finding;

	start();
	set("busy_ns", 8e5);
	set("utilization", 0.8);
	set("longest_gap_ns", 1e4);
	ck_assert_ptr_null(find("starved"));
	metric("period_ns")[7] = 8e8;
	metric("longest_gap_ns")[7] = 7.9e8;
	finding = find("starved");
	ck_assert_ptr_nonnull(finding);
	ck_assert_double_nan(finding->recoverable_ns);
	ck_assert_double_eq(evidence(finding, "long_gap_iterations"), 1);
	ck_assert_double_nan(evidence(finding, "excess_idle_ns"));
	ck_assert_ptr_nonnull(find("slow-iterations"));
	start();
	set("busy_ns", 8e5);
	set("utilization", 0.8);
	set("longest_gap_ns", 1e4);
	metric("busy_ns")[7] = 4e5;
	finding = find("starved");
	ck_assert_ptr_nonnull(finding);
	ck_assert_double_eq_tol(finding->recoverable_ns, 1e6 / 2 / (ITERATIONS - 1), 1e-3);
	ck_assert_double_eq_tol(evidence(finding, "excess_idle_ns"), 1e6 / 2, 1e-3);
	dp_findings__fini(&at.findings);
}

/* Idle stretches are waits for input if typical iterations wait longer for that, and overlap. */
TEST(starved_is_what_the_host_waits_for)
{
	struct dp_host_range ranges[] = {
		{ .outer = "launch", .activity = DP_HOST_WAIT, .typical_ns = 1e3 },
		{ .outer = "load", .activity = DP_HOST_INPUT, .typical_ns = 2e5 },
	};
	struct dp_host_ranges all = { .ranges = ranges, .count = DP_COUNT(ranges) };
	const struct dp_finding *finding;

	for (int input = 0; input < 2; input++) {
		start();
		at.ranges = &all;
		set("busy_ns", 8e5);
		set("utilization", 0.8);
		set("longest_gap_ns", 1e4);
		set("input_wait_ns", input ? 2e5 : 0);
		set("idle_host_ns", 2e5);
		set("host_wait_ns", input ? 1e3 : 2e5);
		metric("busy_ns")[7] = 4e5;
		finding = find("starved");
		ck_assert_ptr_nonnull(finding);
		ck_assert_uint_eq(finding->range_count, 1);
		ck_assert_str_eq(finding->ranges[0].name, input ? "load" : "launch");
		ck_assert_int_eq(finding->activity, input ? DP_HOST_INPUT : DP_HOST_WAIT);
		ck_assert_ptr_nonnull(finding->overlaps);
		ck_assert_str_eq(finding->overlaps, input ? "input-bound" : "host-bound");
	}
	dp_findings__fini(&at.findings);
	at.ranges = NULL;
}

/* Costs are parts of the mean over iterations that have a period. */
TEST(costs_are_spread_over_periods)
{
	const struct dp_finding *finding;

	start();
	metric("period_ns")[7] = 3e6;
	set("compute_ns", 9e5);
	metric("compute_ns")[7] = 2e6;
	finding = find("slow-iterations");
	ck_assert_double_eq(evidence(finding, "slow_iterations"), 1);
	ck_assert_double_eq(finding->recoverable_ns, 2e6 / (ITERATIONS - 1));
	/* Warm-up counts only for its own rule. */
	at.iterations[0].warmup = at.iterations[1].warmup = true;
	metric("period_ns")[0] = 5e6;
	ck_assert_double_eq(find("slow-iterations")->recoverable_ns, 2e6 / (ITERATIONS - 3));
	finding = find("warm-up");
	ck_assert_double_eq(finding->recoverable_ns, 4e6 / (ITERATIONS - 1));
	ck_assert_double_eq(evidence(finding, DP_EVIDENCE_PERIOD), 26e6 / (ITERATIONS - 1));
	dp_findings__fini(&at.findings);
}

/* Each rule's severity is by its share of the period, whatever the rule. */
TEST(severity_is_by_cost)
{
	start();
	set("comm_exposed_ns", 4e4);
	ck_assert_int_eq(find("exposed-communication")->severity, DP_SEVERITY_INFO);
	set("comm_exposed_ns", 1.9e5);
	ck_assert_int_eq(find("exposed-communication")->severity, DP_SEVERITY_WARNING);
	set("comm_exposed_ns", 2e5);
	ck_assert_int_eq(find("exposed-communication")->severity, DP_SEVERITY_CRITICAL);
	set("pageable_copy_ns", 9e5);
	set("copy_exposed_ns", 7e5);
	ck_assert_int_eq(find("pageable-copy")->severity, DP_SEVERITY_WARNING);
	at.summary[dp_summary_metric_find("avg_period_ns")] = 1e6;
	metric("period_ns")[4] = 1.8e6;
	ck_assert_int_eq(find("slow-iterations")->severity, DP_SEVERITY_INFO);
	metric("period_ns")[4] = 3e6;
	ck_assert_int_eq(find("slow-iterations")->severity, DP_SEVERITY_WARNING);
	metric("period_ns")[4] = 3e7;
	ck_assert_int_eq(find("slow-iterations")->severity, DP_SEVERITY_CRITICAL);
	/* not in a loop that is more likely wrong than right; of a given number, it is unknown */
	at.loop.confidence = 0.49;
	ck_assert_int_eq(find("slow-iterations")->severity, DP_SEVERITY_WARNING);
	at.loop.confidence = (double)NAN;
	ck_assert_int_eq(find("slow-iterations")->severity, DP_SEVERITY_CRITICAL);
	dp_findings__fini(&at.findings);
}

/* Both are reported: neither hides the other. */
TEST(input_and_host_wait_are_two)
{
	struct dp_host_range ranges[] = { { .outer = "cudaDeviceSynchronize",
					    .activity = DP_HOST_INPUT,
					    .typical_ns = 1e5,
					    .slow_ns = 2e6 } };
	struct dp_host_ranges all = { .ranges = ranges, .count = DP_COUNT(ranges) };

	start();
	set("idle_host_ns", 5e5);
	set("input_wait_ns", 4e5);
	set("host_wait_ns", 1e5);
	ck_assert_double_eq(find("input-bound")->recoverable_ns, 4e5);
	ck_assert_double_eq(find("host-bound")->recoverable_ns, 1e5);
	set("input_wait_ns", 1e5);
	set("host_wait_ns", 4e5);
	ck_assert_double_eq(find("input-bound")->recoverable_ns, 1e5);
	/* A slow iteration whose input comes late is not blamed on checkpoints. */
	metric("period_ns")[4] = 3e6;
	metric("input_wait_ns")[4] = 2.1e6;
	ck_assert_double_eq(evidence(find("slow-iterations"), "more_input_wait_ns"), 2e6);
	ck_assert_ptr_nonnull(strstr(find("slow-iterations")->advice, "uploads late"));
	/* nor on a loader, unless one runs meanwhile */
	at.terms = DP_TERMS_PYTORCH;
	at.ranges = &all;
	ck_assert_ptr_null(strstr(find("slow-iterations")->advice, "threads"));
	ranges[0].outer = "enumerate(DataLoader)#_Iter.__next__";
	ck_assert_ptr_nonnull(strstr(find("slow-iterations")->advice, "input comes late"));
	dp_findings__fini(&at.findings);
}

TEST(costs_that_overlap_say_so)
{
	start();
	set("upload_exposed_ns", 3e5);
	set("copy_exposed_ns", 3e5);
	set("pageable_copy_ns", 3e5);
	ck_assert_ptr_null(find("copy-bound")->overlaps);
	ck_assert_str_eq(find("pageable-copy")->overlaps, "copy-bound");
	set("comm_exposed_ns", 1e5);
	ck_assert_ptr_null(find("exposed-communication")->overlaps);
	/* host-bound leaves the short gaps to launch-bound: together they cost all of it */
	start();
	set("host_wait_ns", 8e5);
	set("short_gaps_ns", 3e5);
	set("idle_launch_ns", 1e5);
	set("kernel_median_ns", 3e3);
	set("queue_empty", 0.9);
	ck_assert_double_eq(find("host-bound")->recoverable_ns, 6e5);
	ck_assert_double_eq(find("launch-bound")->recoverable_ns, 3e5);
	ck_assert_ptr_null(find("launch-bound")->overlaps);
	dp_findings__fini(&at.findings);
}

/* What the replay would save less than the cost has the severity of that. */
TEST(severity_is_by_what_is_saved)
{
	struct dp_replay replay = { .period_ns = 2e6 };

	start();
	at.replay = &replay;
	set("comm_exposed_ns", 3e5);
	replay.without_ns[DP_REPLAY_COMMUNICATION] = 1.2e6;
	ck_assert_int_eq(find("exposed-communication")->severity, DP_SEVERITY_CRITICAL);
	replay.without_ns[DP_REPLAY_COMMUNICATION] = 1.8e6;
	ck_assert_int_eq(find("exposed-communication")->severity, DP_SEVERITY_WARNING);
	replay.without_ns[DP_REPLAY_COMMUNICATION] = 1.99e6;
	ck_assert_int_eq(find("exposed-communication")->severity, DP_SEVERITY_INFO);
	ck_assert_double_eq(find("exposed-communication")->recoverable_ns, 3e5);
	dp_findings__fini(&at.findings);
}

/* A saving beyond the cost has reasons: other idle time ends, and other work overlaps. */
TEST(savings_beyond_the_cost_have_a_reason)
{
	struct dp_replay replay = { .period_ns = 1e6 };
	const struct dp_finding *finding;

	start();
	at.replay = &replay;
	set("comm_exposed_ns", 1e5);
	replay.without_ns[DP_REPLAY_COMMUNICATION] = 9e5;
	finding = find("exposed-communication");
	ck_assert_double_nan(evidence(finding, "saved_overlap_ns"));
	ck_assert_double_nan(evidence(finding, "saved_idle_ns"));
	replay.without_ns[DP_REPLAY_COMMUNICATION] = 7e5;
	replay.idle_ns[DP_REPLAY_NOTHING] = replay.idle_ns[DP_REPLAY_COMMUNICATION] = 2e5;
	finding = find("exposed-communication");
	ck_assert_double_eq_tol(evidence(finding, "saved_overlap_ns"), 2e5, 1e-3);
	ck_assert_double_nan(evidence(finding, "saved_idle_ns"));
	replay.idle_ns[DP_REPLAY_COMMUNICATION] = 4e4;
	finding = find("exposed-communication");
	ck_assert_double_eq_tol(evidence(finding, "saved_overlap_ns"), 4e4, 1e-3);
	ck_assert_double_eq_tol(evidence(finding, "saved_idle_ns"), 16e4, 1e-3);
	replay.idle_ns[DP_REPLAY_COMMUNICATION] = 5e3;
	finding = find("exposed-communication");
	ck_assert_double_nan(evidence(finding, "saved_overlap_ns"));
	ck_assert_double_eq_tol(evidence(finding, "saved_idle_ns"), 2e5, 1e-3);
	/* the cost itself is idle time */
	set("sync_lost_ns", 1e5);
	replay.without_ns[DP_REPLAY_INNER_WAITS] = 7e5;
	replay.idle_ns[DP_REPLAY_INNER_WAITS] = 4e4;
	finding = find("sync-call");
	ck_assert_double_eq_tol(evidence(finding, "saved_overlap_ns"), 14e4, 1e-3);
	ck_assert_double_eq_tol(evidence(finding, "saved_idle_ns"), 6e4, 1e-3);
	dp_findings__fini(&at.findings);
}

/* A mean that few iterations cause says how many. */
TEST(few_iterations_have_the_cost)
{
	const struct dp_finding *finding;

	start();
	set("comm_exposed_ns", 0);
	metric("comm_exposed_ns")[3] = 9e5;
	finding = find("exposed-communication");
	ck_assert_double_eq(evidence(finding, "cost_iterations"), 1);
	ck_assert_double_eq(evidence(finding, "typical_iterations"), ITERATIONS - 1);
	set("comm_exposed_ns", 1e5);
	ck_assert_double_nan(evidence(find("exposed-communication"), "cost_iterations"));
	dp_findings__fini(&at.findings);
}

/* If only some slow iterations have what takes longer, it is what these have on average. */
TEST(some_slow_iterations_have_a_cause)
{
	const struct dp_finding *finding;

	start();
	set("host_wait_ns", 0);
	set("compute_ns", 9e5);
	for (size_t k = 5; k < 8; k++)
		metric("period_ns")[k] = 3e6;
	/* in two of three */
	metric("compute_ns")[5] = metric("compute_ns")[6] = 2.9e6;
	metric("host_wait_ns")[7] = 2e6;
	finding = find("slow-iterations");
	ck_assert_double_eq(evidence(finding, "more_compute_iterations"), 2);
	ck_assert_double_eq(evidence(finding, "more_compute_ns"), 2e6);
	ck_assert_double_eq(evidence(finding, "more_host_wait_iterations"), 1);
	ck_assert_double_eq(evidence(finding, "more_host_wait_ns"), 2e6);
	metric("compute_ns")[7] = 2e6;
	ck_assert_double_nan(evidence(find("slow-iterations"), "more_compute_iterations"));
	dp_findings__fini(&at.findings);
}

/* Iterations 10 to 19 are measured, and cost more than the others: typical ones save less. */
TEST(measured_iterations_do_not_exaggerate)
{
	struct dp_replay replay = { .period_ns = 1e6, .measured_first = 10, .measured_end = 20 };

	start();
	at.replay = &replay;
	set("comm_exposed_ns", 1e5);
	for (size_t k = 10; k < 20; k++)
		metric("comm_exposed_ns")[k] = 2e5;
	replay.without_ns[DP_REPLAY_COMMUNICATION] = 8e5;
	ck_assert_double_eq(find("exposed-communication")->recoverable_ns, 1.5e5);
	ck_assert_double_eq_tol(find("exposed-communication")->predicted_ns, 8.5e5, 1e-3);
	dp_findings__fini(&at.findings);
}

/* What cannot be replayed is not predicted, and is as severe as what it costs. */
TEST(nothing_is_predicted_without_a_replay)
{
	const struct dp_finding *finding;
	struct dp_replay replay;

	dp_replay__init(&replay);
	start();
	at.replay = &replay;
	set("comm_exposed_ns", 3e5);
	finding = find("exposed-communication");
	ck_assert_int_eq(finding->severity, DP_SEVERITY_CRITICAL);
	ck_assert(isnan(finding->predicted_ns));
	ck_assert_ptr_null(strstr(finding->advice, "not worth"));
	dp_findings__fini(&at.findings);
}

/*
 * Iterations 10 to 19 are measured, and lose less to short gaps, but all host time is gone without
 * launches.
 */
TEST(predictions_for_iterations_that_differ)
{
	struct dp_replay replay = { .period_ns = 2e6, .measured_first = 10, .measured_end = 20 };

	start();
	at.replay = &replay;
	set("busy_ns", 3e5);
	set("short_gaps_ns", 4e5);
	set("kernel_median_ns", 3e3);
	set("queue_empty", 0.9);
	for (size_t k = 10; k < 20; k++)
		metric("period_ns")[k] = 2e6;
	replay.without_ns[DP_REPLAY_LAUNCHES] = replay.work_ns[DP_REPLAY_LAUNCHES] = 3e5;
	/* of 1.5 ms, 0.4 are gone and 3/16 of 1.1 stay, or what the GPU is busy */
	ck_assert_double_eq(find("launch-bound")->predicted_from_ns, 1.5e6);
	ck_assert_double_eq(find("launch-bound")->predicted_ns, 3e5);
	replay.without_ns[DP_REPLAY_LAUNCHES] = 8e5;
	ck_assert_double_eq(find("launch-bound")->predicted_ns, 5.5e5);
	/* a twentieth is saved, which is less than the short gaps */
	replay.without_ns[DP_REPLAY_LAUNCHES] = 1.9e6;
	ck_assert_double_eq(find("launch-bound")->predicted_ns, 1.425e6);
	/* the others work more */
	for (size_t k = 0; k < 10; k++)
		metric("busy_ns")[k] = 9e5;
	replay.without_ns[DP_REPLAY_LAUNCHES] = 3e5;
	ck_assert_double_eq(find("launch-bound")->predicted_ns, 6e5);
	/* nothing is saved, so it is no problem */
	replay.without_ns[DP_REPLAY_LAUNCHES] = 2e6;
	ck_assert_ptr_null(find("launch-bound"));
	dp_findings__fini(&at.findings);
}

/* Each fifth iteration is followed by copies: it may end one of an enclosing loop. */
TEST(slow_iterations_at_equal_distances)
{
	const struct dp_finding *finding;

	start();
	at.loop.parent = DP_NONE;
	at.summary[dp_summary_metric_find("avg_period_ns")] = 3e6;
	set("interval_ns", 1e4);
	set("copy_exposed_ns", 0);
	set("copy_ns", 0);
	for (size_t k = 4; k + 1 < ITERATIONS; k += 5) {
		metric("period_ns")[k] = 1.1e7;
		metric("copy_ns")[k] = 1e7;
		metric("copy_exposed_ns")[k] = 1e7;
		metric("interval_ns")[k + 1] = 1e7 + 1e4;
	}
	finding = find("slow-iterations");
	ck_assert_double_eq(evidence(finding, "slow_every"), 5);
	ck_assert_int_eq(finding->severity, DP_SEVERITY_WARNING);
	ck_assert_ptr_nonnull(strstr(finding->advice, "enclosing loop, pass -n 4 to see it; else"));
	ck_assert_ptr_nonnull(strstr(finding->advice, "look for uploads and downloads"));
	at.loop.parent = 1;
	ck_assert_ptr_nonnull(
		strstr(find("slow-iterations")->advice, "of the enclosing loop; else"));
	/* nothing encloses annotated steps, and a longer kernel is within the iteration */
	at.loop.found_by = DP_FOUND_BY_MARKS;
	finding = find("slow-iterations");
	ck_assert_ptr_null(strstr(finding->advice, "enclosing"));
	ck_assert_int_eq(finding->severity, DP_SEVERITY_CRITICAL);
	at.loop.found_by = DP_FOUND_BY_AUTO;
	set("interval_ns", 1e4);
	ck_assert_ptr_null(strstr(find("slow-iterations")->advice, "enclosing"));
	/* pairs at equal distances: what recurs is the pair */
	for (size_t k = 5; k + 1 < ITERATIONS; k += 5)
		metric("period_ns")[k] = 1.1e7;
	finding = find("slow-iterations");
	ck_assert_double_eq(evidence(finding, "slow_iterations"), 7);
	ck_assert_double_eq(evidence(finding, "slow_groups"), 4);
	ck_assert_double_eq(evidence(finding, "group_every"), 5);
	ck_assert(isnan(evidence(finding, "slow_every")));
	metric("period_ns")[10] = metric("period_ns")[15] = 1e6;
	/* at no equal distance */
	metric("period_ns")[5] = metric("period_ns")[7] = metric("period_ns")[12] = 1.1e7;
	metric("period_ns")[16] = metric("period_ns")[27] = 1.1e7;
	ck_assert(isnan(evidence(find("slow-iterations"), "slow_every")));
	dp_findings__fini(&at.findings);
}

/* A loader stalls before each fifth iteration: idle time is not work of an enclosing loop. */
TEST(stalls_at_equal_distances)
{
	static const char *const waits[] = { "host_wait_ns", "input_wait_ns", "idle_ns" };
	const struct dp_finding *finding;

	for (size_t i = 0; i < DP_COUNT(waits); i++) {
		start();
		at.loop.parent = DP_NONE;
		at.summary[dp_summary_metric_find("avg_period_ns")] = 3e6;
		set("interval_ns", 1e4);
		set("copy_ns", 1e4);
		set(waits[i], 0);
		for (size_t k = 4; k + 1 < ITERATIONS; k += 5) {
			metric("period_ns")[k] = 1.1e7;
			metric(waits[i])[k] = 1e7;
			metric("copy_ns")[k] = 1.1e4;
			metric("interval_ns")[k + 1] = 1e7 + 1e4;
		}
		finding = find("slow-iterations");
		ck_assert_double_eq(evidence(finding, "slow_every"), 5);
		ck_assert_int_eq(finding->severity, DP_SEVERITY_CRITICAL);
		ck_assert_ptr_null(strstr(finding->advice, "enclosing"));
		/* where copies follow, a host that waits for something else is late, too */
		for (size_t k = 4; k + 1 < ITERATIONS; k += 5)
			metric("copy_ns")[k] = 2e4;
		finding = find("slow-iterations");
		ck_assert_int_eq(!strstr(finding->advice, "enclosing"), i < 2);
	}
	dp_findings__fini(&at.findings);
}

/* Input that operators compute on the host: no loader is seen, nor how long it would take. */
TEST(input_that_is_computed)
{
	struct dp_host_range each[] = {
		{ .outer = "aten::randn", .activity = DP_HOST_INPUT, .typical_ns = 5e5 },
		{ .outer = "aten::to", .activity = DP_HOST_INPUT, .typical_ns = 2e5 },
	};
	struct dp_host_ranges ranges = { .ranges = each, .count = DP_COUNT(each) };
	struct dp_replay replay = { .period_ns = 1e6, .measured_end = ITERATIONS };

	start();
	at.terms = DP_TERMS_PYTORCH;
	at.ranges = &ranges;
	at.replay = &replay;
	replay.without_ns[DP_REPLAY_INPUT] = replay.work_ns[DP_REPLAY_INPUT] = 2e5;
	replay.moved_ns[DP_REPLAY_INPUT] = 8e5;
	set("input_wait_ns", 7e5);
	ck_assert_ptr_nonnull(strstr(find("input-bound")->advice, "on the GPU (device="));
	ck_assert(isnan(evidence(find("input-bound"), "threads")));
	each[0].outer = "aten::topk";
	ck_assert_ptr_nonnull(strstr(find("input-bound")->advice, "on the GPU (device="));
	/* copies are no computation, nor is a batch made of samples */
	each[0].outer = "aten::_to_copy";
	ck_assert_ptr_nonnull(strstr(find("input-bound")->advice, "num_workers=4 or more"));
	each[0].outer = "aten::stack";
	ck_assert_ptr_nonnull(strstr(find("input-bound")->advice, "num_workers=4 or more"));
	dp_findings__fini(&at.findings);
}

/* Host work that moves to other threads takes as long there, and is shared by as many as it takes.
 */
TEST(work_that_one_thread_cannot_hide)
{
	struct dp_host_range range = { .outer = "_MultiProcessingDataLoaderIter.__next__",
				       .activity = DP_HOST_INPUT,
				       .typical_ns = 7e5 };
	struct dp_host_ranges ranges = { .ranges = &range, .count = 1 };
	struct dp_replay replay = { .period_ns = 1e6, .measured_end = ITERATIONS };
	const struct dp_finding *finding;

	start();
	at.replay = &replay;
	set("input_wait_ns", 7e5);
	replay.without_ns[DP_REPLAY_INPUT] = replay.work_ns[DP_REPLAY_INPUT] = 2e5;
	replay.moved_ns[DP_REPLAY_INPUT] = 2.05e5;
	ck_assert(isnan(evidence(find("input-bound"), "threads")));
	ck_assert(isnan(evidence(find("input-bound"), "outside_ns")));
	/* without ranges or samples, the host may as well wait */
	replay.moved_ns[DP_REPLAY_INPUT] = 8e5;
	finding = find("input-bound");
	ck_assert(isnan(evidence(finding, "threads")));
	ck_assert(isnan(evidence(finding, "moved_ns")));
	ck_assert_double_eq(evidence(finding, "outside_ns"), 8e5);
	ck_assert_ptr_nonnull(strstr(finding->advice, "works or waits"));
	at.ranges = &ranges;
	range.outer = "decode";
	finding = find("input-bound");
	ck_assert_ptr_null(strstr(finding->advice, "works or waits"));
	/* nobody uses as many threads as it takes */
	replay.moved_ns[DP_REPLAY_INPUT] = 2e6;
	finding = find("input-bound");
	ck_assert(isnan(evidence(finding, "threads")));
	ck_assert_double_eq(evidence(finding, "moved_ns"), 2e6);
	ck_assert_ptr_null(strstr(finding->advice, "threads"));
	replay.moved_ns[DP_REPLAY_INPUT] = 8e5;
	finding = find("input-bound");
	ck_assert_double_eq(evidence(finding, "threads"), 4);
	ck_assert_double_eq(evidence(finding, "moved_ns"), 8e5);
	ck_assert_double_eq(finding->predicted_ns, 2e5);
	ck_assert_ptr_nonnull(strstr(finding->advice, "among 4 other threads"));
	at.terms = DP_TERMS_TENSORS;
	ck_assert_ptr_nonnull(strstr(find("input-bound")->advice, "among 4 other threads"));
	at.terms = DP_TERMS_TRAINING;
	ck_assert_ptr_nonnull(strstr(find("input-bound")->advice, "num_workers=4 or more"));
	/* how long workers take that load already is unknown */
	range.outer = "_MultiProcessingDataLoaderIter.__next__";
	finding = find("input-bound");
	ck_assert(isnan(evidence(finding, "threads")));
	ck_assert_ptr_nonnull(strstr(finding->advice, "num_workers=..."));
	dp_findings__fini(&at.findings);
	at.ranges = NULL;
}

/* What is uploaded is too little for a loader, unless one is seen. */
TEST(small_input_needs_no_loader)
{
	struct dp_host_range range = { .outer = "enumerate(DataLoader)#_Iter.__next__",
				       .activity = DP_HOST_INPUT,
				       .typical_ns = 1e3 };
	struct dp_host_ranges ranges = { .ranges = &range, .count = 1 };

	start();
	at.terms = DP_TERMS_TRAINING;
	set("input_wait_ns", 7e5);
	set("h2d_bytes", 65536);
	ck_assert_ptr_nonnull(strstr(find("input-bound")->advice, "DataLoader"));
	set("h2d_bytes", 7680);
	ck_assert_ptr_null(strstr(find("input-bound")->advice, "DataLoader"));
	ck_assert_double_eq(evidence(find("input-bound"), "h2d_bytes"), 7680);
	at.ranges = &ranges;
	ck_assert_ptr_nonnull(strstr(find("input-bound")->advice, "DataLoader"));
	dp_findings__fini(&at.findings);
	at.ranges = NULL;
}

/* Host work in a gap is known as such if a processor ran most of it. */
TEST(work_shows_on_a_processor)
{
	start();
	set("host_wait_ns", 3e5);
	set("host_stall_ns", 3e5);
	set("longest_gap_ns", 3e5);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "works or waits"));
	set("host_outside_ns", 4e5);
	set("cpu_run_ns", 7e5);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "works or waits"));
	set("cpu_run_ns", 7.6e5);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "move this host work"));
	dp_findings__fini(&at.findings);
}

/* Advice for a trace of HIP names HIP's functions, and is as before otherwise. */
TEST(advice_names_hip)
{
	char advice[DP_ADVICE_SIZE], longest[2 * DP_ADVICE_SIZE];

	start();
	set("pageable_copy_ns", 3e5);
	set("copy_exposed_ns", 3e5);
	ck_assert_ptr_nonnull(strstr(find("pageable-copy")->advice, "(cudaMallocHost)"));
	at.hip = true;
	ck_assert_str_eq(find("pageable-copy")->advice,
			 "copy from pinned memory (hipHostMalloc), in less than half the time");
	dp_advice__use_hip(advice, "no CUDA, one CUDA graph, cudaMallocAsync");
	ck_assert_str_eq(advice, "no CUDA, one HIP graph, hipMallocAsync");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	memcpy(longest + DP_ADVICE_SIZE - 5, "cudaMallocAsync", 15);
	dp_advice__use_hip(advice, longest);
	ck_assert_uint_eq(strlen(advice), DP_ADVICE_SIZE - 1);
	ck_assert_str_eq(advice + DP_ADVICE_SIZE - 5, "hipM");
	dp_findings__fini(&at.findings);
}

/* What a capture is idle outside of what the finding costs is evidence, unless it is little. */
TEST(idle_time_elsewhere_is_evidence)
{
	const struct dp_rule *rule = dp_rule__at(dp_rule_find("starved"));
	struct dp_rule_slices slices = { .length_ns = 1e6 };
	struct dp_rule_finding found;
	struct dp_rule_input input;

	for (int much = 0; much < 2; much++) {
		start();
		input = (struct dp_rule_input){ .loop = &at.loop,
						.iterations = at.iterations,
						.values = at.values,
						.summary = at.summary,
						.scope = DP_SCOPE_CAPTURE,
						.slices = &slices };
		for (size_t i = 0; i < DP_RULE_SLICES; i++)
			slices.busy_ns[i] = !i ? 4e5 : much ? 7e5 : 9.6e5;
		memset(&found, 0, sizeof(found));
		ck_assert(rule->check(&input, &found));
		ck_assert_double_eq_tol(found.finding.recoverable_ns, 6e5, 1e-3);
		found.finding.evidence = found.values;
		ck_assert_double_eq_tol(evidence(&found.finding, "parts_of_30"), 1, 1e-9);
		if (much)
			ck_assert_double_eq_tol(evidence(&found.finding, "other_idle_ns"), 8.7e6,
						1e-3);
		else
			ck_assert(isnan(evidence(&found.finding, "other_idle_ns")));
	}
	/* the longest gap counts where it reaches into the busy slice after the idle one */
	at.iterations[0].start_ns = 500;
	slices.gaps = (struct dp_long_gaps){ .longest_ns = 7e5, .longest_start_ns = 400500 };
	memset(&found, 0, sizeof(found));
	ck_assert(rule->check(&input, &found));
	ck_assert_double_eq_tol(found.finding.recoverable_ns, 7e5, 1e-3);
	dp_findings__fini(&at.findings);
}
