/* The counted contents of a trace, for two renderers. */
#ifndef DP_REPORT_INFO_H
#define DP_REPORT_INFO_H

#include "report/report.h"

/* Kernels of one name. */
struct dp_info_kernel {
	uint32_t name;
	uint64_t count;
	int64_t total_ns;
	double share; /* of the time of all kernels */
};

/* A trace and its counts. */
struct dp_info {
	const struct dp_trace *trace;
	uint64_t kernels;
	uint64_t copies;
	uint64_t memsets;
	uint64_t copy_bytes;
	uint64_t synchronizations;    /* records, or without those the synchronizing calls */
	uint64_t graphs;	      /* launches of CUDA graphs that are one operation each */
	uint64_t graph_nodes;	      /* operations that such launches started, recorded by node */
	int64_t kernel_ns;	      /* sum of durations */
	struct dp_info_kernel *names; /* by total time, longest first */
	size_t name_count;
};

extern const struct dp_whole_renderer dp_info_renderer__text;
extern const struct dp_whole_renderer dp_info_renderer__json;

#endif
