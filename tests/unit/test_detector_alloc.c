/* The detector survives the failure of every one of its allocations. */
#include "alloc_fail.h"
#include "test.h"

#include <deepprof/detector.h>

static void on_iteration(void *ctx, const struct dp_detector_iteration *it)
{
	*(size_t *)ctx += it->count;
}

/* Two programs, the first with a difference now and then. */
static size_t make(uint32_t *s)
{
	size_t n = 0;

	for (uint32_t t = 0; t < 36; t++)
		for (uint32_t i = 0; i < 40; i++)
			s[n++] = t % 9 == 8 && i == 20 ? 99 : i;
	for (uint32_t t = 0; t < 80; t++)
		for (uint32_t i = 0; i < 60; i++)
			s[n++] = 200 + i;
	return n;
}

static int run(const uint32_t *s, size_t n, size_t *covered, struct dp_error *error)
{
	struct dp_detector_options o = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *d = NULL;
	int status;

	*covered = 0;
	o.window = 1024;
	o.ctx = covered;
	o.iteration = on_iteration;
	status = dp_detector_new(&d, &o, error);
	if (status)
		return status;
	status = dp_detector_feed(d, s, n, error);
	if (status) {
		/* from then on it says no */
		ck_assert_int_eq(dp_detector_feed(d, s, 1, NULL), status);
		ck_assert_int_eq(dp_detector_finish(d, NULL), status);
	} else {
		status = dp_detector_finish(d, error);
	}
	dp_detector_free(d);
	return status;
}

TEST(every_failure_is_survived)
{
	static uint32_t s[8000];
	size_t n = make(s), more = 1, failed = 0, covered;

	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		int status;

		alloc_fail_after(k);
		status = run(s, n, &covered, &error);
		more = alloc_fail_stop();
		ck_assert(status == DP_ERR_NOMEM || status == DP_OK);
		ck_assert(more || status == DP_OK);
		ck_assert_int_eq(error.status, status);
		failed += status != DP_OK;
	}
	ck_assert_uint_gt(failed, 20);
	ck_assert_uint_gt(covered, n * 3 / 5);
}
