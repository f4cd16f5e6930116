/* What rules advise: by what iterations wait for, and in the terms of the program. */
#include "finding_cases.h"
#include "test.h"

/* Other streams delay nothing if there are none with kernels. */
TEST(advice_on_other_streams_needs_them)
{
	struct dp_transfers transfers = { .kernel_streams = 2 };

	start();
	at.transfers = &transfers;
	set("host_wait_ns", 0);
	set("idle_other_ns", 1e4);
	metric("period_ns")[7] = 3e6;
	metric("idle_other_ns")[7] = 2e6;
	ck_assert_ptr_nonnull(strstr(find("slow-iterations")->advice, "events and other streams"));
	transfers.kernel_streams = 1;
	ck_assert_ptr_nonnull(
		strstr(find("slow-iterations")->advice, "no other stream runs kernels"));
	dp_findings__fini(&at.findings);
}

TEST(advice_has_the_terms_of_the_program)
{
	static const char loader[] = "overlap data loading with compute: DataLoader(...)";
	static const char launches[] = "reduce launch overhead: CUDA graphs, fused optimizer";
	static const char other[] = "record more iterations";

	ck_assert_str_eq(dp_advice__in_terms(loader, DP_TERMS_TRAINING), loader);
	ck_assert_str_eq(dp_advice__in_terms(loader, DP_TERMS_PYTORCH), loader);
	ck_assert_ptr_null(strstr(dp_advice__in_terms(loader, DP_TERMS_CUDA), "data loading"));
	/* kernels alone do not show that it loads data */
	ck_assert_ptr_null(strstr(dp_advice__in_terms(loader, DP_TERMS_TENSORS), "DataLoader"));
	ck_assert_ptr_nonnull(
		strstr(dp_advice__in_terms(launches, DP_TERMS_TENSORS), "torch.compile"));
	ck_assert_str_eq(dp_advice__in_terms(launches, DP_TERMS_TRAINING), launches);
	ck_assert_ptr_null(strstr(dp_advice__in_terms(launches, DP_TERMS_PYTORCH), "optimizer"));
	ck_assert_ptr_nonnull(
		strstr(dp_advice__in_terms(launches, DP_TERMS_PYTORCH), "torch.compile"));
	ck_assert_ptr_null(strstr(dp_advice__in_terms(launches, DP_TERMS_CUDA), "torch"));
	ck_assert_str_eq(dp_advice__in_terms(other, DP_TERMS_CUDA), other);
}

/* Waits are counted, and copies that are waited for have a direction. */
TEST(advice_on_waits_follows_from_them)
{
	struct dp_host_range range = { .outer = "aten::copy_",
				       .activity = DP_HOST_SYNC,
				       .typical_ns = 3e5 };
	struct dp_host_ranges ranges = { .ranges = &range, .count = 1 };
	struct dp_transfers transfers = { .waits = ITERATIONS - 1 };

	start();
	at.transfers = &transfers;
	set("sync_lost_ns", 3e5);
	ck_assert_ptr_nonnull(strstr(find("sync-call")->advice, "a synchronization in every"));
	transfers.waits = 3 * (ITERATIONS - 1);
	ck_assert_ptr_nonnull(
		strstr(find("sync-call")->advice, "avoid synchronizations (3 per iteration): "));
	at.ranges = &ranges;
	at.terms = DP_TERMS_TRAINING;
	ck_assert_ptr_nonnull(strstr(find("sync-call")->advice, "make small tensors on the GPU"));
	transfers.downloads_waited = 0.9;
	ck_assert_ptr_nonnull(strstr(find("sync-call")->advice, "fetch these results later"));
	dp_findings__fini(&at.findings);
}

/* Only PyTorch programs are advised with its functions. */
TEST(advice_is_in_the_program_s_terms)
{
	start();
	set("sync_lost_ns", 3e5);
	ck_assert_ptr_null(strstr(find("sync-call")->advice, ".item()"));
	at.terms = DP_TERMS_TRAINING;
	ck_assert_ptr_nonnull(strstr(find("sync-call")->advice, ".item()"));
	dp_findings__fini(&at.findings);
}

/* If the host waits after nearly every launch, no launch can be ahead, whatever it costs. */
TEST(advice_on_launches_names_waits_first)
{
	struct dp_transfers transfers = { .launches = 100, .waits = 50 };

	start();
	at.transfers = &transfers;
	set("short_gaps_ns", 8e5);
	set("kernel_median_ns", 600);
	set("queue_empty", 0.6);
	set("queue_depth", 0.6);
	ck_assert_ptr_null(strstr(find("launch-bound")->advice, "synchronization"));
	transfers.waits = 95;
	ck_assert_ptr_nonnull(strstr(find("launch-bound")->advice,
				     "avoid the synchronization after nearly every launch: "));
	dp_findings__fini(&at.findings);
}
