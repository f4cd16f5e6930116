/* Reports survive the failure of every one of their allocations. */
#include "alloc_fail.h"
#include "report_cases.h"
#include "test.h"

#include <deepprof/report.h>

static int count(void *ctx, const void *data, size_t size)
{
	*(size_t *)ctx += size;
	return 0;
}

static int write_info(const struct dp_analysis *analysis, const char *format,
		      const struct dp_report_options *options, const struct dp_sink *sink,
		      struct dp_error *error)
{
	return dp_trace_info_write(dp_analysis_trace(analysis), format, options, sink, error);
}

/* Fails the k-th allocation for every k. */
static void sweep(__typeof__(dp_report_write) *write, const struct report_case *at,
		  const char *format, const struct dp_report_options *options)
{
	size_t written = 0, failures = 0;
	struct dp_sink sink = { count, &written };
	bool more = true;

	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		int status;

		alloc_fail_after(k);
		status = write(at->analysis, format, options, &sink, &error);
		more = alloc_fail_stop();
		failures += more;
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert_int_eq(error.status, status);
		ck_assert_uint_lt(k, 1000);
	}
	ck_assert_uint_gt(failures, 0);
}

TEST(every_format)
{
	static void (*const makers[])(struct report_case * at) = { case_train, case_slow,
								   case_waits };
	const struct dp_report_format *format;
	struct report_case at;

	for (size_t m = 0; m < DP_COUNT(makers); m++) {
		makers[m](&at);
		for (size_t f = 0; (format = dp_report_format(f)); f++) {
			struct dp_report_options options = DP_REPORT_OPTIONS_INIT;

			options.gzip = options.kineto = f % 2;
			sweep(dp_report_write, &at, format->name, &options);
			options.verbose = true;
			sweep(dp_report_write, &at, format->name, &options);
		}
		for (size_t f = 0; (format = dp_trace_info_format(f)); f++)
			sweep(write_info, &at, format->name, NULL);
		case_free(&at);
	}
}
