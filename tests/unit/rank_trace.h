/* The trace of one rank, written event by event and analyzed. */
#ifndef TEST_RANK_TRACE_H
#define TEST_RANK_TRACE_H

#include <deepprof/analysis.h>
#include <deepprof/trace.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rank_trace {
	FILE *file;
	char path[64];
};

static void begin_trace(struct rank_trace *trace, int rank)
{
	strcpy(trace->path, "/tmp/deepprof-rank-XXXXXX");
	trace->file = fdopen(mkstemp(trace->path), "w");
	ck_assert_ptr_nonnull(trace->file);
	fprintf(trace->file,
		"{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": %d}, \"traceEvents\": [",
		rank);
}

static struct dp_analysis *analyze_trace(struct rank_trace *written)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;

	fprintf(written->file, "]}");
	fclose(written->file);
	ck_assert_msg(!dp_trace_open(&trace, written->path, NULL, &error), "%s", error.message);
	unlink(written->path);
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, NULL, &error), DP_OK);
	dp_trace_free(trace);
	return analysis;
}

#endif
