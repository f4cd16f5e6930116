/* Rules on metrics made by hand: when they report. */
#include "finding_cases.h"
#include "test.h"

/* A trace may have ranges of the host, which nothing links to the device without launches. */
TEST(launches_are_missing_for_idle_time_without_cause)
{
	const struct dp_finding *finding;

	start();
	set("idle_ns", 5e5);
	finding = find("starved");
	ck_assert_ptr_nonnull(finding);
	ck_assert_ptr_nonnull(strstr(finding->advice, "record launches"));
	dp_findings__fini(&at.findings);
}

/* The advice names the iterations to look at. */
TEST(iterations_with_long_gaps_are_named)
{
	start();
	set("busy_ns", 9e5);
	set("utilization", 0.9);
	set("longest_gap_ns", 1e4);
	metric("longest_gap_ns")[5] = metric("longest_gap_ns")[9] = 6e8;
	ck_assert_ptr_nonnull(strstr(find("starved")->advice, "in iterations 5 to 9"));
	metric("longest_gap_ns")[9] = 1e4;
	ck_assert_ptr_nonnull(strstr(find("starved")->advice, "in iteration 5"));
	dp_findings__fini(&at.findings);
}

static void extra(size_t inserted, size_t foreign, double period_ns)
{
	start();
	for (size_t k = 3; k + 1 < ITERATIONS; k += 4) {
		at.iterations[k].inserted = (uint32_t)inserted;
		at.iterations[k + 1].foreign_kernels = foreign;
		metric("period_ns")[k] = period_ns;
	}
}

TEST(extra_work_is_part_of_iterations)
{
	const struct dp_finding *finding;

	extra(5, 0, 1.5e6);
	finding = find("extra-work");
	ck_assert_ptr_nonnull(finding);
	ck_assert_double_eq(evidence(finding, "extra_kernels"), 5);
	ck_assert_double_eq(finding->recoverable_ns, 1.25e5);
	ck_assert_double_eq(evidence(finding, DP_EVIDENCE_PERIOD), 1.125e6);
	extra(0, 5, 1e8);
	finding = find("extra-work");
	ck_assert_ptr_nonnull(finding);
	ck_assert_double_lt(finding->recoverable_ns, evidence(finding, DP_EVIDENCE_PERIOD));
	extra(0, 300, 1e8);
	ck_assert_ptr_null(find("extra-work"));
	dp_findings__fini(&at.findings);
}

/* The first iteration lacks most of its kernels; that makes the slow ones no larger. */
TEST(slow_iterations_are_compared_by_medians)
{
	const struct dp_finding *finding;

	start();
	set("compute_ns", 9e5);
	at.iterations[0].deleted = 84;
	for (size_t k = 8; k < 16; k += 5) {
		metric("period_ns")[k] = 2e6;
		metric("compute_ns")[k] = 1.9e6;
	}
	finding = find("slow-iterations");
	ck_assert_ptr_nonnull(finding);
	ck_assert(isnan(evidence(finding, "more_kernels")));
	at.iterations[8].inserted = at.iterations[13].inserted = 3;
	ck_assert_double_eq(evidence(find("slow-iterations"), "more_kernels"), 3);
	dp_findings__fini(&at.findings);
}

/* An event-driven wait costs the time lost, and is reported with where it was spent. */
TEST(waits_that_cost_nothing_are_no_finding)
{
	start();
	set("sync_lost_ns", 2e4);
	set("host_sync_ns", 3e4);
	ck_assert_ptr_null(find("sync-call"));
	set("sync_lost_ns", 2e5);
	set("host_sync_ns", 3e5);
	ck_assert(isnan(evidence(find("sync-call"), "host_copy_ns")));
	set("host_sync_ns", 1e3);
	set("host_copy_ns", 3e5);
	ck_assert_double_eq(evidence(find("sync-call"), "host_copy_ns"), 3e5);
	/* of 200 us, at least 150 are after launches: before them the GPU is idle for 50 */
	set("idle_ns", 8e5);
	set("idle_other_ns", 7.5e5);
	ck_assert_double_eq(evidence(find("sync-call"), "launched_ns"), 1.5e5);
	set("idle_other_ns", 6.5e5);
	ck_assert(isnan(evidence(find("sync-call"), "launched_ns")));
	dp_findings__fini(&at.findings);
}

/* Long calls are reported by name, and the host is not blamed for them a second time. */
TEST(calls_that_stall_are_named)
{
	struct dp_stall each[] = {
		{ "cudaFree", 3, DP_PURPOSE_FREE, 2, 4, 8e5 },
		{ "cudaFree", 3, DP_PURPOSE_FREE, 5, 2, 4e5 },
		{ "cudaMalloc", 7, DP_PURPOSE_ALLOCATE, 2, 40, 1e6 },
		{ "cudaMalloc", 7, DP_PURPOSE_ALLOCATE, ITERATIONS - 1, 40, 1e9 },
	};
	struct dp_stalls stalls = { .stalls = each, .count = 2 };
	const struct dp_finding *finding;

	start();
	at.stalls = &stalls;
	set("host_wait_ns", 3e5);
	set("idle_sync_ns", 0);
	set("call_stall_ns", 4e4);
	ck_assert_ptr_null(find("api-stall"));
	ck_assert_double_eq(find("host-bound")->recoverable_ns, 3e5);
	set("call_stall_ns", 2.8e5);
	ck_assert_ptr_null(find("host-bound"));
	finding = find("api-stall");
	ck_assert_ptr_nonnull(finding);
	ck_assert_int_eq(finding->severity, DP_SEVERITY_CRITICAL);
	ck_assert_double_eq(finding->recoverable_ns, 2.8e5);
	ck_assert_double_eq(evidence(finding, "call_ns"), 1.2e6 / (ITERATIONS - 1));
	ck_assert_double_eq(evidence(finding, "calls"), 6.0 / (ITERATIONS - 1));
	ck_assert_str_eq(call_of(finding), "cudaFree");
	set("call_stall_ns", 2e5);
	ck_assert_double_eq(find("host-bound")->recoverable_ns, 3e5 - 2e5);
	/* Iteration 2 is slow, because of another call. */
	stalls.count = 4;
	metric("period_ns")[2] = 2e6;
	metric("host_wait_ns")[2] = 1.3e6;
	finding = find("slow-iterations");
	ck_assert_double_eq(evidence(finding, "more_host_wait_ns"), 1e6);
	ck_assert_double_eq(evidence(finding, "more_call_ns"), 1e6);
	ck_assert_str_eq(call_of(finding), "cudaMalloc");
	metric("host_wait_ns")[2] = 1e7;
	ck_assert_ptr_null(call_of(find("slow-iterations")));
	dp_findings__fini(&at.findings);
}

/* Of ten random gaps the longest takes .29 of all on average; more than twice that is no chance. */
TEST(gaps_are_spread_or_not)
{
	ck_assert(dp_rule__is_spread(0.29, 1, 10));
	ck_assert(dp_rule__is_spread(0.57, 1, 10));
	ck_assert(!dp_rule__is_spread(0.6, 1, 10));
	ck_assert(dp_rule__is_spread(0.04, 1, 1000)); /* little, however improbable */
	ck_assert(!dp_rule__is_spread(0.06, 1, 1000));
	/* of so few, chance explains any, but not that one has nearly all */
	ck_assert(dp_rule__is_spread(0.85, 1, 3));
	ck_assert(!dp_rule__is_spread(0.95, 1, 3));
	ck_assert(!dp_rule__is_spread(1, 1, 1));
}

/* Launches come late because they are slow, or because the host waited before. */
TEST(waits_that_leave_no_lead_are_reported)
{
	const struct dp_finding *finding;

	start();
	set("host_wait_ns", 2e5);
	set("host_stall_ns", 1e4);
	set("host_sync_ns", 5e5);
	set("idle_after_sync_ns", 9e4);
	finding = find("host-bound");
	ck_assert_ptr_nonnull(strstr(finding->advice, "reduce launch overhead"));
	ck_assert_double_nan(evidence(finding, "host_sync_ns"));
	set("idle_after_sync_ns", 1.1e5);
	finding = find("host-bound");
	ck_assert_ptr_nonnull(
		strstr(finding->advice, "avoid a synchronization in every iteration"));
	ck_assert_double_eq(evidence(finding, "idle_after_sync_ns"), 1.1e5);
	ck_assert_double_eq(evidence(finding, "host_sync_ns"), 5e5);
	set("host_stall_ns", 1.5e5);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "out of the loop"));
	dp_findings__fini(&at.findings);
}

/* Operators launch slowly in several gaps; in a single one, which a launch ends, they do not. */
TEST(a_single_gap_is_no_slow_launch)
{
	struct dp_host_range range = { .outer = "aten::index_select",
				       .activity = DP_HOST_WAIT,
				       .typical_ns = 3e5 };
	struct dp_host_ranges all = { .ranges = &range, .count = 1 };

	start();
	at.ranges = &all;
	set("host_wait_ns", 3e5);
	set("host_stall_ns", 3e5);
	set("longest_gap_ns", 2e5);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "reduce launch overhead"));
	set("longest_gap_ns", 3.1e5);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "delays this one launch"));
	/* of another cause */
	set("longest_gap_ns", 9e5);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "reduce launch overhead"));
	range.outer = "tokenize";
	set("longest_gap_ns", 3.1e5);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "out of the loop"));
	dp_findings__fini(&at.findings);
	memset(&at, 0, sizeof(at));
}

/* Between a stream's iterations others may keep the device busy: then nothing is waited for. */
TEST(a_stream_may_pause_while_others_run)
{
	start();
	set("interval_ns", 4e5);
	set("overlap", 0);
	ck_assert_double_eq(find("host-bound")->recoverable_ns, 4e5);
	set("idle_ns", 1e5);
	ck_assert_double_eq(find("host-bound")->recoverable_ns, 1e5);
	set("idle_ns", 3e4);
	ck_assert_ptr_null(find("host-bound"));
	dp_findings__fini(&at.findings);
}

/* An interval that is like the gaps between operations is no work of the host between iterations. */
TEST(an_interval_like_other_gaps_is_none)
{
	start();
	set("interval_ns", 9e4);
	set("overlap", 0);
	set("operation_gap_ns", 4e4);
	ck_assert_double_eq(find("host-bound")->recoverable_ns, 9e4);
	set("operation_gap_ns", 5e4);
	ck_assert_ptr_null(find("host-bound"));
	dp_findings__fini(&at.findings);
}

/* A loop that is idle as a whole is reported even if nothing tells why. */
TEST(idle_loops_without_launches_are_reported)
{
	start();
	set("interval_ns", 1e5);
	set("overlap", 0);
	set("idle_ns", 6e5);
	set("longest_gap_ns", 2e5);
	ck_assert_double_eq(find("starved")->recoverable_ns, 6e5);
	ck_assert_str_eq(find("host-bound")->overlaps, "starved");
	set("idle_ns", 1.4e5);
	ck_assert_ptr_null(find("starved"));
	set("idle_ns", 6e5);
	set("interval_ns", 5e5); /* host-bound tells where most of it is */
	ck_assert_ptr_null(find("starved"));
	set("operation_gap_ns", 3e5); /* it is like other gaps: host-bound does not */
	ck_assert_ptr_null(find("host-bound"));
	ck_assert_double_eq(find("starved")->recoverable_ns, 6e5);
	set("operation_gap_ns", 1e3);
	set("interval_ns", 1e5);
	set("host_wait_ns", 5e4); /* launches are recorded */
	ck_assert_ptr_null(find("starved"));
	dp_findings__fini(&at.findings);
}

/* Facts about intervals are about those that the share was measured with. */
TEST(warm_up_is_in_no_evidence)
{
	const struct dp_finding *finding;

	start();
	set("interval_ns", 4e5);
	set("overlap", 0.25);
	set("operation_gap_ns", 1e4);
	at.iterations[0].warmup = true;
	metric("interval_ns")[1] = 9e5;
	metric("overlap")[1] = 0;
	metric("operation_gap_ns")[0] = 5e5;
	for (int launches = 0; launches < 2; launches++) {
		if (launches)
			set("host_wait_ns", 3e5);
		finding = find("host-bound");
		ck_assert_ptr_nonnull(finding);
		ck_assert_double_eq(finding->recoverable_ns, 3e5);
		ck_assert_double_eq(evidence(finding, "interval_ns"), 4e5);
		if (launches)
			continue;
		ck_assert_double_eq(evidence(finding, "overlap"), 0.25);
		ck_assert_double_eq_tol(evidence(finding, "operation_gap_ns"), 1e4, 1e-6);
	}
	dp_findings__fini(&at.findings);
}

/* What is reported as a part of something does not exceed it. */
TEST(long_gaps_are_a_part_of_what_is_waited)
{
	const struct dp_finding *finding;

	start();
	set("host_wait_ns", 3e5);
	set("idle_sync_ns", 0);
	set("host_stall_ns", 2.9e5);
	finding = find("host-bound");
	ck_assert_double_eq(evidence(finding, "host_stall_ns"), 2.9e5);
	set("host_stall_ns", 3.4e5);
	finding = find("host-bound");
	ck_assert_double_eq(evidence(finding, "host_stall_ns"), evidence(finding, "host_wait_ns"));
	dp_findings__fini(&at.findings);
}

/* The last iteration has no period; it is slow if its duration exceeds the limit for periods. */
TEST(the_last_iteration_may_be_slow)
{
	const struct dp_finding *finding;

	start();
	set("duration_ns", 9e5);
	metric("period_ns")[12] = 3e6;
	metric("duration_ns")[ITERATIONS - 1] = 9e5;
	finding = find("slow-iterations");
	ck_assert_double_eq(evidence(finding, "slow_iterations"), 1);
	ck_assert_uint_eq(finding->last_iteration, 12);
	metric("duration_ns")[ITERATIONS - 1] = 2.5e6;
	finding = find("slow-iterations");
	ck_assert_double_eq(evidence(finding, "slow_iterations"), 2);
	ck_assert_double_eq(evidence(finding, "slowest_ns"), 3e6);
	ck_assert_uint_eq(finding->first_iteration, 12);
	ck_assert_uint_eq(finding->last_iteration, ITERATIONS - 1);
	ck_assert_double_eq(finding->recoverable_ns, 2e6 / (ITERATIONS - 1));
	at.iterations[ITERATIONS - 1].partial = true;
	ck_assert_double_eq(evidence(find("slow-iterations"), "slow_iterations"), 1);
	dp_findings__fini(&at.findings);
}

/* Iterations that run more kernels and are slow are reported once. */
TEST(one_loss_is_reported_once)
{
	const struct dp_finding *finding;

	extra(5, 0, 3e6);
	set("host_wait_ns", 1e4);
	for (size_t k = 3; k + 1 < ITERATIONS; k += 4)
		metric("host_wait_ns")[k] = 2e6;
	ck_assert_ptr_null(find("slow-iterations"));
	finding = find("extra-work");
	ck_assert_int_eq(finding->severity, DP_SEVERITY_CRITICAL);
	ck_assert_double_eq(evidence(finding, "slow_iterations"), 5);
	ck_assert_double_eq(evidence(finding, "more_host_wait_ns"), 1.99e6);
	/* one without extra kernels is slow: a finding of its own */
	metric("period_ns")[9] = 3e6;
	ck_assert_ptr_nonnull(find("slow-iterations"));
	finding = find("extra-work");
	ck_assert_double_nan(evidence(finding, "slow_iterations"));
	dp_findings__fini(&at.findings);
}

/*
 * If periods fall steadily, the first ones are longer than most, but not slow. One that stands out
 * among its neighbours is.
 */
TEST(a_trend_has_no_slow_iterations)
{
	start();
	for (size_t k = 0; k + 1 < ITERATIONS; k++)
		metric("period_ns")[k] = 1e6 * pow(0.85, (double)k);
	ck_assert_ptr_null(find("slow-iterations"));
	metric("period_ns")[3] *= 3;
	ck_assert_ptr_nonnull(find("slow-iterations"));
	dp_findings__fini(&at.findings);
}

/* The only period that there is may be of first use. */
TEST(a_stall_in_a_single_period_may_be_first_use)
{
	struct dp_stall stall = { .name = "cudaMalloc",
				  .purpose = DP_PURPOSE_ALLOCATE,
				  .iteration = 0,
				  .calls = 1,
				  .idle_ns = 9e5 };
	struct dp_stalls stalls = { .stalls = &stall, .count = 1 };

	start();
	at.stalls = &stalls;
	set("call_stall_ns", 9e5);
	ck_assert_ptr_null(strstr(find("api-stall")->advice, "first use"));
	for (size_t k = 1; k < ITERATIONS; k++)
		metric("period_ns")[k] = (double)NAN;
	ck_assert_ptr_nonnull(strstr(find("api-stall")->advice, "first use"));
	dp_findings__fini(&at.findings);
}

/* Graphs that only slow iterations capture are why they are slow, however short the calls. */
TEST(captured_graphs_are_named)
{
	struct dp_stall each[] = {
		{ "cudaGraphInstantiate", 3, DP_PURPOSE_GRAPH, 2, 1, 1e3 },
		{ "cudaGraphInstantiate", 3, DP_PURPOSE_GRAPH, 5, 1, 1e3 },
	};
	struct dp_stalls stalls = { .stalls = each, .count = 1 };

	start();
	at.stalls = &stalls;
	set("host_wait_ns", 3e5);
	metric("period_ns")[2] = 2e6;
	metric("host_wait_ns")[2] = 1.3e6;
	ck_assert_str_eq(call_of(find("slow-iterations")), "cudaGraphInstantiate");
	ck_assert_double_eq(evidence(find("slow-iterations"), "graph_calls"), 1);
	ck_assert_ptr_nonnull(strstr(find("slow-iterations")->advice, "capture CUDA graphs"));
	/* One of the others does so, too. */
	stalls.count = 2;
	ck_assert_ptr_null(strstr(find("slow-iterations")->advice, "capture CUDA graphs"));
	dp_findings__fini(&at.findings);
}

/* Adds what a device of its own finds. */
static void add_device(uint32_t device, double communication_ns, double host_ns)
{
	struct dp_rule_input input = { .loop = &at.loop,
				       .iterations = at.iterations,
				       .values = at.values,
				       .summary = at.summary };

	at.loop.id = at.loop.device = device;
	set("comm_exposed_ns", communication_ns);
	set("host_wait_ns", host_ns);
	ck_assert_int_eq(dp_diagnose__loop(&at.findings, NULL, &input, NULL), DP_OK);
}

/* Which device the others wait for; unknown if two of them do not wait. */
TEST(the_device_that_others_wait_for_is_named)
{
	for (int late = 1; late <= 2; late++) {
		size_t named = 0;

		start();
		add_device(0, 3e5, 0);
		add_device(1, late == 1 ? 4e5 : 0, 3e5);
		add_device(2, 2e5, 0);
		add_device(3, 0, 5e5);
		dp_diagnose__rank(&at.findings, NULL);
		for (size_t i = 0; i < at.findings.count; i++) {
			const struct dp_finding *finding = &at.findings.findings[i].finding;
			bool says =
				!strncmp(finding->advice, "the other GPUs wait for this one", 32);

			named += says;
			ck_assert(!says || finding->devices[0] == 3);
		}
		ck_assert_uint_eq(named, late == 1);
		at.loop.id = at.loop.device = 0;
		dp_findings__fini(&at.findings);
	}
}

/* What is predicted for one device of a job holds if the others, of the same period, keep up. */
TEST(predictions_need_the_other_ranks)
{
	struct dp_replay replay = { .period_ns = 1e6, .measured_end = ITERATIONS };
	struct dp_peer loops[] = { { 0, 0, 1e6, 5e5 }, { 1, 1, 1e6, 7e5 }, { 2, 2, 2e6, 2e6 } };
	struct dp_rule_input input = { .loop = &at.loop,
				       .iterations = at.iterations,
				       .values = at.values,
				       .summary = at.summary,
				       .replay = &replay };
	const struct dp_finding *finding;

	for (size_t count = 0; count <= DP_COUNT(loops); count++) {
		struct dp_peers peers = { loops, count, count > 0, count == 1 };

		start();
		set("host_wait_ns", 6e5);
		replay.without_ns[DP_REPLAY_LAUNCHES] = replay.work_ns[DP_REPLAY_LAUNCHES] = 4e5;
		ck_assert_int_eq(dp_diagnose__loop(&at.findings, NULL, &input, NULL), DP_OK);
		dp_diagnose__rank(&at.findings, &peers);
		finding = &at.findings.findings[0].finding;
		ck_assert_double_eq(finding->predicted_ns, 4e5);
		ck_assert_int_eq(finding->needs_others, count > 0);
		ck_assert(count < 2 ? isnan(evidence(finding, "others_ns"))
				    : evidence(finding, "others_ns") == 7e5);
	}
	/* the other one has the same finding */
	start();
	for (uint32_t device = 0; device < 2; device++) {
		struct dp_peers peers = { loops, 2, true, false };

		at.loop.id = at.loop.device = device;
		set("host_wait_ns", 6e5);
		ck_assert_int_eq(dp_diagnose__loop(&at.findings, NULL, &input, NULL), DP_OK);
		if (!device)
			continue;
		dp_diagnose__rank(&at.findings, &peers);
		ck_assert_uint_eq(at.findings.count, 1);
		finding = &at.findings.findings[0].finding;
		ck_assert(!finding->needs_others);
		ck_assert(isnan(evidence(finding, "others_ns")));
	}
	at.loop.id = at.loop.device = 0;
	dp_findings__fini(&at.findings);
}

/* The same on another device is one finding, if the cost is within a fifth. */
TEST(devices_that_agree_are_one)
{
	struct dp_rule_input input = { .loop = &at.loop,
				       .iterations = at.iterations,
				       .values = at.values,
				       .summary = at.summary };
	const double cost_ns[] = { 3e5, 2.5e5, 2.2e5 };

	start();
	for (uint32_t device = 0; device < DP_COUNT(cost_ns); device++) {
		at.loop.id = 10 + device;
		at.loop.device = device;
		set("comm_exposed_ns", cost_ns[device]);
		ck_assert_int_eq(dp_diagnose__loop(&at.findings, NULL, &input, NULL), DP_OK);
	}
	dp_diagnose__rank(&at.findings, NULL);
	ck_assert_uint_eq(at.findings.count, 2);
	ck_assert_uint_eq(at.findings.findings[0].finding.loop_count, 2);
	ck_assert(dp_finding_concerns(&at.findings.findings[0].finding, 10));
	ck_assert(dp_finding_concerns(&at.findings.findings[0].finding, 11));
	ck_assert(!dp_finding_concerns(&at.findings.findings[0].finding, 12));
	ck_assert_double_eq(dp_finding_cost(&at.findings.findings[0].finding, 10), 3e5);
	ck_assert_double_eq(dp_finding_cost(&at.findings.findings[0].finding, 11), 2.5e5);
	ck_assert_double_nan(dp_finding_cost(&at.findings.findings[0].finding, 12));
	ck_assert_uint_eq(at.findings.findings[1].finding.loop, 12);
	at.loop.id = at.loop.device = 0;
	dp_findings__fini(&at.findings);
}

/* Also if one device's replay takes as long without it; other advice that differs keeps them apart.
 */
TEST_LOOP(a_finding_put_off_is_the_same, 2)
{
	struct dp_rule_input input = { .loop = &at.loop,
				       .iterations = at.iterations,
				       .values = at.values,
				       .summary = at.summary };

	start();
	for (uint32_t device = 0; device < 2; device++) {
		at.loop.id = 10 + device;
		at.loop.device = device;
		set("comm_exposed_ns", device ? 2.5e5 : 3e5);
		ck_assert_int_eq(dp_diagnose__loop(&at.findings, NULL, &input, NULL), DP_OK);
	}
	ck_assert_uint_eq(at.findings.count, 2);
	at.findings.findings[1].finding.advice = "wait";
	at.findings.findings[1].put_off = _i == 0;
	dp_diagnose__rank(&at.findings, NULL);
	ck_assert_uint_eq(at.findings.count, _i == 0 ? 1 : 2);
	ck_assert_str_ne(at.findings.findings[0].finding.advice, "wait");
	at.loop.id = at.loop.device = 0;
	dp_findings__fini(&at.findings);
}

/* A share of few samples would be chance. */
TEST(functions_need_samples)
{
	struct dp_host_range ranges[5] = {
		{ .outer = "load",
		  .activity = DP_HOST_INPUT_SAMPLED,
		  .typical_ns = 300,
		  .calls = DP_SAMPLES_LEAST - 8 },
		{ .outer = "parse",
		  .activity = DP_HOST_INPUT_SAMPLED,
		  .typical_ns = 100,
		  .calls = 8 },
		{ .outer = "launch",
		  .activity = DP_HOST_WAIT_SAMPLED,
		  .typical_ns = 900,
		  .calls = 100 },
	};
	struct dp_host_ranges all = { .ranges = ranges, .count = 3 };
	const struct dp_finding *finding;

	start();
	at.ranges = &all;
	set("input_wait_ns", 4e5);
	finding = find("input-bound");
	ck_assert_str_eq(call_of(finding), "load");
	ck_assert_double_eq_tol(evidence(finding, "sampled_share"), 0.75, 1e-9);
	ranges[0].calls--;
	ck_assert_ptr_null(call_of(find("input-bound")));
	/* Nor does a function that has less than a quarter of them. */
	ranges[0].calls = 100;
	ranges[0].typical_ns = 110;
	ranges[2].activity = DP_HOST_INPUT_SAMPLED;
	ranges[2].typical_ns = 100;
	ck_assert_str_eq(call_of(find("input-bound")), "load");
	ranges[3] = (struct dp_host_range){
		.outer = "read", .activity = DP_HOST_INPUT_SAMPLED, .typical_ns = 100, .calls = 100
	};
	ranges[4] = ranges[3];
	ranges[4].outer = "decode";
	all.count = DP_COUNT(ranges);
	ck_assert_ptr_null(call_of(find("input-bound")));
	dp_findings__fini(&at.findings);
	memset(&at, 0, sizeof(at));
}

/* Each launch takes a moment to reach the GPU: the queue is not empty then, but does not fill. */
TEST(launches_one_at_a_time)
{
	start();
	set("short_gaps_ns", 8e5);
	set("kernel_median_ns", 600);
	set("queue_empty", 0.4);
	set("queue_depth", 0.6);
	ck_assert_double_eq_tol(evidence(find("launch-bound"), "queue_depth"), 0.6, 1e-9);
	set("queue_depth", 20);
	ck_assert_ptr_null(find("launch-bound"));
	set("queue_empty", 0.6);
	ck_assert_double_eq_tol(evidence(find("launch-bound"), "queue_empty"), 0.6, 1e-9);
}

/* Only for a busy GPU; the advice depends on the memory's activity. */
TEST(idle_tensor_cores)
{
	const struct dp_finding *finding;

	start();
	set("busy_ns", 9e5);
	set("utilization", 0.9);
	ck_assert_ptr_null(find("tensor-idle"));
	set("tensor_active", 0.1);
	finding = find("tensor-idle");
	ck_assert_ptr_nonnull(finding);
	ck_assert(finding->severity == DP_SEVERITY_INFO && isnan(finding->recoverable_ns));
	ck_assert_double_eq_tol(evidence(finding, "tensor_active"), 0.1, 1e-9);
	ck_assert(isnan(evidence(finding, "dram_active")));
	ck_assert_ptr_nonnull(strstr(finding->advice, "bf16"));
	set("dram_active", 0.7);
	finding = find("tensor-idle");
	ck_assert_double_eq_tol(evidence(finding, "dram_active"), 0.7, 1e-9);
	ck_assert_ptr_nonnull(strstr(finding->advice, "wait for memory"));
	set("tensor_active", 0.2);
	ck_assert_ptr_null(find("tensor-idle"));
	set("tensor_active", 0.1);
	set("busy_ns", 7e5);
	set("utilization", 0.7);
	ck_assert_ptr_null(find("tensor-idle"));
}
