/* Rules on copies, by metrics made by hand: when they report, and what they advise. */
#include "finding_cases.h"
#include "test.h"

TEST(uploads_inside_an_iteration_count)
{
	const struct dp_finding *finding;

	start();
	set("copy_ns", 9.7e5);
	set("upload_exposed_ns", 9e4);
	ck_assert_ptr_null(find("copy-bound"));
	set("upload_exposed_ns", 1.5e5);
	finding = find("copy-bound");
	ck_assert_ptr_nonnull(finding);
	ck_assert_int_eq(finding->severity, DP_SEVERITY_WARNING);
	set("upload_exposed_ns", 9.7e5);
	finding = find("copy-bound");
	ck_assert_int_eq(finding->severity, DP_SEVERITY_CRITICAL);
	ck_assert_double_eq(finding->recoverable_ns, 9.7e5);
	dp_findings__fini(&at.findings);
}

static const char *copy_bound_advice(void)
{
	const struct dp_finding *finding = find("copy-bound");

	ck_assert_ptr_nonnull(finding);
	return finding->advice;
}

/* What hides uploads depends on how they run. */
TEST(advice_on_uploads_follows_from_how_they_run)
{
	struct dp_transfers transfers = { .upload_streams = 1 };

	start();
	at.transfers = &transfers;
	at.terms = DP_TERMS_TRAINING;
	set("upload_exposed_ns", 6e5);
	set("h2d_bytes", 6e6);
	set("h2d_bandwidth", 1e10);
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "on a stream of its own"));
	transfers.upload_streams = 4;
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "kernels of the others"));
	transfers.upload_hidden = 0.4;
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "kernels of the others only in part"));
	transfers.upload_apart = 1;
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "different streams but mostly do not"));
	ck_assert_double_eq(evidence(find("copy-bound"), "upload_hidden"), 0.4);
	transfers.upload_hidden = 0.6;
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "during kernels only in part"));
	transfers.upload_hidden = 0.04;
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "different streams but do not run"));
	set("pageable_share", 1);
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "(pin_memory=True"));
	/* at most 0.25 of the 0.6 ms could be hidden */
	set("h2d_bandwidth", 8e9);
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "upload fewer bytes"));
	ck_assert_double_eq(evidence(find("copy-bound"), "upload_ns"), 7.5e5);
	/* sizes are not recorded */
	set("h2d_bytes", (double)NAN);
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "(pin_memory=True"));
	dp_findings__fini(&at.findings);
}

/* Data that is downloaded, and uploaded again, costs both. */
TEST(round_trips_cost_both_directions)
{
	struct dp_transfers transfers = { .upload_streams = 1, .returned = 0.95 };

	start();
	at.transfers = &transfers;
	set("upload_exposed_ns", 8e4);
	set("copy_exposed_ns", 2e5);
	set("repeated_upload_ns", 8e4);
	set("h2d_bytes", 1e6);
	set("h2d_bandwidth", 1e10);
	set("d2h_bytes", 3e6);
	set("d2h_bandwidth", 1e10);
	ck_assert_ptr_null(find("copy-bound"));
	ck_assert_ptr_nonnull(find("repeated-upload"));
	set("d2h_bytes", 1e6);
	ck_assert_ptr_nonnull(strstr(copy_bound_advice(), "keep it on the device"));
	ck_assert_double_eq(find("copy-bound")->recoverable_ns, 2e5);
	ck_assert_ptr_null(find("repeated-upload"));
	/* of an unknown size */
	set("h2d_bytes", (double)NAN);
	ck_assert_ptr_null(find("copy-bound"));
	set("h2d_bytes", 1e6);
	/* as many bytes that are uploaded before others are downloaded */
	transfers.returned = 0.5;
	ck_assert_ptr_null(find("copy-bound"));
	dp_findings__fini(&at.findings);
}

/* Pages of unified memory move while the first kernels run, which takes longer than the copies. */
TEST(migrations_explain_warm_up)
{
	struct dp_transfers transfers = { .migrations = 8, .migrated_ns = 2900000 };
	const struct dp_finding *finding;

	start();
	at.transfers = &transfers;
	set("compute_ns", 5e5);
	at.iterations[0].warmup = true;
	at.iterations[1].start_ns = 3000000;
	metric("period_ns")[0] = 3e6;
	metric("compute_ns")[0] = 2e6;
	finding = find("warm-up");
	ck_assert_ptr_nonnull(finding);
	ck_assert_double_eq(evidence(finding, "migrations"), 8);
	ck_assert_ptr_nonnull(strstr(finding->advice, "cudaMemPrefetchAsync"));
	/* the kernels have little of the cost, or memory moves later, too */
	metric("compute_ns")[0] = 1e6;
	ck_assert_ptr_null(strstr(find("warm-up")->advice, "cudaMemPrefetchAsync"));
	metric("compute_ns")[0] = 2e6;
	transfers.migrated_ns = 3100000;
	ck_assert_ptr_null(strstr(find("warm-up")->advice, "cudaMemPrefetchAsync"));
	dp_findings__fini(&at.findings);
}

/* A result that only the first iteration downloads is nothing that is created once. */
TEST(copies_explain_warm_up)
{
	start();
	at.iterations[0].warmup = true;
	metric("period_ns")[0] = 9e6;
	set("copy_exposed_ns", 1e5);
	metric("copy_exposed_ns")[0] = 4e6;
	ck_assert_ptr_nonnull(strstr(find("warm-up")->advice, "the first launches load"));
	metric("copy_exposed_ns")[0] = 7e6;
	ck_assert_ptr_nonnull(strstr(find("warm-up")->advice, "copies"));
}

/* Where the host makes no call, no launch loads code and no call allocates memory. */
TEST(host_work_explains_warm_up)
{
	const struct dp_finding *finding;

	start();
	at.iterations[0].warmup = true;
	metric("period_ns")[0] = 9e6;
	set("host_outside_ns", 1e5);
	metric("host_outside_ns")[0] = 3e6;
	finding = find("warm-up");
	ck_assert_ptr_nonnull(strstr(finding->advice, "the first launches load"));
	ck_assert(isnan(evidence(finding, "outside_calls_ns")));
	metric("host_outside_ns")[0] = 7e6;
	finding = find("warm-up");
	ck_assert_ptr_nonnull(strstr(finding->advice, "host work"));
	ck_assert_double_eq_tol(evidence(finding, "outside_calls_ns"), 6.9e6, 1);
	/* no more than the cost */
	metric("host_outside_ns")[0] = 9e6;
	ck_assert_double_eq_tol(evidence(find("warm-up"), "outside_calls_ns"), 8e6, 1);
	at.terms = DP_TERMS_PYTORCH;
	ck_assert_ptr_nonnull(strstr(find("warm-up")->advice, "compiled kernels"));
	dp_findings__fini(&at.findings);
}

/* Periods that differ by the step of the trace's times are equally long. */
TEST(rounding_makes_no_iteration_slow)
{
	start();
	set("period_ns", 5000);
	metric("period_ns")[7] = 6000;
	ck_assert_ptr_nonnull(find("slow-iterations"));
	ck_assert(at.iterations[7].slow && !at.iterations[6].slow);
	at.resolution_ns = 1000;
	ck_assert_ptr_null(find("slow-iterations"));
	ck_assert(!at.iterations[7].slow);
	metric("period_ns")[7] = 8000;
	ck_assert_ptr_nonnull(find("slow-iterations"));
}

TEST(copies_within_the_device_count)
{
	const struct dp_finding *finding;

	start();
	set("copy_exposed_ns", 9e5);
	set("d2d_exposed_ns", 4e4);
	ck_assert_ptr_null(find("device-copy"));
	set("d2d_exposed_ns", 6e4);
	set("d2d_copies", 12);
	finding = find("device-copy");
	ck_assert_ptr_nonnull(finding);
	ck_assert_int_eq(finding->severity, DP_SEVERITY_WARNING);
	ck_assert_double_eq(finding->recoverable_ns, 6e4);
	ck_assert_double_eq(evidence(finding, "d2d_copies"), 12);
	set("d2d_exposed_ns", 3e5);
	ck_assert_int_eq(find("device-copy")->severity, DP_SEVERITY_CRITICAL);
	dp_findings__fini(&at.findings);
}

/* Input is loaded ahead if most iterations upload some, not if a few upload much. */
TEST(an_upload_in_one_iteration_is_no_input)
{
	start();
	set("interval_ns", 4e5);
	set("overlap", 0);
	set("h2d_bytes", 0);
	metric("h2d_bytes")[3] = 1e9;
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "record launches"));
	set("h2d_bytes", 8192);
	ck_assert_ptr_nonnull(strstr(find("host-bound")->advice, "prepare what is uploaded next"));
	dp_findings__fini(&at.findings);
}
